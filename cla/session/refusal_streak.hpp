// SPDX-License-Identifier: Apache-2.0
// Counts how many bundles in a row a neighbour has refused without taking any.
// Owned by one session; one thread.
// The session with a neighbour that refuses every bundle ends, and the next one begins later. The
// fragments of a bundle are refused together: they count once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cla/api/link.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::cla {

class RefusalStreak {
public:
    /// These were given to the session.
    void handle_sent(std::span<const TxBundle> bundles) {
        for (const TxBundle &bundle : bundles) {
            if (!bundle.continues) continue;
            if (cut_.empty() || cut_.back().end != bundle.token)
                cut_.push_back({bundle.token - 1, bundle.token});
            ++cut_.back().end;
        }
    }
    /// The bundle `token` was refused; that the peer has it already is as good as taking it.
    void handle_refused(std::uint64_t token, Refusal refusal) {
        if (refusal == Refusal::kCompleted) return;
        refused_.push_back(token);
        // Neither is a judgement of the peer about the bundle: it was not asked, or it ends the
        // session.
        if (refusal == Refusal::kTooLarge || refusal == Refusal::kSessionTerminating) return;
        const std::uint64_t bundle = bundle_of(token);
        if (length_ == 0 || bundle != last_) ++length_;
        last_ = bundle;
    }
    /// Every bundle from `first` below `end` has its answer. True when one of them was taken.
    bool handle_transmitted(std::uint64_t first, std::uint64_t end) {
        while (!cut_.empty() && cut_.front().end <= end) (void)cut_.pop_front();
        const auto covered = std::erase_if(refused_, [end](std::uint64_t t) { return t < end; });
        if (end - first <= covered) return false;
        length_ = 0;
        return true;
    }
    [[nodiscard]] std::uint32_t length() const { return length_; }

private:
    /// The tokens of the fragments of one bundle.
    struct Cut {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };
    /// The first token of the bundle that this token is of.
    [[nodiscard]] std::uint64_t bundle_of(std::uint64_t token) const {
        for (std::size_t i = 0; i < cut_.size(); ++i)
            if (token >= cut_[i].first && token < cut_[i].end) return cut_[i].first;
        return token;
    }

    std::uint32_t length_ = 0;
    std::uint64_t last_ = 0;              ///< the bundle that was refused last
    std::vector<std::uint64_t> refused_;  ///< not yet covered by handle_transmitted()
    Ring<Cut> cut_;                       ///< the same, oldest first
};

}  // namespace farlink::cla
