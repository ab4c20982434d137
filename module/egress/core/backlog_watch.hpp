// SPDX-License-Identifier: Apache-2.0
// Reports the backlog of egress to the router, when it may change a route.
// Owned by EgressCore; one thread.
// Only on a link that its contact paces do bundles wait for long, and small changes make no
// difference: there are ten reports a second at most.
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
    /// The router has restarted, without any report.
    void publish_again() {
        known_.clear();
        stirred_ = true;
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return stirred_ ? reported_at_ + kPause : kNever;
    }

    /// One link's part of the next report.
    void add(NodeNumber neighbour, const OutQueue &queue, BitRate rate) {
        if (rate.value() == 0 || queue.bytes() * kBitsTimesMs / rate.value() < kShortMs) return;
        for (std::size_t at = 0; at < kPriorityCount; ++at) {
            const auto priority = static_cast<Priority>(at);
            if (queue.bytes(priority) > 0)
                picture_.push_back({neighbour, priority, queue.bytes(priority)});
        }
    }
    /// The report of what was added; empty when it differs little from the last one.
    [[nodiscard]] std::optional<bus::BacklogReport> poll(TimePoint now) {
        reported_at_ = now;
        stirred_ = !picture_.empty();
        std::vector<bus::WaitingBytes> picture = std::exchange(picture_, {});
        if (std::ranges::equal(picture, known_, similar)) return std::nullopt;
        known_ = picture;
        return bus::BacklogReport{self_, std::move(picture), {}};
    }

private:
    static constexpr Duration kPause = milliseconds(100);
    static constexpr std::uint64_t kShortMs =
        100;  ///< of sending: gone before the router has the report
    static constexpr std::uint64_t kBitsTimesMs = 8 * 1000;

    static bool similar(const bus::WaitingBytes &one, const bus::WaitingBytes &other) {
        const auto [less, more] = std::minmax(one.bytes, other.bytes);
        return one.node == other.node && one.priority == other.priority && more - less <= more / 8;
    }

    bus::AgentId self_;
    std::vector<bus::WaitingBytes> picture_;
    std::vector<bus::WaitingBytes> known_;  ///< as reported last
    TimePoint reported_at_{};
    bool stirred_ = false;
};

}  // namespace farlink::egress
