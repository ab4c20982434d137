// SPDX-License-Identifier: Apache-2.0
#include "common/files/target_folder.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"

namespace farlink::files {
namespace {

constexpr mode_t kFolderMode = 0777;  // less the mask of the user
constexpr std::size_t kMostUsed = 256;
constexpr int kAsFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// syncfs() waits for everything and reports errors there: ext4, XFS, Btrfs, F2FS, tmpfs.
bool is_synced_as_a_whole(int folder) {
    constexpr std::array<long, 5> kKnown{0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994};
    struct statfs status{};
    if (::fstatfs(folder, &status) != 0) return false;
    for (const long kind : kKnown)
        if (status.f_type == kind) return true;
    return false;
}

/// A new folder is on disk once the one above it is; 0 or the error.
int make(const std::string &folder) {
    if (::mkdir(folder.c_str(), kFolderMode) != 0) return errno == EEXIST ? 0 : errno;
    const FileDescriptor above(::open((folder + "/..").c_str(), kAsFolder));
    return above && ::fsync(above.get()) == 0 ? 0 : errno;
}

}  // namespace

Result<TargetFolder, std::string> TargetFolder::open(const std::string &path) {
    if (const int error = make(path); error != 0)
        return fail("cannot create " + path + ": " + reason_of(error));
    FileDescriptor root(::open(path.c_str(), kAsFolder));
    if (!root) return fail("cannot open " + path + ": " + reason_of(errno));
    if (::faccessat(root.get(), ".", W_OK | X_OK, 0) != 0)
        return fail("cannot write to " + path + ": " + reason_of(errno));
    return TargetFolder(path, std::move(root));
}

TargetFolder::TargetFolder(std::string path, FileDescriptor root)
    : path_(std::move(path)),
      root_(std::move(root)),
      can_sync_all_(is_synced_as_a_whole(root_.get())) {}

Result<FileDescriptor, int> TargetFolder::open_beneath(int from, std::string_view name,
                                                       int flags) const {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const std::string path(name);
    for (;;) {
        const long opened = ::syscall(SYS_openat2, from, path.c_str(), &how, sizeof how);
        if (opened >= 0) return FileDescriptor(static_cast<int>(opened));
        // EAGAIN: something was renamed meanwhile.
        if (errno != EINTR && errno != EAGAIN) return fail(int{errno});
    }
}

Result<int, int> TargetFolder::folder(std::string_view name) {
    if (name.empty()) {
        root_used_ = true;
        return root_.get();
    }
    if (const auto found = used_.find(name); found != used_.end()) return found->second.get();
    if (used_.size() >= kMostUsed)
        if (const int error = sync_folders(true); error != 0) return fail(int{error});
    auto opened = open_beneath(root_.get(), name, kAsFolder);
    if (!opened && opened.error() == ENOENT) {
        if (const int error = make_folder(name); error != 0) return fail(int{error});
        opened = open_beneath(root_.get(), name, kAsFolder);
    }
    if (!opened) return fail(opened.error());
    return used_.emplace(name, std::move(*opened)).first->second.get();
}

int TargetFolder::make_folder(std::string_view name, std::optional<mode_t> mode) {
    const auto above = folder(folder_of(name));
    if (!above) return above.error();
    const std::string last(last_part_of(name));
    // Its owner must be able to write what is in it.
    const mode_t wanted = mode.value_or(kFolderMode) | S_IRWXU;
    if (::mkdirat(*above, last.c_str(), wanted) == 0) {
        if (!mode) return 0;
        const auto made = open_beneath(*above, last, kAsFolder);
        if (!made) return made.error();
        return ::fchmod(made->get(), wanted) == 0 ? 0 : errno;
    }
    if (errno != EEXIST) return errno;
    const auto there = open_beneath(*above, last, kAsFolder);
    return there ? 0 : there.error();
}

Result<FileDescriptor, int> TargetFolder::read(std::string_view name) const {
    return open_beneath(root_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int TargetFolder::sync_folders(bool many) {
    if (many && can_sync_all_) {
        if (const int error = sync_all(); error != 0) return error;
    } else {
        if (root_used_ && ::fsync(root_.get()) != 0) return errno;
        for (const auto &[name, folder] : used_)
            if (::fsync(folder.get()) != 0) return errno;
    }
    root_used_ = false;
    used_.clear();
    return 0;
}

std::optional<std::vector<FileDescriptor>> TargetFolder::take_folders(std::size_t most) {
    std::vector<FileDescriptor> folders;
    const bool root = std::exchange(root_used_, false);
    if (root) folders.emplace_back(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
    for (auto &[name, folder] : used_) folders.push_back(std::move(folder));
    used_.clear();
    const bool failed = root && !folders.front();
    if (failed || folders.size() > most) return std::nullopt;
    return folders;
}

int TargetFolder::sync_all() const {
    return ::syncfs(root_.get()) == 0 ? 0 : errno;
}

}  // namespace farlink::files
