// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/node_socket.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farlink/client/address.hpp>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/shared/control/local_node.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::messages {
namespace {

using std::chrono::milliseconds;

/// A TCP address has this time even where no time is left.
constexpr milliseconds kShortestTry{100};
constexpr milliseconds kLongestTry{1'000'000};

Result<std::string, std::string> socket_in(const std::string &config_file) {
    const auto config = config::load_node_config(config_file);
    if (!config) return fail(config.error().to_string());
    return config->applications.socket;
}

/// `place`: what an application connects to, with its key.
NoNode not_running(const std::string &address, const std::string &reason,
                   const std::string &place) {
    return {address + ": no node is running (" + reason +
                "). Start the node with `farlink --config FILE`. If the node uses another " +
                place + " in its configuration), select it by --node",
            true};
}

NoNode not_reached(const std::string &path, int error) {
    if (error == ENOENT || error == ECONNREFUSED)
        return not_running(path, error == ENOENT ? "no such socket" : "connection refused",
                           "socket (`applications.socket`");
    if (error == EACCES || error == EPERM)
        return {path +
                    ": permission denied. The group of the socket may connect (`socketGroup` in "
                    "the node's `applications`)",
                false};
    return {path + ": " + std::generic_category().message(error), false};
}

/// The error of a connection, which is closed again; 0: none.
int connect_and_close(const addrinfo &to, milliseconds limit) {
    const FileDescriptor probe(
        ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!probe) return errno;
    if (::connect(probe.get(), to.ai_addr, to.ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    pollfd polled{probe.get(), POLLOUT, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(limit.count()));
    if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(probe.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

Result<std::string, NoNode> try_tcp(const std::string &address, const client::Address &parsed,
                                    milliseconds limit) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    const int unknown =
        ::getaddrinfo(parsed.host.c_str(), std::to_string(parsed.port).c_str(), &hints, &found);
    if (unknown != 0) return fail(NoNode{address + ": " + ::gai_strerror(unknown), true});
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    int error = 0;
    for (; found != nullptr; found = found->ai_next) {
        error = connect_and_close(*found, std::clamp(limit, kShortestTry, kLongestTry));
        if (error == 0) return address;
    }
    if (error == ECONNREFUSED)
        return fail(not_running(address, "connection refused", "address (`applications.listen`"));
    return fail(NoNode{address + ": " + std::generic_category().message(error), true});
}

}  // namespace

Places places() {
    const char *const chosen = std::getenv("FARLINK_APPLICATIONS");
    return {.environment = chosen == nullptr ? "" : chosen};
}

Result<std::string, NoNode> node_socket(const std::string &given, const Places &where,
                                        std::string *note) {
    if (!given.empty()) return given;
    if (!where.environment.empty()) return where.environment;
    const std::vector<std::string> sockets = ctl::sockets_of_own_nodes(where.processes, socket_in);
    if (auto chosen = ctl::choose_socket(where.usual, sockets, "--node")) {
        if (note != nullptr) *note = std::move(chosen->note);
        return std::move(chosen->socket);
    }
    if (sockets.empty())
        return fail(
            NoNode{"no running node for applications found: no such socket: " + where.usual +
                       ", and this user runs no node with `applications.socket`. Start a node with "
                       "`farlink --config FILE`, or select one by --node",
                   true});
    return fail(NoNode{
        "several nodes are running; select one:" + ctl::choices_text(sockets, "--node"), false});
}

Result<std::string, NoNode> try_socket(const std::string &address, milliseconds limit) {
    const auto parsed = client::parse_address(address);
    if (!parsed) return fail(NoNode{"not an address: " + address, false});
    if (parsed->path.empty()) return try_tcp(address, *parsed, limit);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (parsed->path.size() >= sizeof to.sun_path)
        return fail(NoNode{parsed->path + ": the path of a socket has at most 107 bytes", false});
    std::memcpy(to.sun_path, parsed->path.c_str(), parsed->path.size() + 1);
    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // The address has one type for each family (POSIX sockets).
    const auto *target = reinterpret_cast<const sockaddr *>(&to);
    if (::connect(probe.get(), target, sizeof to) == 0) return address;
    return fail(not_reached(parsed->path, errno));
}

}  // namespace farlink::messages
