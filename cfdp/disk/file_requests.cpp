// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/file_requests.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"

namespace farlink::cfdp {
namespace {

constexpr mode_t kMadeFileMode = 0640;
constexpr mode_t kMadeFolderMode = 0750;
constexpr mode_t kPermissionBits = 0777;
constexpr std::size_t kCopiedAtOnce = 64UL * 1024 * 1024;
constexpr const char *kBesideName = "new-request";

/// Where a name leads: its folder, open, and its last part.
struct Place {
    FileDescriptor folder;
    std::string last;

    [[nodiscard]] int at() const { return folder.get(); }
    [[nodiscard]] const char *name() const { return last.c_str(); }
    /// Whether a file of this kind (S_IFREG, S_IFDIR) is there.
    [[nodiscard]] bool has(mode_t kind) const {
        struct stat status{};
        return ::fstatat(at(), name(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               (status.st_mode & S_IFMT) == kind;
    }
    [[nodiscard]] bool is_taken() const {
        struct stat status{};
        return ::fstatat(at(), name(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    }
};

/// EINVAL: the name leads out of the folder.
Result<Place, int> place_of(const files::TargetFolder &root, const std::string &folder,
                            const std::string &name) {
    if (!files::wrong_name(name).empty()) return fail(EINVAL);
    const std::string path = folder + '/' + name;
    auto above = root.read(files::folder_of(path));
    if (!above) return fail(above.error());
    return Place{std::move(*above), std::string(files::last_part_of(path))};
}

FilestoreResult flushed(const Place &place) {
    return ::fsync(place.at()) == 0 ? FilestoreResult::kDone : FilestoreResult::kRefused;
}

FilestoreResult create(const Place &place) {
    const FileDescriptor file(::openat(place.at(), place.name(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                       kMadeFileMode));
    if (file) return flushed(place);
    return errno == EEXIST ? FilestoreResult::kExists : FilestoreResult::kRefused;
}

FilestoreResult create_folder(const Place &place) {
    if (::mkdirat(place.at(), place.name(), kMadeFolderMode) == 0) return flushed(place);
    return errno == EEXIST ? FilestoreResult::kExists : FilestoreResult::kRefused;
}

FilestoreResult remove(const Place &place, mode_t kind) {
    if (!place.is_taken()) return FilestoreResult::kFirstMissing;
    if (!place.has(kind)) return FilestoreResult::kRefused;
    if (::unlinkat(place.at(), place.name(), kind == S_IFDIR ? AT_REMOVEDIR : 0) == 0)
        return flushed(place);
    return errno == ENOENT ? FilestoreResult::kFirstMissing : FilestoreResult::kRefused;
}

FilestoreResult rename(const Place &from, const Place &to) {
    if (!from.has(S_IFREG)) return FilestoreResult::kFirstMissing;
    if (::renameat2(from.at(), from.name(), to.at(), to.name(), RENAME_NOREPLACE) != 0)
        return errno == EEXIST ? FilestoreResult::kExists : FilestoreResult::kRefused;
    return std::max(flushed(to), flushed(from));
}

FileDescriptor open_file(const Place &place) {
    return FileDescriptor(
        ::openat(place.at(), place.name(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

/// 0, or the error.
int copy_behind(int to, int from) {
    for (;;) {
        const ssize_t copied = ::copy_file_range(from, nullptr, to, nullptr, kCopiedAtOnce, 0);
        if (copied == 0) return 0;
        if (copied < 0 && errno != EINTR) return errno;
    }
}

/// The file made of others takes the place of the first one: a cut leaves the old or the new one.
FilestoreResult combine(const EntityState &state, const Place &first, const Place &second,
                        bool append) {
    if (!first.has(S_IFREG)) return FilestoreResult::kFirstMissing;
    if (!second.has(S_IFREG)) return FilestoreResult::kSecondMissing;
    const FileDescriptor old = open_file(first);
    const FileDescriptor more = open_file(second);
    const FileDescriptor made(::openat(state.descriptor(), kBesideName,
                                       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                                       kMadeFileMode));
    struct stat status{};
    if (!old || !more || !made || ::fstat(old.get(), &status) != 0)
        return FilestoreResult::kRefused;
    const bool done = (!append || copy_behind(made.get(), old.get()) == 0) &&
                      copy_behind(made.get(), more.get()) == 0 &&
                      ::fchmod(made.get(), status.st_mode & kPermissionBits) == 0 &&
                      ::fsync(made.get()) == 0 &&
                      ::renameat(state.descriptor(), kBesideName, first.at(), first.name()) == 0;
    if (done) return flushed(first);
    ::unlinkat(state.descriptor(), kBesideName, 0);
    return FilestoreResult::kRefused;
}

FilestoreResult run_at(const Place &place, FilestoreRequest::Action action) {
    using enum FilestoreRequest::Action;
    switch (action) {
        case kCreate:
            return create(place);
        case kCreateFolder:
            return create_folder(place);
        case kDelete:
        case kDenyFile:
            return remove(place, S_IFREG);
        case kRemoveFolder:
        case kDenyFolder:
            return remove(place, S_IFDIR);
        default:
            return FilestoreResult::kNotPerformed;
    }
}

FilestoreResult run_between(const EntityState &state, const Place &first, const Place &second,
                            FilestoreRequest::Action action) {
    if (action == FilestoreRequest::Action::kRename) return rename(first, second);
    return combine(state, first, second, action == FilestoreRequest::Action::kAppend);
}

bool is_missing(int error) {
    return error == ENOENT || error == ENOTDIR;
}

std::string line_of(const struct stat &status, std::string_view name) {
    const char *const kind = S_ISREG(status.st_mode)   ? "file "
                             : S_ISDIR(status.st_mode) ? "folder "
                                                       : "other ";
    return kind + std::to_string(S_ISREG(status.st_mode) ? status.st_size : 0) + ' ' +
           std::to_string(status.st_mtim.tv_sec) + ' ' + files::printable(name) + '\n';
}

}  // namespace

FilestoreResult run_file_request(const files::TargetFolder &root, const EntityState &state,
                                 const std::string &folder, const FilestoreRequest &request) {
    const auto first = place_of(root, folder, request.first_name);
    if (!first)
        return is_missing(first.error()) ? FilestoreResult::kFirstMissing
                                         : FilestoreResult::kRefused;
    if (!has_second_name(request.action)) return run_at(*first, request.action);
    const auto second = place_of(root, folder, request.second_name);
    if (!second)
        return is_missing(second.error()) ? FilestoreResult::kSecondMissing
                                          : FilestoreResult::kRefused;
    return run_between(state, *first, *second, request.action);
}

Result<std::string, FileFault> list_folder(const files::TargetFolder &root,
                                           const std::string &folder, const std::string &name) {
    const bool whole = name.empty() || name == ".";
    if (!whole && !files::wrong_name(name).empty()) return fail(FileFault::kName);
    const auto opened = root.read(whole ? folder : folder + '/' + name);
    struct stat status{};
    if (!opened || ::fstat(opened->get(), &status) != 0 || !S_ISDIR(status.st_mode))
        return fail(FileFault::kName);
    std::vector<std::string> names = files::names_in(opened->get());
    std::ranges::sort(names);
    std::string lines;
    for (const std::string &each : names) {
        if (each == "." || each == "..") continue;
        if (::fstatat(opened->get(), each.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        lines += line_of(status, each);
        if (lines.size() > kLongestListing) return fail(FileFault::kNoSpace);
    }
    return lines;
}

}  // namespace farlink::cfdp
