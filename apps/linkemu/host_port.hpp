// SPDX-License-Identifier: Apache-2.0
// Reads "host:port" or "[address]:port", and resolves the host; blocks the caller.
// Plain functions at the start of the program.
// Any thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>

#include "common/base/result.hpp"

namespace farlink::linkemu {

struct HostPort {
    std::string host;
    std::string port;
};

[[nodiscard]] Result<HostPort, std::string> parse_host_port(const std::string &text);

/// The first endpoint of the name, of Protocol (boost::asio::ip::udp or tcp).
template <class Protocol>
[[nodiscard]] Result<typename Protocol::endpoint, std::string> resolve(boost::asio::io_context &io,
                                                                       const std::string &text) {
    const auto parsed = parse_host_port(text);
    if (!parsed) return fail(parsed.error());
    boost::system::error_code error;
    typename Protocol::resolver resolver(io);
    const auto found = resolver.resolve(parsed->host, parsed->port, error);
    if (error || found.empty()) return fail(text + ": " + error.message());
    return found.begin()->endpoint();
}

}  // namespace farlink::linkemu
