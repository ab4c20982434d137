// SPDX-License-Identifier: Apache-2.0
#include "apps/control/control_client.hpp"

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
               "). Start it: `farlink --config FILE`, or `systemctl start farlink` where it is "
               "installed; `controlSocket` in its configuration names its socket. If it runs "
               "elsewhere: --socket, or --config with its configuration";
    if (error == EACCES || error == EPERM)
        return socket + ": " + reason() + ". Only the user of the node and root may connect";
    return socket + ": " + reason();
}

bool ready(int descriptor, short events) {
    pollfd waiting{descriptor, events, 0};
    return ::poll(&waiting, 1, kPatienceMs) == 1;
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
        return fail(
            config_file +
            ": has no `controlSocket`, so the node accepts no commands. Add `\"controlSocket\": "
            "\"farlink.sock\"` and restart the node");
    return config->control_socket;
}

Result<nlohmann::ordered_json, std::string> ask_node(const std::string &socket,
                                                     const nlohmann::ordered_json &request) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof address.sun_path)
        return fail(socket + ": the path of a socket has at most 107 octets");
    std::memcpy(address.sun_path, socket.data(), socket.size());
    const FileDescriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!descriptor) return fail(reason());
    // The address has one type for each family (POSIX sockets).
    const auto *target = reinterpret_cast<const sockaddr *>(&address);
    if (::connect(descriptor.get(), target, sizeof address) != 0) return fail(not_reached(socket));
    if (!send_all(descriptor.get(), request.dump() + '\n'))
        return fail(socket + ": request could not be sent");
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
