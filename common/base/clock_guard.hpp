// SPDX-License-Identifier: Apache-2.0
// Judges the wall clock by the monotonic one, so that a clock that lies deletes no bundle.
// Owned by a core, which asks it for the time and for nothing else; one thread.
// Every module judges by itself, from readings of the same two clocks, and comes to the same end.
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
    /// 2024-01-01: a clock that shows less has never been set.
    static constexpr DtnTime kLeastSane = 757'382'400'000;

    explicit ClockGuard(WallClock first) : clock_(first), read_(first) {}

    // ---- the start
    /// Is the clock set at all? `last_seen`: a DTN time that this node has seen before it started
    /// (0: none), which a clock that is right cannot lie behind.
    void judge_start(DtnTime last_seen) {
        if (state_ != ClockState::kTrusted) return;
        if (clock_.dtn_ms < kLeastSane || saturating_add(clock_.dtn_ms, kStepMs) < last_seen)
            state_ = ClockState::kUnset;
    }
    // ---- while it runs
    /// Another reading of both clocks. Time goes on by the monotonic clock across a step, until the
    /// wall clock is back on its way or is confirmed. True when this reading shows a new step.
    bool handle_reading(WallClock reading) {
        read_ = reading;
        const DtnTime expected = clock_.dtn_at(reading.at);
        const bool ahead = reading.dtn_ms > saturating_add(expected, kStepMs);
        const bool behind = expected > saturating_add(reading.dtn_ms, kStepMs);
        if (!ahead && !behind) clock_ = reading;
        // An unset clock is not right because it goes on, nor because it steps.
        if (state_ == ClockState::kUnset) return false;
        const ClockState before = state_;
        state_ = ahead    ? ClockState::kSteppedForward
                 : behind ? ClockState::kSteppedBack
                          : ClockState::kTrusted;
        return state_ != before && state_ != ClockState::kTrusted;
    }
    /// Somebody who knows says that the wall clock is right as it is.
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
    /// No bundle may expire: the clock may be ahead of the time, or shows no time at all. One that
    /// has stepped back is no reason, since time has gone on without it.
    [[nodiscard]] bool expiry_suspended() const {
        return state_ == ClockState::kUnset || state_ == ClockState::kSteppedForward;
    }
    [[nodiscard]] DtnTime dtn_at(TimePoint now) const { return clock_.dtn_at(now); }
    /// When something is due that waits for an expiry; no timer lies further away than a century,
    /// since the arithmetic of TimePoint is finite.
    [[nodiscard]] TimePoint expiry_timer(DtnTime expiry) const {
        if (expiry_suspended() || expiry == kDtnNever) return kNever;
        return clock_.point_of(std::min(expiry, saturating_add(clock_.dtn_ms, kCenturyMs)));
    }
    /// What the expiry of a bundle is compared with: a time before all others while suspended.
    [[nodiscard]] DtnTime expiry_time(TimePoint now) const {
        return expiry_suspended() ? 0 : clock_.dtn_at(now);
    }
    /// When a bundle came that was marked with the time `stamp`, by this run of the node or by an
    /// earlier one. The time that a clock has jumped is no time that the bundle has waited; of one
    /// that came while the clock was not set, only the time since the start is known.
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
    /// Jumps are confirmed by hand: more than these few would be strange, and the oldest matter
    /// least.
    void note_jump(DtnTime from, std::uint64_t by) {
        if (jumps_known_ == jumps_.size()) {
            std::move(jumps_.begin() + 1, jumps_.end(), jumps_.begin());
            --jumps_known_;
        }
        jumps_[jumps_known_++] = {from, by};
    }

    WallClock clock_;  ///< by which time goes
    WallClock read_;   ///< as read last
    TimePoint started_ = clock_.at;
    ClockState state_ = ClockState::kTrusted;
    std::array<Jump, 4> jumps_{};  ///< oldest first
    std::size_t jumps_known_ = 0;
};

}  // namespace farlink
