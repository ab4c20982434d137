// SPDX-License-Identifier: Apache-2.0
// Relays datagrams between a near end, the last sender to the listening port, and a target.
// Owned by main; lives on its loop and is called there only.
// A second near end replaces the first: a wire has two ends.
#pragma once

#include <boost/asio/io_context.hpp>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

struct UdpOptions {
    std::string listen;  ///< host:port; port 0: a free port
    std::string to;      ///< host:port
    std::string from;    ///< local address towards the target, host:port; empty: a free port
    std::string near;    ///< the near end, host:port; empty: the first sender
    bool offload = true;
    std::uint64_t socket_buffer_bytes = 32 * 1024 * 1024;
};

[[nodiscard]] RelayResult make_udp_relay(boost::asio::io_context &io, const UdpOptions &options,
                                         const Profiles &profiles);

}  // namespace farlink::linkemu
