// SPDX-License-Identifier: Apache-2.0
// What a next hop's refusal means, and a budget of attempts for each bundle: when it is spent, the
// bundle waits, so that one that is always refused keeps no link busy.
// Owned by EgressCore; one thread.
// Only the bundles that were refused last are remembered; the others have their whole budget.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/buffer/ring.hpp"

namespace farlink::egress {

/// Why a bundle was not accepted by a next hop, as far as it matters here.
enum class NextHopRefusal : std::uint8_t {
    kHasIt,           ///< as good as an acknowledgement
    kNoRoom,          ///< later
    kAgain,           ///< at once, if need be
    kLinkEnds,        ///< later: the session ends; the bundle is not the reason
    kNotAcceptable,   ///< the bundle is bad for this neighbour
    kTooLarge,        ///< no refusal of the next hop: the link takes none of this size
    kUnacknowledged,  ///< it has not answered, however often the bundle was repeated
    kNotSent,         ///< no refusal: its session has ended, or has not begun the bundle
};

class RefusalBudget {
public:
    /// Counts one more refusal of the bundle with this arrival number; true when it was the last.
    /// `cost`: it counts as so many.
    [[nodiscard]] bool spend(std::uint64_t arrival, std::uint32_t cost = 1) {
        const auto [found, fresh] = refusals_.try_emplace(arrival, 0);
        if (fresh) {
            order_.push_back(arrival);
            if (order_.size() > kRemembered) refusals_.erase(order_.pop_front());
        }
        if ((found->second += cost) < kAttempts) return false;
        refusals_.erase(found);
        return true;
    }

    static constexpr std::uint32_t kAttempts = 5;
    /// Of an attempt without an answer, which has lasted long: the second one is the last.
    static constexpr std::uint32_t kCostOfSilence = 3;

private:
    static constexpr std::size_t kRemembered = 4096;

    std::unordered_map<std::uint64_t, std::uint32_t> refusals_;
    Ring<std::uint64_t> order_;  ///< those in refusals_ and some that have left it, oldest first
};

}  // namespace farlink::egress
