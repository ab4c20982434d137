// SPDX-License-Identifier: Apache-2.0
// The timers of all sessions with one peer: one a session, in steps of a millisecond.
// Owned by the peer, the nodes by the engine; one thread. Arming and disarming cost a few moves.
// Eight levels of 64 places: a timer lies at the level of the highest digit in which its time
// differs from the present, and moves down when that digit is reached.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cla/ltp/core/memory/node_pool.hpp"
#include "common/base/time.hpp"

namespace farlink::cla::ltp {

/// Timers by number; the numbers are the engine's.
class TimerNodes {
public:
    struct Node {
        std::uint64_t tick = 0;
        std::uint32_t next = kNoNode;
        std::uint32_t before = kNoNode;
        std::uint16_t place = kIdle;
    };
    static constexpr std::uint16_t kIdle = 0xffff;

    void reserve(std::uint32_t count) {
        if (nodes_.size() < count) nodes_.resize(count);
    }
    /// Gives all memory back; no timer may be set.
    void give_back() { decltype(nodes_)().swap(nodes_); }
    [[nodiscard]] Node &operator[](std::uint32_t timer) { return nodes_[timer]; }
    [[nodiscard]] const Node &operator[](std::uint32_t timer) const { return nodes_[timer]; }
    [[nodiscard]] std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

private:
    std::vector<Node> nodes_;
};

class TimerWheel {
public:
    explicit TimerWheel(TimePoint now) : current_(floor_tick(now)) { heads_.fill(kNoNode); }

    /// Sets the timer, whether it was set before or not; kNever disarms it.
    void arm(TimerNodes &nodes, std::uint32_t timer, TimePoint deadline);
    void disarm(TimerNodes &nodes, std::uint32_t timer);
    /// Calls `expired(timer)` for each that is due; it may arm and disarm.
    template <class Expired>
    void advance(TimerNodes &nodes, TimePoint now, Expired &&expired) {
        const std::uint64_t until = floor_tick(now);
        while (next_tick() <= until) {
            const std::uint32_t timer = take_due(nodes);
            if (timer != kNoNode) expired(timer);
        }
        if (current_ < until) current_ = until;
    }
    /// Is the timer set, and for no later than this?
    [[nodiscard]] bool fires_by(const TimerNodes &nodes, std::uint32_t timer,
                                TimePoint deadline) const {
        const TimerNodes::Node &node = nodes[timer];
        return node.place != TimerNodes::kIdle && node.tick <= floor_tick(deadline);
    }
    /// When to call advance() next; it may find that nothing is due yet.
    [[nodiscard]] TimePoint next() const {
        const std::uint64_t tick = next_tick();
        return tick == kNoTick ? kNever : TimePoint(milliseconds(static_cast<std::int64_t>(tick)));
    }

private:
    static constexpr std::uint64_t kNoTick = ~std::uint64_t{0};
    static constexpr unsigned kLevels = 8;

    static std::uint64_t floor_tick(TimePoint at) {
        const auto ns = at.time_since_epoch().count();
        return ns <= 0 ? 0 : static_cast<std::uint64_t>(ns) / 1'000'000;
    }
    void link(TimerNodes &nodes, std::uint32_t timer, std::uint64_t tick);
    [[nodiscard]] std::uint64_t next_tick() const;
    [[nodiscard]] unsigned lowest_level() const { return std::countr_zero(levels_); }
    [[nodiscard]] std::uint32_t take_due(TimerNodes &nodes);

    std::uint64_t current_;
    unsigned levels_ = 0;  ///< bit: the level has a timer
    std::array<std::uint64_t, kLevels> places_{};
    std::array<std::uint32_t, kLevels * 64> heads_{};
};

}  // namespace farlink::cla::ltp
