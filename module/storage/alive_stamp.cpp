// SPDX-License-Identifier: Apache-2.0
#include "module/storage/alive_stamp.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace farlink::storage {
namespace {

constexpr std::int64_t kUnixOfDtnEpoch = 946'684'800;  // 2000-01-01

DtnTime time_of(const std::filesystem::path &path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0 || found.st_mtim.tv_sec < kUnixOfDtnEpoch) return 0;
    return static_cast<DtnTime>(found.st_mtim.tv_sec - kUnixOfDtnEpoch) * 1000 +
           static_cast<DtnTime>(found.st_mtim.tv_nsec / 1'000'000);
}

}  // namespace

DtnTime last_alive(const std::string &folder) {
    DtnTime newest = 0;
    std::error_code error;
    std::filesystem::directory_iterator at(folder, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        newest = std::max(newest, time_of(at->path()));
    return newest;
}

void stamp_alive(const std::string &folder) {
    (void)::utimensat(AT_FDCWD, (folder + "/lock").c_str(), nullptr, 0);
}

}  // namespace farlink::storage
