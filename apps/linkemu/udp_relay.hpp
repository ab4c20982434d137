// SPDX-License-Identifier: Apache-2.0
// Carries datagrams between a near end, whoever sends to the port that is listened on, and a
// target. Owned by main; lives on its loop and is called there only. A second near end takes the
// place of the first: a wire has two ends.
#pragma once

#include <boost/asio/io_context.hpp>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

struct UdpOptions {
    std::string listen;  ///< host:port; port 0: the system chooses
    std::string to;      ///< host:port
    std::string from;    ///< what the target sees as its peer, host:port; empty: the system chooses
    std::string near;    ///< the near end, host:port; empty: whoever speaks first
    bool offload = true;
    std::uint64_t socket_buffer_bytes = 32 * 1024 * 1024;
};

[[nodiscard]] RelayResult make_udp_relay(boost::asio::io_context &io, const UdpOptions &options,
                                         const Profiles &profiles);

}  // namespace farlink::linkemu
