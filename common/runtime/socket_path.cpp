// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/socket_path.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "common/runtime/file_descriptor.hpp"

namespace farlink {
namespace {

/// A process that accepts nothing may have a full queue of connections: it listens all the same.
bool is_listened_at(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The address has one type for each family (POSIX sockets).
    const auto *target = reinterpret_cast<const sockaddr *>(&address);
    return probe && (::connect(probe.get(), target, sizeof address) == 0 || errno == EAGAIN);
}

}  // namespace

std::string socket_folder(const std::string &path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string wrong_socket_path(const std::string &path) {
    if (std::string wrong = wrong_socket_name(path); !wrong.empty()) return wrong;
    const std::string folder = socket_folder(path);
    struct stat found{};
    if (::stat(folder.c_str(), &found) != 0 && errno == ENOENT)
        return path + ": the folder does not exist; create it, or choose another path";
    // The slash distinguishes a folder from a file.
    if (::faccessat(AT_FDCWD, (folder + "/").c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        return path +
               ": no socket can be made in the folder: " + std::generic_category().message(errno);
    return {};
}

std::string wrong_socket_name(const std::string &path) {
    if (path.size() >= sizeof(sockaddr_un{}.sun_path))
        return path + ": " + std::to_string(path.size()) +
               " bytes; the path of a socket has at most 107 bytes";
    struct stat found{};
    if (::lstat(path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode))
        return path + ": the path exists and is not a socket; remove it, or choose another path";
    return {};
}

std::string make_room_for_socket(const std::string &path) {
    if (std::string wrong = wrong_socket_path(path); !wrong.empty()) return wrong;
    if (is_listened_at(path)) return path + ": in use by another process";
    struct stat found{};
    if (::lstat(path.c_str(), &found) == 0) ::unlink(path.c_str());
    return {};
}

}  // namespace farlink
