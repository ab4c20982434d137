// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection of an application.
// A value.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace farlink::applications {

/// A user of this machine, as its kernel states it, or any peer on the loopback interface.
struct Identity {
    bool loopback = false;                ///< TCP: nothing proves who it is
    std::uint32_t user = 0;               ///< of the Unix socket's peer
    std::vector<std::uint32_t> groups{};  ///< likewise, the primary one first

    /// What shares limits.
    [[nodiscard]] std::string name() const {
        return loopback ? "loopback" : "uid " + std::to_string(user);
    }
};

}  // namespace farlink::applications
