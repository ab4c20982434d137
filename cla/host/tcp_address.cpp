// SPDX-License-Identifier: Apache-2.0
#include "cla/host/tcp_address.hpp"

#include <string>

namespace farlink::cla {

using boost::asio::ip::tcp;

std::optional<tcp::endpoint> resolve_now(boost::asio::io_context &io, const config::LinkUrl &url) {
    tcp::resolver resolver(io);
    boost::system::error_code error;
    const auto found =
        resolver.resolve(url.host, std::to_string(url.port), tcp::resolver::numeric_service, error);
    if (error || found.empty()) return std::nullopt;
    return found.begin()->endpoint();
}

}  // namespace farlink::cla
