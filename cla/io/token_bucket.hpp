// SPDX-License-Identifier: Apache-2.0
// A token bucket that holds a flow to a rate, smooth at one millisecond.
// Owned by one link; one thread.
// Integer arithmetic in units of one bit times one nanosecond a second, so that nothing drifts.
#pragma once

#include <cstdint>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::cla {

/// Holds at most what the rate gives in a millisecond (at least one byte). A bundle that is larger
/// may be taken whenever something is available: the bucket is then in debt, and nothing is
/// available until time has paid for it. So no bundle is too large, and the mean rate holds.
///
/// A busy machine wakes a waiting flow too late, and a bucket of a millisecond would then lose what
/// the rate gave meanwhile; so would one that is busy between waking up and sending. So a flow that
/// has waited calls catch_up() first: from then on, for ten milliseconds, that counts in full, up
/// to ten milliseconds. A flow that always has something to send loses nothing.
class TokenBucket {
public:
    /// `rate` in bits a second; 0: unlimited. The bucket begins full.
    explicit TokenBucket(BitRate rate = BitRate{});

    /// What is in the bucket, or owed, stays; the new rate holds from `now`.
    void set_rate(BitRate rate, TimePoint now);
    [[nodiscard]] BitRate rate() const { return BitRate{rate_}; }

    /// Bytes that may be sent now; the largest number when unlimited.
    [[nodiscard]] std::uint64_t available(TimePoint now) const;
    /// `bytes` are sent, however many are available.
    void take(std::uint64_t bytes, TimePoint now);
    /// Nothing was available since the last take(), and the flow has waited. What it does not take
    /// within ten milliseconds is lost.
    void catch_up(TimePoint now);
    /// When it is worth to ask again: `now` while something is available, otherwise when the bucket
    /// is half full, so that a fast link wakes up twice a millisecond and not for every byte.
    [[nodiscard]] TimePoint next_available(TimePoint now) const;

private:
    __extension__ using Wide = __int128;

    [[nodiscard]] Wide gain(Duration time) const { return static_cast<Wide>(rate_) * time.count(); }
    [[nodiscard]] Wide depth(TimePoint now) const;
    [[nodiscard]] Wide level_at(TimePoint now) const;

    std::uint64_t rate_;
    Wide level_;              ///< bits * 10^9; below 0: owed
    TimePoint filled_{};      ///< level_ is as of then
    TimePoint deep_until_{};  ///< until then the bucket holds what a late flow may catch up
};

}  // namespace farlink::cla
