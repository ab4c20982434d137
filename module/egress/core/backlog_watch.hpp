// SPDX-License-Identifier: Apache-2.0
// Tells the router what waits in egress, when that would change a route.
// Owned by EgressCore; one thread.
// Only a link that its contact paces keeps bundles waiting for long, and a little more or less
// makes no difference: the router hears of it ten times a second at the most.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/bus/messages.hpp"
#include "module/egress/core/out_queue.hpp"

namespace farlink::egress {

class BacklogWatch {
public:
    explicit BacklogWatch(bus::AgentId self = bus::AgentId::kEgress) : self_(self) {}

    /// Something waits for a link that is paced.
    void note() { stirred_ = true; }
    /// The router knows nothing any more.
    void publish_again() {
        known_.clear();
        stirred_ = true;
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return stirred_ ? reported_at_ + kPause : kNever;
    }

    /// One link's part of the picture that poll() is about to look at.
    void add(NodeNumber neighbour, const OutQueue &queue, BitRate rate) {
        if (rate.value() == 0 || queue.bytes() * kBitsTimesMs / rate.value() < kShortMs) return;
        for (std::size_t at = 0; at < kPriorityCount; ++at) {
            const auto priority = static_cast<Priority>(at);
            if (queue.bytes(priority) > 0)
                picture_.push_back({neighbour, priority, queue.bytes(priority)});
        }
    }
    /// The report of what was added; empty when the router knows it well enough.
    [[nodiscard]] std::optional<bus::BacklogReport> poll(TimePoint now) {
        reported_at_ = now;
        stirred_ = !picture_.empty();
        std::vector<bus::WaitingBytes> picture = std::exchange(picture_, {});
        if (std::ranges::equal(picture, known_, similar)) return std::nullopt;
        known_ = picture;
        return bus::BacklogReport{self_, std::move(picture)};
    }

private:
    static constexpr Duration kPause = milliseconds(100);
    static constexpr std::uint64_t kShortMs = 100;  ///< of sending: gone before the router knows
    static constexpr std::uint64_t kBitsTimesMs = 8 * 1000;

    static bool similar(const bus::WaitingBytes &one, const bus::WaitingBytes &other) {
        const auto [less, more] = std::minmax(one.bytes, other.bytes);
        return one.node == other.node && one.priority == other.priority && more - less <= more / 8;
    }

    bus::AgentId self_;
    std::vector<bus::WaitingBytes> picture_;
    std::vector<bus::WaitingBytes> known_;  ///< to the router
    TimePoint reported_at_{};
    bool stirred_ = false;
};

}  // namespace farlink::egress
