// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/control/control_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "common/config/fields/json_document.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::ctl {
namespace {

/// A node may take up to a minute for a ping.
constexpr int kPatienceMs = 75'000;
/// After so long a second request shows whether the node works at all.
constexpr int kProbeAfterMs = 4'000;
constexpr int kProbeMs = 4'000;
/// The reply to a contact plan of 16 MiB includes all defaults.
constexpr std::size_t kMostReplyBytes = 256 * 1024 * 1024;

std::string reason() {
    return std::generic_category().message(errno);
}

std::string not_reached(const std::string &socket) {
    const int error = errno;
    if (error == ENOENT || error == ECONNREFUSED)
        return socket + ": no node is running (" +
               (error == ENOENT ? "no such socket" : "connection refused") +
               "). Start the node with `farlink --config FILE`, or `systemctl start farlink` where "
               "farlink is installed. If the node uses another socket (`controlSocket` in its "
               "configuration), select it by --socket, or by --config";
    if (error == EACCES || error == EPERM)
        return socket + ": " + reason() + ". Only root and the user that runs the node may connect";
    return socket + ": " + reason();
}

bool ready(int descriptor, short events, int within_ms = kPatienceMs) {
    pollfd waiting{descriptor, events, 0};
    return ::poll(&waiting, 1, within_ms) == 1;
}

/// A connection to the socket; empty, with errno, when there is none.
FileDescriptor connect_to(const std::string &socket, int flags = 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.data(), socket.size());
    FileDescriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    if (!descriptor) return {};
    // The address has one type for each family (POSIX sockets).
    const auto *target = reinterpret_cast<const sockaddr *>(&address);
    if (::connect(descriptor.get(), target, sizeof address) != 0) return {};
    return descriptor;
}

/// Whether the node replies to anything: a request without a command gets an error at once.
bool is_alive(const std::string &socket) {
    // A process that accepts nothing may have a full queue of connections.
    const FileDescriptor probe = connect_to(socket, SOCK_NONBLOCK);
    if (!probe) return false;
    constexpr std::string_view kNothing = "{}\n";
    const auto sent =
        ::send(probe.get(), kNothing.data(), kNothing.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == static_cast<ssize_t>(kNothing.size()) && ready(probe.get(), POLLIN, kProbeMs);
}

/// " 1234": the process that listens at the other end; empty when that is not known.
std::string process_of(int descriptor) {
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return known && peer.pid > 0 ? ' ' + std::to_string(peer.pid) : std::string();
}

/// Waits until the reply comes, as long as the node works.
bool await_reply(int descriptor, const std::string &socket) {
    for (int waited = 0; waited < kPatienceMs; waited += kProbeAfterMs) {
        if (ready(descriptor, POLLIN, kProbeAfterMs)) return true;
        if (!is_alive(socket)) return ready(descriptor, POLLIN, 0);
    }
    return false;
}

bool send_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        if (!ready(descriptor, POLLOUT)) return false;
        const ssize_t sent =
            ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Reads one line; empty on a timeout or the end.
std::string receive_line(int descriptor) {
    std::string line;
    std::array<char, 65536> input{};
    while (line.size() < kMostReplyBytes && ready(descriptor, POLLIN)) {
        const ssize_t size = ::recv(descriptor, input.data(), input.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return {};
        line.append(input.data(), static_cast<std::size_t>(size));
        if (line.back() == '\n') return line;
    }
    return {};
}

}  // namespace

Result<std::string, std::string> socket_of(const std::string &config_file) {
    const auto config = config::load_node_config(config_file);
    if (!config) return fail(config.error().to_string());
    if (config->control_socket.empty())
        return fail(config_file +
                    ": no `controlSocket`: the node accepts no commands. Add `\"controlSocket\": "
                    "\"farlink.sock\"` and restart the node");
    return config->control_socket;
}

Result<nlohmann::ordered_json, std::string> ask_node(const std::string &socket,
                                                     const nlohmann::ordered_json &request) {
    return ask_node_in_text(socket, request.dump());
}

Result<nlohmann::ordered_json, std::string> ask_node_in_text(const std::string &socket,
                                                             std::string request) {
    if (socket.size() >= sizeof sockaddr_un{}.sun_path)
        return fail(socket + ": the path of a socket has at most 107 bytes");
    const FileDescriptor descriptor = connect_to(socket);
    if (!descriptor) return fail(not_reached(socket));
    if (!send_all(descriptor.get(), request += '\n'))
        return fail(socket + ": cannot send the request");
    if (!await_reply(descriptor.get(), socket))
        return fail(socket + ": the scheduler and the supervisor, in process" +
                    process_of(descriptor.get()) +
                    ", do not reply: the process hangs or is stopped; see its log");
    const std::string line = receive_line(descriptor.get());
    if (line.empty()) return fail(socket + ": no reply from the node");
    if (config::nested_too_deeply(line))
        return fail(socket + ": reply nested too deeply; it is not from a farlink node");
    auto reply = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!reply.is_object() || !reply.contains("ok"))
        return fail(socket + ": reply is not from a farlink node");
    return reply;
}

}  // namespace farlink::ctl
