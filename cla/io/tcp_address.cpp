// SPDX-License-Identifier: Apache-2.0
#include "cla/io/tcp_address.hpp"

namespace farlink::cla {

using boost::asio::ip::tcp;

std::optional<tcp::endpoint> resolve_now(boost::asio::io_context &io, const config::LinkUrl &url,
                                         boost::system::error_code &error) {
    tcp::resolver resolver(io);
    const auto found =
        resolver.resolve(url.host, std::to_string(url.port), tcp::resolver::numeric_service, error);
    if (error || found.empty()) return std::nullopt;
    return found.begin()->endpoint();
}

// An IPv4 peer of a socket that takes both kinds shows as ::ffff:a.b.c.d; configurations have
// a.b.c.d.
std::string address_of_peer(const tcp::socket &socket) {
    boost::system::error_code error;
    boost::asio::ip::address address = socket.remote_endpoint(error).address();
    if (error) return {};
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
    return address.to_string();
}

}  // namespace farlink::cla
