// SPDX-License-Identifier: Apache-2.0
// Checks the wall clock against the monotonic clock, so that a wrong clock deletes no bundle.
// Owned by a core, which gets the time from it; one thread.
// Every module checks the same two clocks by itself, with the same result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/time.hpp"

namespace farlink {

/// kTrusted ──behind what was seen, at the start──► kUnset ──────────confirm()──► kTrusted
///     │────────forward by more than a minute─────► kSteppedForward ─confirm()──► kTrusted
///     │                                                   └──back on its way──► kTrusted
///     └────────back by more than a minute────────► kSteppedBack ────the same───► kTrusted
enum class ClockState : std::uint8_t { kTrusted, kUnset, kSteppedForward, kSteppedBack };

class ClockGuard {
public:
    /// A change by more than this between two readings is a step; less is a correction.
    static constexpr std::uint64_t kStepMs = 60'000;
    /// 2024-01-01: an earlier time means that the clock was never set.
    static constexpr DtnTime kLeastSane = 757'382'400'000;

    explicit ClockGuard(WallClock first) : clock_(first), read_(first) {}

    // ---- the start
    /// Checks whether the clock is set. `last_seen`: a DTN time from before this start (0: none);
    /// a correct clock cannot be behind it.
    void judge_start(DtnTime last_seen) {
        if (state_ != ClockState::kTrusted) return;
        if (clock_.dtn_ms < kLeastSane || saturating_add(clock_.dtn_ms, kStepMs) < last_seen)
            state_ = ClockState::kUnset;
    }
    // ---- while it runs
    /// A reading of both clocks. After a step time continues by the monotonic clock until the wall
    /// clock agrees with it again or is confirmed. True if this reading shows a new step.
    bool handle_reading(WallClock reading) {
        read_ = reading;
        const DtnTime expected = clock_.dtn_at(reading.at);
        const bool ahead = reading.dtn_ms > saturating_add(expected, kStepMs);
        const bool behind = expected > saturating_add(reading.dtn_ms, kStepMs);
        if (!ahead && !behind) clock_ = reading;
        // An unset clock stays unset while it advances or steps.
        if (state_ == ClockState::kUnset) return false;
        const ClockState before = state_;
        state_ = ahead    ? ClockState::kSteppedForward
                 : behind ? ClockState::kSteppedBack
                          : ClockState::kTrusted;
        return state_ != before && state_ != ClockState::kTrusted;
    }
    /// The operator confirms that the wall clock is correct.
    void confirm() {
        state_ = ClockState::kTrusted;
        const DtnTime expected = clock_.dtn_at(read_.at);
        if (read_.dtn_ms > expected) note_jump(expected, read_.dtn_ms - expected);
        clock_ = read_;
    }

    // ---- what time it is
    /// The moment of the last reading.
    [[nodiscard]] TimePoint read_at() const { return read_.at; }
    [[nodiscard]] ClockState state() const { return state_; }
    /// By how much the wall clock is ahead of the time that continued after a step forward.
    [[nodiscard]] std::uint64_t ahead_ms() const {
        const DtnTime expected = clock_.dtn_at(read_.at);
        return state_ == ClockState::kSteppedForward ? read_.dtn_ms - expected : 0;
    }
    /// The same after a step back.
    [[nodiscard]] std::uint64_t behind_ms() const {
        const DtnTime expected = clock_.dtn_at(read_.at);
        return state_ == ClockState::kSteppedBack ? expected - read_.dtn_ms : 0;
    }
    /// No bundle may expire: the clock may be ahead, or is not set. After a step back bundles do
    /// expire, since time continues by the monotonic clock.
    [[nodiscard]] bool expiry_suspended() const {
        return state_ == ClockState::kUnset || state_ == ClockState::kSteppedForward;
    }
    [[nodiscard]] DtnTime dtn_at(TimePoint now) const { return clock_.dtn_at(now); }
    /// When a timer for an expiry is due; at most a century ahead, since the range of TimePoint is
    /// finite.
    [[nodiscard]] TimePoint expiry_timer(DtnTime expiry) const {
        if (expiry_suspended() || expiry == kDtnNever) return kNever;
        return clock_.point_of(std::min(expiry, saturating_add(clock_.dtn_ms, kCenturyMs)));
    }
    /// The time to compare an expiry with: before all others while suspended.
    [[nodiscard]] DtnTime expiry_time(TimePoint now) const {
        return expiry_suspended() ? 0 : clock_.dtn_at(now);
    }
    /// The reception time of a bundle with the time stamp `stamp`, of this run of the node or an
    /// earlier one. Steps of the clock do not count as waiting time; for a bundle that was received
    /// while the clock was not set, only the time since the start is known.
    [[nodiscard]] TimePoint received_at(DtnTime stamp) const {
        for (std::size_t i = 0; i < jumps_known_; ++i)
            if (stamp <= jumps_[i].from) stamp += jumps_[i].by;
        if (stamp < kLeastSane && clock_.dtn_ms >= kLeastSane) return started_;
        return clock_.point_of(stamp);
    }

private:
    static constexpr DtnTime kCenturyMs = 100ULL * 365 * 24 * 3600 * 1000;

    struct Jump {
        DtnTime from = 0;
        std::uint64_t by = 0;
    };
    /// Steps are confirmed by hand, so a few are enough; the oldest is dropped.
    void note_jump(DtnTime from, std::uint64_t by) {
        if (jumps_known_ == jumps_.size()) {
            std::move(jumps_.begin() + 1, jumps_.end(), jumps_.begin());
            --jumps_known_;
        }
        jumps_[jumps_known_++] = {from, by};
    }

    WallClock clock_;  ///< the clock in use
    WallClock read_;   ///< the last reading
    TimePoint started_ = clock_.at;
    ClockState state_ = ClockState::kTrusted;
    std::array<Jump, 4> jumps_{};  ///< oldest first
    std::size_t jumps_known_ = 0;
};

}  // namespace farlink
