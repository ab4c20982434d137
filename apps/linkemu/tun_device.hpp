// SPDX-License-Identifier: Apache-2.0
// Creates a tun device in a network namespace: an interface whose packets this process reads and
// writes. Closing its descriptor removes the device.
// Plain functions at the start of the program, which needs CAP_NET_ADMIN there.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace farlink::linkemu {

struct TunDevice {
    std::string network_namespace;  ///< a name of `ip netns`, or a path; empty: this one
    std::string name;               ///< of the interface; empty: the system chooses
    std::string address;            ///< IPv4 "10.0.0.1/24"; empty: none is set
    std::uint32_t mtu_bytes = 1500;
};

/// Returns a non-blocking descriptor; the interface is up.
[[nodiscard]] Result<int, std::string> open_tun(const TunDevice &device);

}  // namespace farlink::linkemu
