// SPDX-License-Identifier: Apache-2.0
// How fast a peer is sent to whose rate nobody has told: slowly at first, and twice as fast after
// each round in which what was sent has arrived, until its reports show that more is lost.
// Owned by the peer's record; one thread.
// Lost bursts, and not lost datagrams, are what too small a buffer does: large gaps count, and a
// loss that comes with a higher rate and goes with a lower one.
#pragma once

#include "cla/ltp/core/codec/segment.hpp"
#include "common/base/types.hpp"

namespace farlink::cla::ltp {

/// What a report says of the octets that it is about.
struct ReportedGaps {
    std::uint64_t octets = 0;
    std::uint64_t missing = 0;
    std::uint64_t largest = 0;  ///< of the gaps
};
[[nodiscard]] ReportedGaps gaps_of(const ReportFields &report);

/// kFirst ──twice as fast, after a step in which all that it allows was used──► unlimited,
///   │                                                                  above kFreely
///   │ large gaps: half; more lost than before: what came through           │ large gaps:
///   ▼                                                                      ▼ kAgain
/// a quarter more every kStep in which much came through, near the rate that was too much a 32nd;
/// less when more is lost, once a round, not below kLeast; unlimited again above kFreely
class PaceControl {
public:
    /// A burst of ten milliseconds fits the buffer that a kernel gives unasked.
    static constexpr BitRate kFirst{40'000'000};
    static constexpr BitRate kAgain{100'000'000};
    static constexpr BitRate kLeast{1'000'000};
    static constexpr BitRate kFreely{10'000'000'000};
    /// A buffer of 130 kB hides for half of it that twice the rate is too much.
    static constexpr Duration kFirstStep = milliseconds(20);
    static constexpr Duration kAskEvery = milliseconds(10);
    static constexpr Duration kStep = milliseconds(100);
    /// A gap of so many segments in a row is large, or any gaps of more than half of that many.
    static constexpr std::uint64_t kLargeGap = 16;

    /// 0: as fast as it goes.
    [[nodiscard]] BitRate rate() const { return rate_; }
    /// Octets after which the peer should be asked what has come, so that it is known in the midst
    /// of a large block; 0: it need not be.
    [[nodiscard]] std::uint64_t asks_after() const;
    /// `sent`: when the report was asked for.
    void handle_report(const ReportedGaps &gaps, std::uint64_t segment, TimePoint sent,
                       TimePoint at);

    /// A checkpoint that was sent then has no answer in time.
    void handle_unanswered(TimePoint sent, TimePoint at);

private:
    [[nodiscard]] std::uint64_t octets_in(Duration time) const;
    [[nodiscard]] bool loses_more(TimePoint at);
    void fall(std::uint64_t kept, TimePoint at);
    void rise(TimePoint at);
    void set_rate(BitRate rate, TimePoint at);
    void count_from(TimePoint when);

    /// Shares of what was sent, in 256ths.
    static constexpr std::uint64_t kAll = 256;
    static constexpr std::uint64_t kMuchMore = kAll / 8;
    static constexpr std::uint64_t kHardlyLess = kAll / 16;

    BitRate rate_ = kFirst;
    BitRate too_much_ = kFreely;  ///< the rate of the last fall
    bool begins_ = true;          ///< nothing has shown how fast it may be
    TimePoint changed_{};         ///< what was sent before was sent at another rate
    TimePoint counted_from_{};    ///< what was sent since then is in the counts below
    std::uint64_t octets_ = 0;    ///< that were reported on
    std::uint64_t missing_ = 0;   ///< of them
    std::uint64_t answered_ = 0;  ///< checkpoints
    std::uint64_t unanswered_ = 0;
    std::uint64_t usual_loss_ = kAll;   ///< at a rate that was not too much
    std::uint64_t loss_before_ = kAll;  ///< for which the rate has fallen; kAll: it has not
};

}  // namespace farlink::cla::ltp
