// SPDX-License-Identifier: Apache-2.0
// How long a link takes from getting bundles to their acknowledgement.
// Part of ReleaseLink; one thread.
// The shortest time counts, which is that of bundles that found no others before them. One batch at
// a time is watched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/base/time.hpp"

namespace farlink::storage {

class AnswerTime {
public:
    void handle_lent(std::uint64_t sequence, TimePoint now) {
        if (watched_ != 0) return;
        watched_ = sequence;
        lent_at_ = now;
    }
    void handle_back(std::uint64_t sequence, TimePoint now) {
        if (watched_ != sequence) return;
        watched_ = 0;
        shortest_ = std::min(shortest_.value_or(now - lent_at_), now - lent_at_);
    }
    /// Empty as long as nothing has come back.
    [[nodiscard]] std::optional<Duration> shortest() const { return shortest_; }

private:
    std::uint64_t watched_ = 0;  ///< sequence number of a batch; 0: none
    TimePoint lent_at_{};
    std::optional<Duration> shortest_;
};

}  // namespace farlink::storage
