// SPDX-License-Identifier: Apache-2.0
#include "common/security/key_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::security {
namespace {

std::string key_file_fault(const std::string &path) {
    return path + ": " + std::strerror(errno);
}

bool is_of_other_user(const struct stat &found) {
    return found.st_uid != 0 && found.st_uid != ::geteuid();
}

/// What keeps the file from being used; empty: nothing.
std::string check_file(const std::string &path, const struct stat &found) {
    if (!S_ISREG(found.st_mode)) return path + ": not a regular file";
    if (is_of_other_user(found)) return path + ": belongs to another user";
    if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return path + ": other users may read or write the file; expected mode 0600 or 0400";
    if (static_cast<std::size_t>(found.st_size) > kMostKeyFileBytes)
        return path + ": too large for a key file";
    return {};
}

bool read_all(int file, MutableBytes octets) {
    while (!octets.empty()) {
        const ssize_t size = ::read(file, octets.data(), octets.size());
        if (size <= 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(size));
    }
    return true;
}

std::string read_file(const std::string &path, std::vector<Key> &keys) {
    // Not held up by what is no file.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found{};
    if (!file || ::fstat(file.get(), &found) != 0) return key_file_fault(path);
    if (auto wrong = check_file(path, found); !wrong.empty()) return wrong;
    Bytes text(static_cast<std::size_t>(found.st_size));
    const bool read = read_all(file.get(), text);
    std::string wrong = read ? parse_keys(as_text(text), keys) : "cannot be read";
    bp::bpsec::wipe(text);
    return wrong.empty() ? wrong : path + ": " + wrong;
}

std::string read_folder(const std::string &path, std::vector<Key> &keys) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return key_file_fault(path);
    if (is_of_other_user(found) || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return path + ": other users may write to the folder";
    std::vector<std::string> files;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(path, error))
        if (entry.path().extension() == ".key") files.push_back(entry.path().string());
    if (error) return path + ": " + error.message();
    std::ranges::sort(files);
    for (const std::string &file : files)
        if (auto wrong = read_file(file, keys); !wrong.empty()) return wrong;
    return {};
}

}  // namespace

Result<std::vector<Key>, std::string> read_keys(const std::string &path) {
    std::vector<Key> keys;
    std::error_code ignored;
    std::string wrong = std::filesystem::is_directory(path, ignored) ? read_folder(path, keys)
                                                                     : read_file(path, keys);
    if (wrong.empty() && keys.empty()) wrong = path + ": found no keys";
    if (wrong.empty()) {
        wrong = check_together(keys);
        if (!wrong.empty()) wrong = path + ": " + wrong;
    }
    if (!wrong.empty()) return fail(std::move(wrong));
    return keys;
}

}  // namespace farlink::security
