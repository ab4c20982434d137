// SPDX-License-Identifier: Apache-2.0
// How fast a peer is sent to whose rate nobody has told: as fast as it goes, until its reports show
// that bursts are lost.
// Owned by the peer's record; one thread.
// Lost bursts, and not lost datagrams, are what too small a buffer does, so only large gaps count.
#pragma once

#include "cla/ltp/core/segment.hpp"
#include "common/base/types.hpp"

namespace farlink::cla::ltp {

/// What a report says of the octets that it is about.
struct ReportedGaps {
    std::uint64_t octets = 0;
    std::uint64_t missing = 0;
    std::uint64_t largest = 0;  ///< of the gaps
};
[[nodiscard]] ReportedGaps gaps_of(const ReportFields &report);

/// unlimited ──large gaps──► kFirst ──large gaps──► half, once a round trip, not below kLeast
///     ▲                        │
///     └── above kFreely ◄── a quarter more every kStep in which much came through and without
///     large
///                           gaps; near the rate that was too much, a 32nd more
class PaceControl {
public:
    static constexpr BitRate kFirst{100'000'000};
    static constexpr BitRate kLeast{1'000'000};
    static constexpr BitRate kFreely{10'000'000'000};
    static constexpr Duration kStep = milliseconds(100);
    /// A gap of so many segments in a row is large, or any gaps of more than half of that many.
    static constexpr std::uint64_t kLargeGap = 16;

    /// 0: as fast as it goes.
    [[nodiscard]] BitRate rate() const { return rate_; }
    /// `round`: in which what was sent before has been answered.
    void handle_report(const ReportedGaps &gaps, std::uint64_t segment, Duration round,
                       TimePoint at);

private:
    void fall(Duration round, TimePoint at);
    void rise(TimePoint at);

    BitRate rate_{};
    BitRate too_much_ = kFreely;  ///< the rate of the last fall
    TimePoint fallen_until_{};    ///< what is reported before was sent at the former rate
    TimePoint rises_at_{};
    std::uint64_t came_through_ = 0;  ///< octets, since it rose
};

}  // namespace farlink::cla::ltp
