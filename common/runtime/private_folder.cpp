// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/private_folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace farlink {

std::error_code make_private_folder(const std::string &path) {
    std::error_code error;
    std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    if (error) return error;
    if (!whole.has_filename()) whole = whole.parent_path();  // the path ends in a slash
    if (std::filesystem::is_directory(whole, error)) return {};
    std::filesystem::create_directories(whole.parent_path(), error);
    if (error) return error;
    if (::mkdir(whole.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
    return {errno, std::generic_category()};
}

bool is_open_to_others(const std::string &path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

}  // namespace farlink
