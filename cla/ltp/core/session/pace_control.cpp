// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/pace_control.hpp"

#include <algorithm>

namespace farlink::cla::ltp {
namespace {

/// Counts that have proved nothing for so many steps begin anew.
constexpr int kLongestSteps = 8;
/// Checkpoints without an answer, more than those with one, that do not mean anything yet.
constexpr std::uint64_t kFewUnanswered = 8;

}  // namespace

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

std::uint64_t PaceControl::octets_in(Duration time) const {
    const auto us =
        static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(time).count());
    return rate_.value() / 8'000 * us / 1'000;
}

std::uint64_t PaceControl::asks_after() const {
    return octets_in(kAskEvery);
}

void PaceControl::handle_report(const ReportedGaps &gaps, std::uint64_t segment, TimePoint sent,
                                TimePoint at) {
    if (sent < changed_) return;
    const bool bursts = gaps.largest >= kLargeGap * segment;
    const bool most = gaps.octets >= 2 * kLargeGap * segment && gaps.missing > gaps.octets / 2;
    if (bursts || most) return fall(kAll / 2, at);
    ++answered_;
    if (rate_ == BitRate{}) return;
    octets_ += gaps.octets;
    missing_ += gaps.missing;
    if (loses_more(at)) return;
    const Duration step = begins_ ? kFirstStep : kStep;
    const Duration passed = sent - counted_from_;
    if (passed < step) return;
    // Only what was used has proved itself.
    const std::uint64_t used = octets_in(std::min<Duration>(passed, kLongestSteps * step));
    if (octets_ - missing_ >= used / (begins_ ? 2 : 4)) return rise(at);
    if (passed >= kLongestSteps * step) count_from(sent);
}

// Reports do not cover blocks that are lost as a whole. A silent peer gives no information
// about the loss.
void PaceControl::handle_unanswered(TimePoint sent, TimePoint at) {
    if (sent < changed_) return;
    ++unanswered_;
    if (answered_ > 0 && unanswered_ > answered_ + kFewUnanswered)
        fall(kAll * answered_ / (answered_ + unanswered_) / 8 * 7, at);
}

/// The rate is another one when it does.
bool PaceControl::loses_more(TimePoint at) {
    if (octets_ < octets_in(kAskEvery) / 2) return false;
    const std::uint64_t loss = missing_ * kAll / octets_;
    if (loss <= usual_loss_ + kMuchMore) return false;
    if (loss_before_ != kAll && loss + kHardlyLess >= loss_before_) {
        // It is the way that loses, and does so at any rate.
        usual_loss_ = loss;
        loss_before_ = kAll;
        begins_ = true;
        set_rate(too_much_, at);
    } else {
        fall((kAll - loss) / 8 * 7, at);
        loss_before_ = loss;
    }
    return true;
}

/// `kept`: of the rate, in 256ths.
void PaceControl::fall(std::uint64_t kept, TimePoint at) {
    const bool was_free = rate_ == BitRate{};
    too_much_ = was_free ? kFreely : rate_;
    begins_ = false;
    loss_before_ = kAll;
    set_rate(was_free ? kAgain : std::max(BitRate{rate_.value() / kAll * kept}, kLeast), at);
}

void PaceControl::rise(TimePoint at) {
    const std::uint64_t loss = missing_ * kAll / std::max<std::uint64_t>(octets_, 1);
    usual_loss_ = begins_ ? loss : std::min(usual_loss_, loss);
    loss_before_ = kAll;
    const bool near = rate_.value() >= too_much_.value() / 4 * 3;
    const std::uint64_t more = begins_ ? rate_.value() : rate_.value() / (near ? 32 : 4);
    const BitRate higher{rate_.value() + more};
    set_rate(higher > kFreely ? BitRate{} : higher, at);
}

void PaceControl::set_rate(BitRate rate, TimePoint at) {
    rate_ = rate;
    changed_ = at;
    answered_ = unanswered_ = 0;
    count_from(at);
}

void PaceControl::count_from(TimePoint when) {
    counted_from_ = when;
    octets_ = missing_ = 0;
}

}  // namespace farlink::cla::ltp
