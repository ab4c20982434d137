// SPDX-License-Identifier: Apache-2.0
// What all relays of linkemu share: two wires between two ends, one for each direction.
// Owned by main; lives on its loop and is called there only.
// "Forth" is the direction from the end that opens the conversation to the target.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/shared/emulation/wire_profile.hpp"
#include "common/base/result.hpp"

namespace farlink::linkemu {

struct Profiles {
    emulation::WireProfile forth;
    emulation::WireProfile back;
    std::uint64_t seed = 0;
};

/// Counters for the summary.
struct Totals {
    emulation::WireCounters forth;
    emulation::WireCounters back;
    std::uint64_t connections = 0;  ///< TCP connections relayed
    std::uint64_t unknown = 0;      ///< datagrams for the near end before its address was known
    std::uint64_t dropped = 0;      ///< by the kernel: socket buffer full
};

class Relay {
public:
    virtual ~Relay() = default;
    [[nodiscard]] virtual Totals totals() const = 0;
    /// "udp 127.0.0.1:4001 -> 127.0.0.1:4002", with the actual ports.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Its ports: the one it listens on, then the one towards the target.
    [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
};

/// A running relay, or an error.
using RelayResult = Result<std::unique_ptr<Relay>, std::string>;

}  // namespace farlink::linkemu
