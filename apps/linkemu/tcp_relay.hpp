// SPDX-License-Identifier: Apache-2.0
// Relays TCP connections to a target: octets are delayed, none is lost.
// Owned by main; lives on its loop and is called there only.
// Both ends have TCP connections with this machine: they see the delay, but neither loss nor
// congestion; for these use a TunRelay.
#pragma once

#include <boost/asio/io_context.hpp>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

struct TcpOptions {
    std::string listen;  ///< host:port; port 0: a free port
    std::string to;      ///< host:port
};

[[nodiscard]] RelayResult make_tcp_relay(boost::asio::io_context &io, const TcpOptions &options,
                                         const Profiles &profiles);

}  // namespace farlink::linkemu
