// SPDX-License-Identifier: Apache-2.0
// The contact plan of a small lunar network, of any length: a rover, a relay that orbits the Moon,
// a spacecraft in low Earth orbit, two ground stations and a control centre.
// Plain functions and constants; any thread.
// All orbits are circles; the tests need contacts that end, overlap and are hidden.
#pragma once

#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::sim {

inline constexpr NodeNumber kRover{10};
inline constexpr NodeNumber kRelay{11};
inline constexpr NodeNumber kOrbiter{12};  ///< in low Earth orbit
inline constexpr NodeNumber kWest{21};     ///< ground stations
inline constexpr NodeNumber kEast{22};
inline constexpr NodeNumber kControl{30};

/// The destination of bundles for a node: an application beside it.
[[nodiscard]] constexpr NodeNumber application_of(NodeNumber node) {
    return NodeNumber{node.value() + 100};
}

/// One line of sight between two nodes, with the rate of each direction.
struct Sight {
    NodeNumber one;
    NodeNumber other;
    BitRate forth;  ///< from `one` to `other`
    BitRate back;
    Duration owlt{};
};

inline constexpr BitRate kMegabit{1'000'000};
inline constexpr Sight kRoverRelay{kRover, kRelay, BitRate{4'000'000}, kMegabit, milliseconds(20)};
inline constexpr Sight kRelayWest{kRelay, kWest, BitRate{20'000'000}, kMegabit, milliseconds(1280)};
inline constexpr Sight kRelayEast{kRelay, kEast, BitRate{20'000'000}, kMegabit, milliseconds(1290)};
inline constexpr Sight kOrbiterRelay{kOrbiter, kRelay, BitRate{500'000}, BitRate{500'000},
                                     milliseconds(1285)};
inline constexpr Sight kOrbiterWest{kOrbiter, kWest, BitRate{50'000'000}, kMegabit,
                                    milliseconds(5)};
inline constexpr Sight kOrbiterEast{kOrbiter, kEast, BitRate{50'000'000}, kMegabit,
                                    milliseconds(5)};
inline constexpr Sight kWestControl{kWest, kControl, BitRate{100'000'000}, BitRate{100'000'000},
                                    milliseconds(30)};
inline constexpr Sight kEastControl{kEast, kControl, BitRate{100'000'000}, BitRate{100'000'000},
                                    milliseconds(40)};
inline constexpr Sight kSights[] = {kRoverRelay,  kRelayWest,   kRelayEast,   kOrbiterRelay,
                                    kOrbiterWest, kOrbiterEast, kWestControl, kEastControl};

/// Contacts from `start` on, for `length_s` seconds, both ways; `margin` shortens each at both
/// ends, for delays that a search for routes does not include.
[[nodiscard]] std::vector<bus::Contact> lunar_plan(DtnTime start, std::uint64_t length_s,
                                                   Duration margin = {});

}  // namespace farlink::sim
