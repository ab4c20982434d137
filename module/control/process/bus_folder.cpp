// SPDX-License-Identifier: Apache-2.0
#include "module/control/process/bus_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace farlink::control {
namespace {

constexpr char kPrefix[] = "farlink-";
constexpr char kLock[] = "lock";
/// The lock has this name until it is taken, so that a file named `lock` is free only when its
/// owner has ended.
constexpr char kNewLock[] = "lock.new";

std::string failed(const std::string &name) {
    return name + ": " + std::generic_category().message(errno);
}

// Processes that are started inherit it, so it is free when the last one of them has ended.
FileDescriptor make_lock(const std::filesystem::path &folder) {
    const std::string name = folder / kNewLock;
    FileDescriptor lock(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 ||
        ::rename(name.c_str(), (folder / kLock).c_str()) != 0)
        return FileDescriptor();
    return lock;
}

/// A folder of this user, not a link to one.
bool is_own_folder(const std::filesystem::path &path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid();
}

/// It has a lock that is free. A folder without a lock may belong to another program.
bool is_left_behind(const std::filesystem::path &folder) {
    const FileDescriptor lock(
        ::open((folder / kLock).c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_unused(const std::filesystem::path &place) {
    std::error_code ignored;
    for (std::filesystem::directory_iterator at(place, ignored), end; at != end;
         at.increment(ignored)) {
        const std::filesystem::path &path = at->path();
        if (!path.filename().string().starts_with(kPrefix)) continue;
        std::error_code kept;
        if (is_own_folder(path) && is_left_behind(path)) std::filesystem::remove_all(path, kept);
    }
}

}  // namespace

std::filesystem::path BusFolder::usual_place() {
    const char *session = std::getenv("XDG_RUNTIME_DIR");
    return session != nullptr && ::access(session, W_OK) == 0 ? session : "/tmp";
}

std::string BusFolder::open(const std::filesystem::path &place) {
    std::string name = place / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) return failed(name);
    path_ = name;
    lock_ = make_lock(path_);
    if (!lock_) return failed(path_ / kLock);
    remove_unused(place);
    return {};
}

BusFolder::~BusFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace farlink::control
