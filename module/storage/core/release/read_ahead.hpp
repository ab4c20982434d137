// SPDX-License-Identifier: Apache-2.0
// How much may be read for a link beyond what is lent to it, so that it never waits for the disk.
// Part of ReleaseLink; one thread.
// It follows the link's own rate: reading far ahead for a slow link would delay bundles of a higher
// priority.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/time.hpp"

namespace farlink::storage {

class ReadAhead {
public:
    /// The link is done with a bundle of `bytes`.
    void handle_done(std::uint64_t bytes, TimePoint now) {
        if (now - begin_ >= kPeriod) {
            before_ = now - begin_ < 2 * kPeriod ? done_ : 0;
            done_ = 0;
            begin_ = now;
        }
        done_ += bytes;
    }
    /// As much as the link can take in some periods, at most `limit`.
    [[nodiscard]] std::uint64_t bytes(std::uint64_t limit, TimePoint now) const {
        if (now - begin_ >= 2 * kPeriod) return 0;
        return std::min(limit, kPeriods * std::max(done_, before_));
    }

private:
    static constexpr Duration kPeriod = milliseconds(10);
    static constexpr std::uint64_t kPeriods = 4;

    TimePoint begin_{};         ///< of the period that goes on
    std::uint64_t done_ = 0;    ///< in it
    std::uint64_t before_ = 0;  ///< in the period before, if that was not long ago
};

}  // namespace farlink::storage
