// SPDX-License-Identifier: Apache-2.0
// Bundles in a routing loop, which wait before they are sent again: a second the first time, twice
// as long each time they come back.
// Owned by StorageContext; one thread.
// How often a bundle has come back is remembered for the last of them; a bundle that is forgotten
// begins with a second again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/base/siphash.hpp"
#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::storage {

class LoopingBundles {
public:
    static constexpr Duration kFirstPause = seconds(1);
    /// 17 minutes is the longest pause.
    static constexpr unsigned kMostDoublings = 10;
    /// At about 100 bytes each.
    static constexpr std::size_t kRemembered = 65'536;

    /// The entry with this handle waits from now on.
    void add(const Hash128 &identity, std::uint64_t handle, TimePoint now) {
        const auto [place, fresh] = times_.try_emplace(identity, 0U);
        if (fresh) {
            order_.push_back(identity);
            if (order_.size() > kRemembered) times_.erase(order_.pop_front());
        }
        due_.emplace(now + kFirstPause * (1U << place->second), handle);
        place->second = std::min(place->second + 1, kMostDoublings);
    }
    /// The next whose pause is over; it may have gone meanwhile.
    [[nodiscard]] std::optional<std::uint64_t> poll(TimePoint now) {
        if (due_.empty() || due_.begin()->first > now) return std::nullopt;
        const std::uint64_t handle = due_.begin()->second;
        due_.erase(due_.begin());
        return handle;
    }
    /// Ends the pauses of those for which `ends(handle)` is true.
    template <class Ends>
    void end_pauses(Ends &&ends) {
        std::multimap<TimePoint, std::uint64_t> due;
        for (const auto &[time, handle] : due_)
            due.emplace(ends(handle) ? TimePoint{} : time, handle);
        due_ = std::move(due);
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return due_.empty() ? kNever : due_.begin()->first;
    }

private:
    struct IdentityHash {
        std::size_t operator()(const Hash128 &identity) const { return identity.low; }
    };

    std::multimap<TimePoint, std::uint64_t> due_;
    std::unordered_map<Hash128, unsigned, IdentityHash> times_;
    Ring<Hash128> order_;  ///< of times_, oldest first
};

}  // namespace farlink::storage
