// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/pace_control.hpp"

#include <algorithm>

namespace farlink::cla::ltp {

ReportedGaps gaps_of(const ReportFields &report) {
    ReportedGaps gaps;
    gaps.octets = report.upper - report.lower;
    std::uint64_t at = report.lower;
    const auto note_gap = [&](std::uint64_t end) {
        gaps.missing += end - at;
        gaps.largest = std::max(gaps.largest, end - at);
    };
    ClaimReader claims(report);
    while (const auto claim = claims.next()) {
        note_gap(claim->begin);
        at = claim->end;
    }
    note_gap(report.upper);
    return gaps;
}

void PaceControl::handle_report(const ReportedGaps &gaps, std::uint64_t segment, Duration round,
                                TimePoint at) {
    const bool bursts = gaps.largest >= kLargeGap * segment;
    const bool most = gaps.octets >= 2 * kLargeGap * segment && gaps.missing > gaps.octets / 2;
    if (bursts || most) return fall(round, at);
    if (rate_ == BitRate{}) return;
    came_through_ += gaps.octets - gaps.missing;
    rise(at);
}

void PaceControl::fall(Duration round, TimePoint at) {
    if (rate_ != BitRate{} && at < fallen_until_) return;
    if (rate_ == BitRate{}) {
        rate_ = kFirst;
    } else {
        too_much_ = rate_;
        rate_ = std::max(BitRate{rate_.value() / 2}, kLeast);
    }
    fallen_until_ = rises_at_ = at + std::max(round, kStep);
    came_through_ = 0;
}

// Only what was used has proved itself.
void PaceControl::rise(TimePoint at) {
    const auto step_ms =
        static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(kStep).count());
    const std::uint64_t in_a_step = rate_.value() / 8'000 * step_ms;
    if (at < rises_at_ || came_through_ < in_a_step / 4) return;
    const bool near = rate_.value() >= too_much_.value() / 4 * 3;
    rate_ = BitRate{rate_.value() + rate_.value() / (near ? 32 : 4)};
    if (rate_ > kFreely) *this = {};
    rises_at_ = at + kStep;
    came_through_ = 0;
}

}  // namespace farlink::cla::ltp
