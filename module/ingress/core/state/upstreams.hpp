// SPDX-License-Identifier: Apache-2.0
// The sessions that bundles come from: which of them are paused, which feed several next hops at
// once, and which wait for the dispositions of their bundles.
// Owned by IngressContext; one thread.
// The flow control of its convergence layer holds a paused session back: TCP closes its window.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "module/ingress/core/state/bundle_deviations.hpp"

namespace farlink::ingress {

struct PauseOrder {
    UpstreamId upstream;
    bool paused = false;
};

class Upstreams {
public:
    /// A peer that sends nothing for so long after refusals may not support them.
    static constexpr seconds kStalledAfter{60};

    /// A session begins. One that acknowledges waits for the dispositions of its bundles. An
    /// unstoppable one is never paused: that would only lose what it sends. In drain mode, a
    /// session whose protocol has no refusals is paused.
    void opened(UpstreamId id, bool acknowledges, bool unstoppable) {
        Upstream &upstream = upstreams_[id];
        upstream.acknowledges = acknowledges;
        upstream.unstoppable = unstoppable;
        if (!upstream.has_no_refusals()) return;
        if (drained_) pause(id);
        if (unreserved_) pause(id);
    }
    /// Drain mode begins or ends.
    void set_drained(bool drained) {
        if (std::exchange(drained_, drained) != drained) pause_without_refusals(drained);
    }
    /// There is no room on disk yet for what a stop of the node finds in memory. Until there is,
    /// sessions whose protocol has no refusals are paused: their senders give a bundle up once the
    /// kernel has it.
    void set_unreserved(bool unreserved) {
        if (std::exchange(unreserved_, unreserved) != unreserved)
            pause_without_refusals(unreserved);
    }
    /// While storage is full, bundles of this session are kept and their acknowledgements wait;
    /// none is refused, until its layer refuses one:
    ///
    ///   kept ──the layer refuses a bundle, in order──► refused ──a bundle is safe──► kept
    void defer_when_full(UpstreamId id) { upstreams_[id].defers_when_full = true; }
    [[nodiscard]] bool defers_when_full(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.defers_when_full &&
               !found->second.exceeded;
    }
    /// The layer has refused bundles before they were here. `in_order`: its refusals wait for the
    /// answers to the bundles that are here, so that those must not wait for room any longer.
    void refused_unread(UpstreamId id, std::uint64_t bundles, bool in_order, TimePoint now) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end()) return;
        found->second.refused += bundles;
        found->second.last_refused = now;
        if (in_order) found->second.exceeded = true;
    }
    void set_stalled_after(Duration silence) { stalled_after_ = silence; }
    /// The next session that has sent nothing since bundles of it were refused, each once.
    struct StalledByRefusals {
        UpstreamId upstream;
        std::uint64_t refused = 0;  ///< bundles, since the session began
    };
    [[nodiscard]] std::optional<StalledByRefusals> poll_stalled_by_refusals(TimePoint now) {
        if (drained_) return std::nullopt;  // in drain mode, refusals are intended
        for (auto &[id, upstream] : upstreams_) {
            if (upstream.refused == 0 || upstream.stall_reported || upstream.holds > 0) continue;
            if (upstream.last_arrival > upstream.last_refused) continue;  // it has sent again
            if (now - upstream.last_refused < stalled_after_) continue;
            upstream.stall_reported = true;
            return StalledByRefusals{id, upstream.refused};
        }
        return std::nullopt;
    }
    /// Bundles of this session are refused: drain mode, and a protocol that has refusals.
    [[nodiscard]] bool rejects(UpstreamId waiting) const {
        return drained_ && waiting != kNoUpstream;
    }

    /// Egress or applications host the session; `next_transfer` is the number of the next bundle
    /// that it brings.
    void set_hosted_elsewhere(UpstreamId id, std::uint64_t next_transfer) {
        Upstream &upstream = upstreams_[id];
        upstream.hosted_elsewhere = true;
        upstream.next_transfer = next_transfer;
    }
    [[nodiscard]] std::vector<UpstreamId> hosted_elsewhere() const {
        std::vector<UpstreamId> found;
        for (const auto &[id, upstream] : upstreams_)
            if (upstream.hosted_elsewhere) found.push_back(id);
        return found;
    }
    /// The neighbour that certainly sends by this session.
    void set_neighbour(UpstreamId id, NodeNumber neighbour) {
        upstreams_[id].neighbour = neighbour;
    }
    /// The link of the session, for rules of BPSec and for the log.
    void set_link(UpstreamId id, LinkId link) { upstreams_[id].link = link; }
    /// kNoLink: not known.
    [[nodiscard]] LinkId link(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found == upstreams_.end() ? kNoLink : found->second.link;
    }
    /// The deviations of bundles that the session's link tolerates.
    void set_policy(UpstreamId id, BundlePolicy policy) { upstreams_[id].policy = policy; }
    [[nodiscard]] BundlePolicy policy(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found == upstreams_.end() ? BundlePolicy{} : found->second.policy;
    }
    /// 0: not known.
    [[nodiscard]] NodeNumber neighbour(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found == upstreams_.end() ? NodeNumber{} : found->second.neighbour;
    }
    [[nodiscard]] bool can_pause(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found == upstreams_.end() || !found->second.unstoppable;
    }
    [[nodiscard]] bool acknowledges(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.acknowledges;
    }
    /// The next `count` bundles of an acknowledging session are here; they are numbered from 0, or
    /// from the number in set_hosted_elsewhere().
    void arrived(UpstreamId id, std::size_t count, TimePoint now) {
        Upstream &upstream = upstreams_[id];
        upstream.next_transfer += count;
        upstream.unacknowledged += count;
        if (upstream.unacknowledged > upstream.window) upstream.window = 0;
        upstream.last_arrival = now;
    }
    /// Sets the disposition of consecutive bundles; numbers are given by their low 32 bits.
    void acknowledge(UpstreamId id, std::uint32_t first, std::uint32_t count,
                     TransferDisposition disposition, TimePoint now) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end()) return;
        Upstream &upstream = found->second;
        const std::uint32_t behind = static_cast<std::uint32_t>(upstream.next_transfer) - first;
        const std::uint64_t full = upstream.next_transfer - behind;
        FARLINK_INVARIANT(upstream.unacknowledged >= count);
        upstream.unacknowledged -= count;
        upstream.last_acknowledged = now;
        if (disposition == TransferDisposition::kNoResources) {
            upstream.refused += count;
            upstream.last_refused = now;
        }
        if (disposition == TransferDisposition::kSafe) upstream.exceeded = false;
        if (!acknowledged_.empty()) {
            bus::DispositionRun &last = acknowledged_.back();
            if (last.upstream == id && last.disposition == disposition &&
                last.first + last.count == full) {
                last.count += count;
                return;
            }
        }
        acknowledged_.push_back({id, full, count, disposition});
    }
    /// A sender does not announce its window of unacknowledged transfers; it shows when the sender
    /// stops with that many of them. Called when bundles of it have waited for `waited`.
    void learn_window(UpstreamId id, Duration waited, TimePoint now) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end() || !found->second.stands_still(waited / 2, now)) return;
        if (found->second.unacknowledged <= kSmallWindow)
            found->second.window = found->second.unacknowledged;
    }
    /// The session is not paused and has stopped sending.
    [[nodiscard]] bool stalled(UpstreamId id, Duration waited, TimePoint now) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.stands_still(waited / 2, now);
    }
    /// Half of its window is used; false while the window is not known.
    [[nodiscard]] bool half_used(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.window > 0 &&
               2 * found->second.unacknowledged >= found->second.window;
    }

    /// The session feeds `queue` now. One that fed another queue within the last second is mixed:
    /// to pause it would hold back bundles that could be sent.
    void feeds(UpstreamId id, std::size_t queue, TimePoint now) {
        Upstream &upstream = upstreams_[id];
        if (upstream.last_queue != queue && upstream.last_queue != kNone)
            upstream.mixed_until = now + kMixedFor;
        upstream.last_queue = queue;
    }
    [[nodiscard]] bool mixed(UpstreamId id, TimePoint now) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.mixed_until > now;
    }
    /// It fed storage only because of its own bundles there, and those have left.
    void forget_queues(UpstreamId id) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end()) return;
        found->second.last_queue = kNone;
        found->second.mixed_until = {};
    }
    /// One more queue holds the session back, or one less.
    void pause(UpstreamId id) {
        if (upstreams_[id].holds++ == 0) orders_.push_back({id, true});
    }
    void resume(UpstreamId id) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end() || found->second.holds == 0) return;
        if (--found->second.holds == 0) orders_.push_back({id, false});
    }
    void closed(UpstreamId id) { upstreams_.erase(id); }

    [[nodiscard]] std::optional<PauseOrder> poll_order() {
        if (orders_.empty()) return std::nullopt;
        return orders_.pop_front();
    }
    [[nodiscard]] std::optional<bus::DispositionRun> poll_disposition() {
        if (acknowledged_.empty()) return std::nullopt;
        return acknowledged_.pop_front();
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    static constexpr seconds kMixedFor{1};
    /// A sender with more unacknowledged bundles does not wait for single acknowledgements.
    static constexpr std::uint64_t kSmallWindow = 64;

    struct Upstream {
        NodeNumber neighbour;
        LinkId link = kNoLink;
        std::size_t last_queue = kNone;
        TimePoint mixed_until{};
        std::uint32_t holds = 0;
        bool acknowledges = false;
        bool unstoppable = false;
        BundlePolicy policy;
        bool hosted_elsewhere = false;
        bool defers_when_full = false;
        bool exceeded = false;  ///< its layer refuses bundles: they are more than may be kept
        bool stall_reported = false;
        std::uint64_t refused = 0;  ///< bundles, since the session began
        TimePoint last_refused{};
        std::uint64_t next_transfer = 0;
        std::uint64_t unacknowledged = 0;  ///< bundles without a disposition
        std::uint64_t window = 0;          ///< of unacknowledged bundles; 0: not known
        TimePoint last_arrival{};
        TimePoint last_acknowledged{};

        /// It can be paused, and gets no dispositions.
        [[nodiscard]] bool has_no_refusals() const { return !acknowledges && !unstoppable; }
        /// Nothing arrived and nothing was acknowledged for `duration`; false for a paused session.
        [[nodiscard]] bool stands_still(Duration duration, TimePoint now) const {
            return holds == 0 && unacknowledged > 0 &&
                   now - std::max(last_arrival, last_acknowledged) >= duration;
        }
    };
    void pause_without_refusals(bool pauses) {
        for (const auto &[id, upstream] : upstreams_) {
            if (!upstream.has_no_refusals()) continue;
            if (pauses)
                pause(id);
            else
                resume(id);
        }
    }

    std::unordered_map<UpstreamId, Upstream> upstreams_;
    bool drained_ = false;
    bool unreserved_ = false;
    Duration stalled_after_ = kStalledAfter;
    Ring<PauseOrder> orders_;
    Ring<bus::DispositionRun> acknowledged_;
};

}  // namespace farlink::ingress
