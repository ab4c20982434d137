// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/memory/timer_wheel.hpp"

#include <algorithm>

namespace farlink::cla::ltp {

void TimerWheel::link(TimerNodes &nodes, std::uint32_t timer, std::uint64_t tick) {
    const std::uint64_t differing = tick ^ current_;
    const unsigned level =
        differing == 0 ? 0 : (63 - static_cast<unsigned>(std::countl_zero(differing))) / 6;
    const unsigned slot = tick >> (6 * level) & 63;
    const unsigned place = level * 64 + slot;
    TimerNodes::Node &node = nodes[timer];
    node = {tick, heads_[place], kNoNode, static_cast<std::uint16_t>(place)};
    if (node.next != kNoNode) nodes[node.next].before = timer;
    heads_[place] = timer;
    places_[level] |= std::uint64_t{1} << slot;
    levels_ |= 1U << level;
}

void TimerWheel::arm(TimerNodes &nodes, std::uint32_t timer, TimePoint deadline) {
    disarm(nodes, timer);
    if (deadline == kNever) return;
    // A timer never fires early: the deadline is rounded up, and lies in the future.
    const std::uint64_t tick = floor_tick(deadline + milliseconds(1) - nanoseconds(1));
    constexpr std::uint64_t kLast = (std::uint64_t{1} << 6 * kLevels) - 1;
    link(nodes, timer, std::min(std::max(tick, current_ + 1), kLast));
}

void TimerWheel::disarm(TimerNodes &nodes, std::uint32_t timer) {
    TimerNodes::Node &node = nodes[timer];
    if (node.place == TimerNodes::kIdle) return;
    (node.before == kNoNode ? heads_[node.place] : nodes[node.before].next) = node.next;
    if (node.next != kNoNode) nodes[node.next].before = node.before;
    if (heads_[node.place] == kNoNode) {
        const unsigned level = node.place / 64;
        places_[level] &= ~(std::uint64_t{1} << node.place % 64);
        if (places_[level] == 0) levels_ &= ~(1U << level);
    }
    node = {};
}

// All timers of a level are due before those of the levels above it.
std::uint64_t TimerWheel::next_tick() const {
    if (levels_ == 0) return kNoTick;
    const unsigned level = lowest_level();
    const unsigned above = 6 * (level + 1);
    const std::uint64_t base = current_ >> above << above;
    const auto slot = static_cast<std::uint64_t>(std::countr_zero(places_[level]));
    return base | slot << 6 * level;
}

// Takes one timer of the earliest place; kNoNode: the place was spread over the levels below.
std::uint32_t TimerWheel::take_due(TimerNodes &nodes) {
    const unsigned level = lowest_level();
    const unsigned place = level * 64 + static_cast<unsigned>(std::countr_zero(places_[level]));
    current_ = next_tick();
    if (level == 0) {
        const std::uint32_t due = heads_[place];
        disarm(nodes, due);
        return due;
    }
    while (heads_[place] != kNoNode) {
        const std::uint32_t timer = heads_[place];
        const std::uint64_t tick = nodes[timer].tick;
        disarm(nodes, timer);
        link(nodes, timer, tick);
    }
    return kNoNode;
}

}  // namespace farlink::cla::ltp
