// SPDX-License-Identifier: Apache-2.0
#include "common/files/fresh_folders.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "common/files/octet_files.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::files {
namespace {

constexpr std::string_view kFreshPrefix = "fresh-";
constexpr mode_t kFreshMode = 0700;

/// New folders in it are spread over the disk. Other file systems do so anyway, or know no places.
void spread_folders_in(int folder) {
    int flags = 0;
    if (::ioctl(folder, FS_IOC_GETFLAGS, &flags) != 0) return;
    flags |= FS_TOPDIR_FL;
    [[maybe_unused]] const int ignored = ::ioctl(folder, FS_IOC_SETFLAGS, &flags);
}

std::uint64_t number_of(std::string_view name) {
    std::uint64_t number = 0;
    const std::string_view digits = name.substr(kFreshPrefix.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

}  // namespace

FreshFolders::FreshFolders(int parent) : parent_(parent) {
    spread_folders_in(parent);
    for (const std::string &name : names_in(parent)) {
        if (!name.starts_with(kFreshPrefix)) continue;
        earlier_.push_back(name);
        number_ = std::max(number_, number_of(name) + 1);
    }
}

Result<std::string, int> FreshFolders::next() {
    if (current_.empty() || made_ >= kFilesEach) {
        if (!current_.empty()) earlier_.push_back(std::exchange(current_, {}));
        remove_empty();
        const std::string name = std::string(kFreshPrefix) + std::to_string(number_);
        if (::mkdirat(parent_, name.c_str(), kFreshMode) != 0) return fail(int{errno});
        ++number_;
        current_ = name;
        made_ = 0;
    }
    ++made_;
    return current_ + '/';
}

void FreshFolders::remove_empty() {
    std::erase_if(earlier_, [this](const std::string &name) {
        return ::unlinkat(parent_, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
    });
}

std::vector<std::string> FreshFolders::names() const {
    std::vector<std::string> found;
    std::vector<std::string> folders = earlier_;
    if (!current_.empty()) folders.push_back(current_);
    for (const std::string &folder : folders) {
        const FileDescriptor opened(
            ::openat(parent_, folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!opened) continue;
        for (const std::string &name : names_in(opened.get()))
            if (name != "." && name != "..") found.push_back(folder + '/' + name);
    }
    return found;
}

}  // namespace farlink::files
