// SPDX-License-Identifier: Apache-2.0
// Carries TCP connections to a target: each octet arrives later, none is lost.
// Owned by main; lives on its loop and is called there only.
// Both ends talk TCP with this machine, so that they notice the delay but neither loss nor
// congestion: a TunRelay shows them these.
#pragma once

#include <boost/asio/io_context.hpp>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

struct TcpOptions {
    std::string listen;  ///< host:port; port 0: the system chooses
    std::string to;      ///< host:port
};

[[nodiscard]] RelayResult make_tcp_relay(boost::asio::io_context &io, const TcpOptions &options,
                                         const Profiles &profiles);

}  // namespace farlink::linkemu
