// SPDX-License-Identifier: Apache-2.0
// Relays IP packets between two tun devices, usually in two network namespaces.
// Owned by main; lives on its loop and is called there only.
// Convergence layers over TCP then see loss and delay with the kernel's TCP at both ends.
#pragma once

#include <boost/asio/io_context.hpp>

#include "apps/linkemu/relay.hpp"
#include "apps/linkemu/tun_device.hpp"

namespace farlink::linkemu {

struct TunOptions {
    TunDevice near;
    TunDevice far;
};

[[nodiscard]] RelayResult make_tun_relay(boost::asio::io_context &io, const TunOptions &options,
                                         const Profiles &profiles);

}  // namespace farlink::linkemu
