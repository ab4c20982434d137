// SPDX-License-Identifier: Apache-2.0
// A small file system in memory, in a mount namespace of the test and its programs.
// Owned by one test; a folder below it must not outlive it.
// Needs CAP_SYS_ADMIN; usable() returns whether the system grants it.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <string>
#include <utility>

namespace farlink::test {

class SmallDisk {
public:
    /// At `folder`, which is made. Threads and programs that are started later see it, too.
    SmallDisk(std::string folder, std::uint64_t bytes) : folder_(std::move(folder)) {
        const std::string options = "mode=0700,size=" + std::to_string(bytes);
        usable_ = ::unshare(CLONE_NEWNS) == 0 &&
                  ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                  ::mkdir(folder_.c_str(), 0700) == 0 &&
                  ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) == 0;
    }
    ~SmallDisk() {
        if (usable_) ::umount2(folder_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk &) = delete;
    SmallDisk &operator=(const SmallDisk &) = delete;

    [[nodiscard]] bool usable() const { return usable_; }
    [[nodiscard]] const std::string &folder() const { return folder_; }
    [[nodiscard]] std::uint64_t free_bytes() const {
        struct statvfs about{};
        return ::statvfs(folder_.c_str(), &about) == 0
                   ? std::uint64_t{about.f_bavail} * about.f_frsize
                   : 0;
    }

private:
    std::string folder_;
    bool usable_ = false;
};

}  // namespace farlink::test
