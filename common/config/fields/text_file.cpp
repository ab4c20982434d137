// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/text_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace farlink::config {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kUtf16LittleEndianMark = "\xff\xfe";
constexpr std::string_view kUtf16BigEndianMark = "\xfe\xff";

}  // namespace

Result<std::string, ConfigError> read_text_file(const std::string &path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return fail(ConfigError{"", "found a folder; expected a file", "", ""});
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        const std::string reason = std::generic_category().message(errno);
        return fail(ConfigError{"", "cannot open the file: " + reason, "", ""});
    }
    std::string text;
    std::array<char, 65536> piece{};
    while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > kLargestFileBytes)
            return fail(ConfigError{"", "the file is too large",
                                    "at most " + std::to_string(kLargestFileBytes) + " bytes", ""});
    }
    if (file.bad()) return fail(ConfigError{"", "cannot read the file", "", ""});
    if (text.starts_with(kUtf16LittleEndianMark) || text.starts_with(kUtf16BigEndianMark))
        return fail(ConfigError{"", "found the byte order mark of UTF-16", "a file in UTF-8", ""});
    if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
    return text;
}

}  // namespace farlink::config
