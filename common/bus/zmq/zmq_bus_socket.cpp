// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "common/bus/zmq/ipc_address.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bus {
namespace {

constexpr std::string_view kIpc = "ipc://";
/// Time to send the remaining messages after the module has ended.
constexpr int kLingerMs = 1000;
/// Pauses between attempts to connect to an absent process.
constexpr int kReconnectMinMs = 10;
constexpr int kReconnectMaxMs = 500;
/// Heartbeats detect a disconnected machine: their interval, the timeout of the answer, and the
/// time to live that the peer applies.
constexpr int kHeartbeatMs = 400;
constexpr int kHeartbeatTimeoutMs = 500;
constexpr int kHeartbeatTtlMs = 2000;
constexpr mode_t kOwnerOnly = 0600;

/// Returns the error or an empty text.
std::string bind(zmq::socket_t &socket, const std::string &address) {
    try {
        socket.bind(address);
        return {};
    } catch (const zmq::error_t &error) {
        return error.what();
    }
}

/// Whether a process listens at this path: ZeroMQ would silently take over the path.
bool somebody_listens(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return false;
    std::ranges::copy(path, address.sun_path);
    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) ==
           0;
}

/// Makes the file with mode 0600 from the beginning. Returns the error or an empty text.
std::string bind_ipc(zmq::socket_t &socket, const std::string &address) {
    if (somebody_listens(ipc_path(address))) return "another process listens on the socket";
    const mode_t before = ::umask(0777 & ~kOwnerOnly);
    std::string wrong = bind(socket, address);
    ::umask(before);
    return wrong;
}

std::string bind_tcp(zmq::socket_t &socket, const BusTopology &topology,
                     const std::string &address) {
    socket.set(zmq::sockopt::ipv6, true);
    if (topology.curve) {
        socket.set(zmq::sockopt::curve_server, true);
        socket.set(zmq::sockopt::curve_secretkey, topology.curve->secret_key);
        socket.set(zmq::sockopt::zap_domain, "farlink");
    }
    return bind(socket, address);
}

}  // namespace

std::string listen(zmq::socket_t &socket, const BusTopology &topology, AgentId module) {
    const std::string &address = topology.address(module);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvhwm, 0);
    // ZeroMQ would silently remove a file at the path.
    if (std::string wrong = wrong_ipc_address(address, module); !wrong.empty()) return wrong;
    const std::string wrong =
        ipc_path(address).empty() ? bind_tcp(socket, topology, address) : bind_ipc(socket, address);
    return wrong.empty() ? wrong : cannot_listen(address, module, wrong);
}

zmq::socket_t make_push(zmq::context_t &context, const BusTopology &topology, AgentId module,
                        int high_water_mark) {
    zmq::socket_t socket(context, zmq::socket_type::push);
    const std::string &address = topology.address(module);
    socket.set(zmq::sockopt::linger, kLingerMs);
    socket.set(zmq::sockopt::sndhwm, high_water_mark);
    socket.set(zmq::sockopt::reconnect_ivl, kReconnectMinMs);
    socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMs);
    // The kernel reports the end of a process at once.
    if (address.starts_with(kIpc)) return socket;
    socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
    socket.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
    socket.set(zmq::sockopt::heartbeat_ttl, kHeartbeatTtlMs);
    socket.set(zmq::sockopt::ipv6, true);
    if (topology.curve) {
        socket.set(zmq::sockopt::curve_serverkey, topology.curve->public_key);
        socket.set(zmq::sockopt::curve_publickey, topology.curve->public_key);
        socket.set(zmq::sockopt::curve_secretkey, topology.curve->secret_key);
    }
    return socket;
}

void drop_queued(zmq::socket_t &socket, const std::string &address) {
    socket.set(zmq::sockopt::linger, 0);
    socket.disconnect(address);
    socket.set(zmq::sockopt::linger, kLingerMs);
}

}  // namespace farlink::bus
