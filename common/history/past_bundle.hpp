// SPDX-License-Identifier: Apache-2.0
// A bundle that is no longer here, as the history records it.
// Values without behaviour.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/bundle_id.hpp"

namespace farlink::history {

/// What became of a bundle.
enum class Ending : std::uint8_t {
    kSent = 1,       ///< handed over to the next hop as its convergence layer promises
    kDelivered = 2,  ///< given to an application or a service of this node
    kExpired = 3,
    kDeleted = 4,
    kRefused = 5,  ///< on arrival: the neighbour keeps it
};
inline constexpr Ending kLastEnding = Ending::kRefused;

[[nodiscard]] constexpr std::string_view to_string(Ending ending) {
    switch (ending) {
        case Ending::kSent:
            return "sent";
        case Ending::kDelivered:
            return "delivered";
        case Ending::kExpired:
            return "expired";
        case Ending::kDeleted:
            return "deleted";
        case Ending::kRefused:
            return "refused";
    }
    return "unknown";
}

/// How a bundle ended, beside what the bundle itself states.
struct Passage {
    Ending ending = Ending::kSent;
    std::uint8_t reason = 0;  ///< of RFC 9171 section 9.5, as in a status report
    std::uint64_t size = 0;   ///< bytes of the whole bundle
    LinkId link = kNoLink;    ///< by which it left
    NodeNumber sender{};      ///< the neighbour it came from; 0: none, or not certain
    DtnTime time = 0;
};

/// One record of the history.
struct PastBundle {
    bp::BundleId id;
    std::uint8_t version = 7;
    bp::Eid destination;
    std::optional<std::uint8_t> hops;  ///< the count of its hop count block, as far as recorded
    /// Names of scheme `dtn` that are longer than the history keeps.
    bool cut_names = false;
    Passage passage;
};

}  // namespace farlink::history
