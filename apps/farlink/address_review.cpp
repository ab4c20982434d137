// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/address_review.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <utility>

#include "cla/io/tcp_address.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/link/links_together.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/config/operations/api_fields.hpp"

namespace farlink::app {
namespace {

namespace asio = boost::asio;

/// Ports below take a privilege, unless the system is set otherwise.
constexpr std::uint16_t kFirstFreePort = 1024;

/// Why the address cannot be bound. Any port will do, so that one in use does not matter; a port
/// that may take a privilege must be tried itself.
template <class Protocol>
boost::system::error_code try_to_bind(const asio::ip::address &address, std::uint16_t port) {
    asio::io_context io;
    const bool privileged = port < kFirstFreePort;
    const typename Protocol::endpoint endpoint(address, privileged ? port : std::uint16_t{0});
    typename Protocol::socket socket(io);
    boost::system::error_code error;
    socket.open(endpoint.protocol(), error);
    if (!error) socket.bind(endpoint, error);
    return error == asio::error::address_in_use ? boost::system::error_code() : error;
}

bool is_datagram(const config::LinkUrl &url) {
    return url.scheme == "udp" || url.scheme == "ltp";
}

/// `address` becomes that of the host.
boost::system::error_code try_to_listen(const config::LinkUrl &url, std::string &address) {
    asio::io_context io;
    boost::system::error_code error;
    const auto endpoint = cla::resolve_now(io, url, error);
    if (!endpoint) return error;
    address = endpoint->address().to_string();
    return is_datagram(url) ? try_to_bind<asio::ip::udp>(endpoint->address(), url.port)
                            : try_to_bind<asio::ip::tcp>(endpoint->address(), url.port);
}

struct Listener {
    std::string key;
    config::LinkUrl url;
    std::string address;  ///< that of its host
};

/// Whether one address has two names; two spellings of it are an error of the configuration.
bool collide(const Listener &one, const Listener &other) {
    return one.url.port != 0 && one.url.port == other.url.port &&
           is_datagram(one.url) == is_datagram(other.url) &&
           config::same_address(one.address, other.address);
}

}  // namespace

std::vector<std::string> warn_of_addresses(const config::NodeConfig &config,
                                           const ModuleChoice &choice) {
    std::vector<std::string> lines;
    std::vector<Listener> listeners;
    const auto look = [&](const std::string &key, const std::string &shown,
                          const config::LinkUrl &url) {
        Listener listener{key, url, {}};
        if (const auto error = try_to_listen(url, listener.address))
            return lines.push_back(key + ": cannot listen on " + shown + ": " + error.message() +
                                   "; on this machine, as this user, the node does not start");
        for (const Listener &other : listeners)
            if (collide(listener, other))
                lines.push_back(key + ": " + shown + " is the address of " + other.key +
                                "; on this machine, the node does not start");
        listeners.push_back(std::move(listener));
    };
    const auto look_at = [&](const std::string &key, const std::string &text) {
        if (const auto listen = config::parse_listen(text))
            look(key, text, {"tcp", listen->address, listen->port, {}});
    };
    // Those of another instance may be on another machine.
    const config::LinkPlacement placement(config);
    for (std::size_t at = 0; at < config.inducts.size(); ++at) {
        const config::InductConfig &induct = config.inducts[at];
        const std::size_t instance = placement.instance_of(induct.id);
        if (choice.has(bus::instance_at(bus::AgentId::kIngress, instance)))
            look("inductsConfig[" + std::to_string(at) + "].url", config::to_string(induct.url),
                 induct.url);
    }
    if (choice.has(bus::AgentId::kTelemetry)) look_at("api.listen", config.api.listen);
    if (choice.has(bus::AgentId::kApplications))
        look_at("applications.listen", config.applications.listen);
    return lines;
}

}  // namespace farlink::app
