// SPDX-License-Identifier: Apache-2.0
#include "common/files/octet_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace farlink::files {
namespace {

struct CloseFolder {
    void operator()(DIR *folder) const { ::closedir(folder); }
};

}  // namespace

int write_all(int file, ByteView octets, std::uint64_t offset) {
    while (!octets.empty()) {
        const ssize_t written =
            ::pwrite(file, octets.data(), octets.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        octets = octets.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return 0;
}

Bytes read_all(int file, std::size_t largest) {
    struct stat status{};
    if (::fstat(file, &status) != 0) return {};
    Bytes content(std::min(static_cast<std::size_t>(status.st_size), largest));
    std::size_t got = 0;
    while (got < content.size()) {
        const ssize_t size =
            ::pread(file, content.data() + got, content.size() - got, static_cast<off_t>(got));
        if (size <= 0) break;
        got += static_cast<std::size_t>(size);
    }
    content.resize(got);
    return content;
}

std::vector<std::string> names_in(int folder) {
    std::vector<std::string> names;
    const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseFolder> opened(again < 0 ? nullptr : ::fdopendir(again));
    if (!opened) return names;
    while (const dirent *const entry = ::readdir(opened.get())) names.emplace_back(entry->d_name);
    return names;
}

std::string reason_of(int error) {
    return std::generic_category().message(error);
}

}  // namespace farlink::files
