// SPDX-License-Identifier: Apache-2.0
// Pauses the senders of a flow while its last bundles leave storage, so that it cuts through again.
// Owned by IngressContext; one thread.
// It may once storage holds none of it and none is on the way there; a sender that never stops
// keeps some on the way for good. How much storage holds is not known here: an attempt is short,
// and attempts in vain are further and further apart.
//
//   idle ──pause()──► catching up ──the flow is through──► idle
//                          └──kLongestPause──► idle, without another attempt for again_after_
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "module/ingress/core/state/flow_table.hpp"
#include "module/ingress/core/state/upstreams.hpp"

namespace farlink::ingress {

class CatchUp {
public:
    CatchUp(const FlowTable &flows, Upstreams &upstreams) : flows_(flows), upstreams_(upstreams) {}

    /// A bundle of this session goes to storage only because of others of its flow there.
    void pause(std::uint64_t flow, UpstreamId from, TimePoint now) {
        if (from == kNoUpstream || now < next_ || !upstreams_.can_pause(from)) return;
        if (paused_.empty()) {
            flow_ = flow;
            until_ = now + kLongestPause;
        }
        if (flow != flow_ || std::ranges::find(paused_, from) != paused_.end()) return;
        paused_.push_back(from);
        upstreams_.pause(from);
    }
    /// Ends the pause when the flow is through, or it has lasted too long.
    void check(TimePoint now) {
        if (paused_.empty()) return;
        const bool through = !flows_.backlogged(flow_);
        if (!through && now < until_) return;
        for (const UpstreamId paused : paused_) {
            upstreams_.resume(paused);
            if (through) upstreams_.forget_queues(paused);
        }
        paused_.clear();
        next_ = through ? now : now + again_after_;
        again_after_ = through ? kAgainAfter : std::min(2 * again_after_, kLongestAgain);
    }
    [[nodiscard]] TimePoint next_timeout() const { return paused_.empty() ? kNever : until_; }

private:
    static constexpr Duration kLongestPause = milliseconds(50);
    static constexpr Duration kAgainAfter = milliseconds(200);
    static constexpr Duration kLongestAgain = seconds(10);

    const FlowTable &flows_;
    Upstreams &upstreams_;
    std::uint64_t flow_ = 0;
    std::vector<UpstreamId> paused_;
    TimePoint until_{};
    TimePoint next_{};
    Duration again_after_ = kAgainAfter;
};

}  // namespace farlink::ingress
