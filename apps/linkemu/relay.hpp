// SPDX-License-Identifier: Apache-2.0
// What all relays of linkemu share: two wires between two ends, one for each direction.
// Owned by main; lives on its loop and is called there only.
// "Forth" leads from the end that opens the conversation to the one that is named as its target.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/emulation/wire_profile.hpp"
#include "common/base/result.hpp"

namespace farlink::linkemu {

struct Profiles {
    emulation::WireProfile forth;
    emulation::WireProfile back;
    std::uint64_t seed = 0;
};

/// What became of everything, for the summary.
struct Totals {
    emulation::WireCounters forth;
    emulation::WireCounters back;
    std::uint64_t connections = 0;  ///< TCP connections that were carried
    std::uint64_t unknown = 0;      ///< datagrams of nobody: the near end had not spoken yet
    std::uint64_t dropped = 0;      ///< by the kernel, for want of room in a socket
};

class Relay {
public:
    virtual ~Relay() = default;
    [[nodiscard]] virtual Totals totals() const = 0;
    /// "udp 127.0.0.1:4001 -> 127.0.0.1:4002", with the ports that the system chose.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Of its own: what is listened on, then what the target sees.
    [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
};

/// A relay at work, or why there is none.
using RelayResult = Result<std::unique_ptr<Relay>, std::string>;

}  // namespace farlink::linkemu
