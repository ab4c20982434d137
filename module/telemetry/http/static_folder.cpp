// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/static_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/runtime/file_descriptor.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {
namespace {

constexpr off_t kMostBytes = 16 << 20;
constexpr std::size_t kDeepest = 4;

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".map", "application/json"},
}};

std::string_view type_of(std::string_view name) {
    for (const auto &[ending, type] : kTypes)
        if (name.ends_with(ending)) return type;
    return "application/octet-stream";
}

struct File {
    std::string octets;
    std::string tag;
};

std::optional<File> read_file(const std::string &path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat found{};
    if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
        found.st_size > kMostBytes)
        return std::nullopt;
    File read;
    read.octets.resize(static_cast<std::size_t>(found.st_size));
    std::size_t have = 0;
    while (have < read.octets.size()) {
        const ssize_t got =
            ::read(file.get(), read.octets.data() + have, read.octets.size() - have);
        if (got <= 0) return std::nullopt;
        have += static_cast<std::size_t>(got);
    }
    read.tag = '"' + std::to_string(found.st_mtim.tv_sec) + '-' +
               std::to_string(found.st_mtim.tv_nsec) + '-' + std::to_string(found.st_size) + '"';
    return read;
}

}  // namespace

bool StaticFolder::is_plain_name(std::string_view name) {
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_';
    });
}

bool StaticFolder::has_page() const {
    return !folder_.empty() && read_file(folder_ + "/index.html").has_value();
}

Answer StaticFolder::serve(const std::vector<std::string> &path, const Call &call) const {
    std::vector<std::string> names = path;
    if (!names.empty() && names.back().empty()) names.back() = "index.html";
    if (names.empty() || names.size() > kDeepest || !std::ranges::all_of(names, is_plain_name))
        return problem(404, "no such file");
    if (folder_.empty())
        return problem(404, "the dashboard is not installed in the folder `api.webui`");
    std::string file = folder_;
    for (const std::string &name : names) file += '/' + name;
    auto read = call.takes_gzip ? read_file(file + ".gz") : std::nullopt;
    const bool compressed = read.has_value();
    if (!read) read = read_file(file);
    if (!read) return problem(404, "no such file");
    Answer answer{200, std::string(type_of(names.back())), std::move(read->octets)};
    if (compressed) {
        answer.headers.emplace_back("Content-Encoding", "gzip");
        read->tag.insert(read->tag.size() - 1, "-gzip");
    }
    answer.headers.emplace_back("Vary", "Accept-Encoding");
    answer.headers.emplace_back("ETag", read->tag);
    // Names of files in assets/ contain a digest of the build.
    answer.headers.emplace_back("Cache-Control", names.front() == "assets"
                                                     ? "public, max-age=31536000, immutable"
                                                     : "no-cache");
    if (!call.if_none_match.empty() && call.if_none_match == read->tag) {
        answer.status = 304;
        answer.body.clear();
    }
    return answer;
}

}  // namespace farlink::telemetry
