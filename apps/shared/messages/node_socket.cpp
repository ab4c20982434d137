// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/node_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farlink/client/address.hpp>
#include <system_error>
#include <vector>

#include "apps/shared/control/local_node.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::messages {
namespace {

namespace fs = std::filesystem;

Result<std::string, std::string> socket_in(const std::string &config_file) {
    const auto config = config::load_node_config(config_file);
    if (!config) return fail(config.error().to_string());
    return config->applications.socket;
}

NoNode not_reached(const std::string &path, int error) {
    if (error == ENOENT || error == ECONNREFUSED)
        return {path + ": no node is running (" +
                    (error == ENOENT ? "no such socket" : "connection refused") +
                    "). Start the node with `farlink --config FILE`. If the node uses another "
                    "socket (`applications.socket` in its configuration), select it by --node",
                true};
    if (error == EACCES || error == EPERM)
        return {path +
                    ": permission denied. The group of the socket may connect (`socketGroup` in "
                    "the node's `applications`)",
                false};
    return {path + ": " + std::generic_category().message(error), false};
}

}  // namespace

Places places() {
    const char *const chosen = std::getenv("FARLINK_APPLICATIONS");
    return {.environment = chosen == nullptr ? "" : chosen};
}

Result<std::string, NoNode> node_socket(const std::string &given, const Places &where) {
    if (!given.empty()) return given;
    if (!where.environment.empty()) return where.environment;
    std::error_code error;
    if (fs::is_socket(where.usual, error)) return where.usual;
    const std::vector<std::string> sockets = ctl::sockets_of_own_nodes(where.processes, socket_in);
    if (sockets.size() == 1) return sockets.front();
    if (sockets.empty())
        return fail(
            NoNode{"no running node for applications found: no such socket: " + where.usual +
                       ", and this user runs no node with `applications.socket`. Start a node with "
                       "`farlink --config FILE`, or select one by --node",
                   true});
    std::string words = "several nodes are running; select one:";
    for (const std::string &socket : sockets) words += "\n  --node " + socket;
    return fail(NoNode{std::move(words), false});
}

Result<std::string, NoNode> try_socket(const std::string &address) {
    const auto parsed = client::parse_address(address);
    if (!parsed) return fail(NoNode{"not an address: " + address, false});
    if (parsed->path.empty()) return address;
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
