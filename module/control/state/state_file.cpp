// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/private_folder.hpp"

namespace farlink::control {
namespace {

constexpr mode_t kOwnerOnly = 0600;

std::string file_error(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string flush_folder(const std::string &path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const FileDescriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened && ::fsync(opened.get()) == 0 ? std::string() : file_error(folder);
}

}  // namespace

std::string make_state_folder(const std::string &folder) {
    const std::error_code error = make_private_folder(folder);
    return error ? folder + ": " + error.message() : std::string();
}

std::string replace_file(const std::string &path, std::string_view text) {
    const std::string beside = path + ".new";
    const FileDescriptor file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
    if (!file || !write_all(file.get(), text) || ::fsync(file.get()) != 0)
        return file_error(beside);
    if (std::rename(beside.c_str(), path.c_str()) != 0) return file_error(path);
    return flush_folder(path);
}

std::string append_line(const std::string &path, std::string_view line) {
    const FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly));
    struct stat before{};
    if (!file || ::fstat(file.get(), &before) != 0) return file_error(path);
    if (!write_all(file.get(), std::string(line) + '\n') || ::fdatasync(file.get()) != 0) {
        std::string wrong = file_error(path);
        if (::ftruncate(file.get(), before.st_size) != 0)
            wrong += "; the incomplete line stays in the file";
        return wrong;
    }
    return before.st_size == 0 ? flush_folder(path) : std::string();
}

void cut_last_line(const std::string &path) {
    std::error_code error;
    std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return;
    std::ifstream file(path, std::ios::binary);
    const std::uintmax_t whole = size;
    for (; size > 0; --size) {
        file.seekg(static_cast<std::streamoff>(size - 1));
        if (file.get() == '\n') break;
    }
    if (size < whole) std::filesystem::resize_file(path, size, error);
}

}  // namespace farlink::control
