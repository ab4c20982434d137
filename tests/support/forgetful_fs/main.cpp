// SPDX-License-Identifier: Apache-2.0
// forgetful_fs MOUNTPOINT: a file system for tests that loses power on command.
// A write to `.forget` in its root, or SIGUSR1 before the next operation, discards what was not
// flushed, if no file is open. One thread; it unmounts and ends with its parent, or on SIGTERM.
#define FUSE_USE_VERSION 31
#include <fuse.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "tests/support/forgetful_fs/forgetful_tree.hpp"

namespace farlink::test {
namespace {

constexpr std::string_view kForgetPath = "/.forget";
/// The handle of the file that is a command.
constexpr NodeId kForgetHandle = ~NodeId{0};

volatile std::sig_atomic_t forget_wanted = 0;

ForgetfulTree &tree() {
    static ForgetfulTree the_tree;
    if (forget_wanted != 0) {
        forget_wanted = 0;
        static_cast<void>(the_tree.forget());
    }
    return the_tree;
}

NodeId resolve(const char *path, const fuse_file_info *info) {
    if (info != nullptr) return info->fh;
    if (path == kForgetPath) return kForgetHandle;
    return tree().find(path);
}

int get_attributes(const char *path, struct stat *status, fuse_file_info *info) {
    *status = {};
    const NodeId id = resolve(path, info);
    if (id == 0) return -ENOENT;
    if (id == kForgetHandle) {
        status->st_mode = S_IFREG | 0222;
        status->st_nlink = 1;
        return 0;
    }
    const Node &node = tree().node(id);
    status->st_ino = id;
    status->st_mode = (node.folder ? S_IFDIR : S_IFREG) | node.mode;
    status->st_nlink = 1;
    status->st_size = static_cast<off_t>(node.now.size());
    return 0;
}

int make_folder(const char *path, mode_t mode) {
    return tree().make(path, true, mode);
}
int remove_name(const char *path) {
    return tree().unlink(path);
}

int rename_name(const char *from, const char *to, unsigned flags) {
    constexpr unsigned kNoReplace = 1;
    if ((flags & ~kNoReplace) != 0) return -EINVAL;
    return tree().rename(from, to, flags != kNoReplace);
}

int open_node(const char *path, fuse_file_info *info) {
    info->fh = resolve(path, nullptr);
    if (info->fh == 0) return -ENOENT;
    if (info->fh != kForgetHandle) tree().open(info->fh);
    return 0;
}

int close_node(const char *, fuse_file_info *info) {
    if (info->fh != kForgetHandle) tree().close(info->fh);
    return 0;
}

int create_file(const char *path, mode_t mode, fuse_file_info *info) {
    const int made = path == kForgetPath ? 0 : tree().make(path, false, mode);
    return made != 0 ? made : open_node(path, info);
}

int read_folder(const char *, void *buffer, fuse_fill_dir_t fill, off_t, fuse_file_info *info,
                fuse_readdir_flags) {
    for (const char *name : {".", ".."}) fill(buffer, name, nullptr, 0, fuse_fill_dir_flags{});
    for (const auto &[name, id] : tree().node(info->fh).entries)
        fill(buffer, name.c_str(), nullptr, 0, fuse_fill_dir_flags{});
    return 0;
}

int read_file(const char *, char *out, std::size_t size, off_t offset, fuse_file_info *info) {
    if (info->fh == kForgetHandle) return 0;
    const std::vector<char> &now = tree().node(info->fh).now;
    const auto begin = std::min(static_cast<std::size_t>(offset), now.size());
    const std::size_t count = std::min(size, now.size() - begin);
    std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(begin), count, out);
    return static_cast<int>(count);
}

int write_file(const char *, const char *in, std::size_t size, off_t offset, fuse_file_info *info) {
    if (info->fh == kForgetHandle) {
        const int forgotten = tree().forget();
        return forgotten != 0 ? forgotten : static_cast<int>(size);
    }
    std::vector<char> &now = tree().node(info->fh).now;
    const auto begin = static_cast<std::size_t>(offset);
    if (now.size() < begin + size) now.resize(begin + size);
    std::memcpy(now.data() + begin, in, size);
    return static_cast<int>(size);
}

int truncate_file(const char *path, off_t size, fuse_file_info *info) {
    const NodeId id = resolve(path, info);
    if (id == 0) return -ENOENT;
    if (id != kForgetHandle) tree().node(id).now.resize(static_cast<std::size_t>(size));
    return 0;
}

int reserve(const char *, int mode, off_t offset, off_t size, fuse_file_info *info) {
    if (mode != 0) return -EOPNOTSUPP;
    std::vector<char> &now = tree().node(info->fh).now;
    now.resize(std::max(now.size(), static_cast<std::size_t>(offset + size)));
    return 0;
}

int flush_node(const char *, int, fuse_file_info *info) {
    if (info->fh != kForgetHandle) tree().flush(info->fh);
    return 0;
}

int change_mode(const char *path, mode_t mode, fuse_file_info *info) {
    const NodeId id = resolve(path, info);
    if (id == 0) return -ENOENT;
    if (id != kForgetHandle) tree().node(id).mode = mode & 07777U;
    return 0;
}

int change_times(const char *, const timespec *, fuse_file_info *) {
    return 0;
}

/// The kernel must not cache: its cache would still contain what was discarded.
void *begin(fuse_conn_info *, fuse_config *config) {
    config->direct_io = 1;
    config->entry_timeout = 0;
    config->attr_timeout = 0;
    config->negative_timeout = 0;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    std::puts("mounted");
    std::fflush(stdout);
    return nullptr;
}

int run(char *program, char *mount_point) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    std::signal(SIGUSR1, [](int) { forget_wanted = 1; });
    fuse_operations operations{};
    operations.init = begin;
    operations.getattr = get_attributes;
    operations.mkdir = make_folder;
    operations.rmdir = remove_name;
    operations.unlink = remove_name;
    operations.rename = rename_name;
    operations.open = open_node;
    operations.create = create_file;
    operations.opendir = open_node;
    operations.release = close_node;
    operations.releasedir = close_node;
    operations.readdir = read_folder;
    operations.read = read_file;
    operations.write = write_file;
    operations.truncate = truncate_file;
    operations.fallocate = reserve;
    operations.fsync = flush_node;
    operations.fsyncdir = flush_node;
    operations.chmod = change_mode;
    operations.utimens = change_times;
    char foreground[] = "-f", single_thread[] = "-s";
    char *arguments[] = {program, foreground, single_thread, mount_point};
    return fuse_main(4, arguments, &operations, nullptr);
}

}  // namespace
}  // namespace farlink::test

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: forgetful_fs MOUNTPOINT\n");
        return 2;
    }
    return farlink::test::run(arguments[0], arguments[1]);
}
