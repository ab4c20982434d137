// SPDX-License-Identifier: Apache-2.0
#include "module/storage/alive_stamp.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::storage {
namespace {

constexpr std::int64_t kUnixOfDtnEpoch = 946'684'800;  // 2000-01-01

DtnTime time_of(const std::filesystem::path &path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0 || found.st_mtim.tv_sec < kUnixOfDtnEpoch) return 0;
    return static_cast<DtnTime>(found.st_mtim.tv_sec - kUnixOfDtnEpoch) * 1000 +
           static_cast<DtnTime>(found.st_mtim.tv_nsec / 1'000'000);
}

/// Its time is the last one that was trusted; it has no content.
std::string kept_stamp_of(const std::string &folder) {
    return folder + "/doubt";
}

}  // namespace

DtnTime last_alive(const std::string &folder) {
    if (const DtnTime kept = time_of(kept_stamp_of(folder)); kept > 0) return kept;
    DtnTime newest = 0;
    std::error_code error;
    std::filesystem::directory_iterator at(folder, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        newest = std::max(newest, time_of(at->path()));
    return newest;
}

void stamp_alive(const std::string &folder) {
    (void)::utimensat(AT_FDCWD, (folder + "/lock").c_str(), nullptr, 0);
    (void)::unlink(kept_stamp_of(folder).c_str());
}

void keep_stamp(const std::string &folder, DtnTime last) {
    if (last == 0) return;
    const FileDescriptor file(::open(kept_stamp_of(folder).c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                     S_IRUSR | S_IWUSR));
    if (!file) return;  // it is there already
    const timespec time{.tv_sec = kUnixOfDtnEpoch + static_cast<std::int64_t>(last / 1000),
                        .tv_nsec = static_cast<long>(last % 1000) * 1'000'000};
    const std::array<timespec, 2> times{time, time};
    (void)::futimens(file.get(), times.data());
}

}  // namespace farlink::storage
