// SPDX-License-Identifier: Apache-2.0
// Counts how many bundles in a row a neighbour has refused without taking any.
// Owned by one session; one thread.
// The session with a neighbour that refuses every bundle ends, and the next one begins later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cla/api/link.hpp"

namespace farlink::cla {

class RefusalStreak {
public:
    /// The bundle `token` was refused; that the peer has it already is as good as taking it.
    void handle_refused(std::uint64_t token, Refusal refusal) {
        if (refusal == Refusal::kCompleted) return;
        // The end of a session is no judgement of the bundle.
        if (refusal != Refusal::kSessionTerminating) ++length_;
        refused_.push_back(token);
    }
    /// Every bundle from `first` below `end` has its answer. True when one of them was taken.
    bool handle_transmitted(std::uint64_t first, std::uint64_t end) {
        const auto covered = std::erase_if(refused_, [end](std::uint64_t t) { return t < end; });
        if (end - first <= covered) return false;
        length_ = 0;
        return true;
    }
    [[nodiscard]] std::uint32_t length() const { return length_; }

private:
    std::uint32_t length_ = 0;
    std::vector<std::uint64_t> refused_;  ///< not yet covered by handle_transmitted()
};

}  // namespace farlink::cla
