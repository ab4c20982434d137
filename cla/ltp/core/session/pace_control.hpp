// SPDX-License-Identifier: Apache-2.0
// The send rate for a peer without a configured rate: it starts low, and doubles after each round
// in which everything has arrived, until reports show a higher loss. Owned by the peer; one thread.
// A buffer that is too small loses bursts rather than single datagrams. So large gaps lower the
// rate, and so does a loss that rises and falls with it.
#pragma once

#include "cla/ltp/core/codec/segment.hpp"
#include "common/base/types.hpp"

namespace farlink::cla::ltp {

/// The gaps in the scope of a report.
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
    /// A burst of ten milliseconds fits the kernel's default buffer.
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

    /// 0: no limit.
    [[nodiscard]] BitRate rate() const { return rate_; }
    /// Octets between two checkpoints of a large block, so that reports arrive before its end; 0:
    /// none are needed.
    [[nodiscard]] std::uint64_t asks_after() const;
    /// `sent`: when the report was asked for.
    void handle_report(const ReportedGaps &gaps, std::uint64_t segment, TimePoint sent,
                       TimePoint at);

    /// The checkpoint sent at this time has no answer in time.
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
    bool begins_ = true;          ///< no report has limited the rate yet
    TimePoint changed_{};         ///< data sent before had another rate
    TimePoint counted_from_{};    ///< the counts below begin with data sent then
    std::uint64_t octets_ = 0;    ///< that were reported on
    std::uint64_t missing_ = 0;   ///< of them
    std::uint64_t answered_ = 0;  ///< checkpoints
    std::uint64_t unanswered_ = 0;
    std::uint64_t usual_loss_ = kAll;   ///< at a rate that was not too much
    std::uint64_t loss_before_ = kAll;  ///< for which the rate has fallen; kAll: it has not
};

}  // namespace farlink::cla::ltp
