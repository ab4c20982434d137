// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/bus_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace farlink::app {
namespace {

constexpr char kPrefix[] = "farlink-";
constexpr char kLock[] = "lock";
/// The lock has this name until it is held, so that what is called `lock` is never free by chance.
constexpr char kNewLock[] = "lock.new";

[[noreturn]] void throw_errno(const std::string &name) {
    throw std::system_error(errno, std::generic_category(), name);
}

std::filesystem::path make_folder(const std::filesystem::path &place) {
    std::string name = place / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) throw_errno(name);
    return name;
}

// The processes that are started inherit it, so that it is free when the last one of them is gone.
FileDescriptor make_lock(const std::filesystem::path &folder) {
    const std::string name = folder / kNewLock;
    FileDescriptor lock(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 ||
        ::rename(name.c_str(), (folder / kLock).c_str()) != 0)
        throw_errno(name);
    return lock;
}

/// A folder of this user's, and no link to one.
bool is_own_folder(const std::filesystem::path &path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid();
}

/// It was in use, and is not. One without a lock may be anybody's.
bool is_left_behind(const std::filesystem::path &folder) {
    const FileDescriptor lock(
        ::open((folder / kLock).c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void clear_away(const std::filesystem::path &place) {
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

BusFolder::BusFolder(const std::filesystem::path &place)
    : path_(make_folder(place)), lock_(make_lock(path_)) {
    clear_away(place);
}

BusFolder::~BusFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace farlink::app
