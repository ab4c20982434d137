// SPDX-License-Identifier: Apache-2.0
// The sessions that bundles come from: which of them must not be read now, which feed several next
// hops at once, and which wait to hear what became of their bundles.
// Owned by IngressCore; one thread.
// A paused upstream is held by its own layer's flow control: TCP closes its window.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "module/ingress/core/bundle_manners.hpp"

namespace farlink::ingress {

struct PauseOrder {
    UpstreamId upstream;
    bool paused = false;
};

class Upstreams {
public:
    /// A session begins. One of a layer that acknowledges bundles waits for settle() to do so; one
    /// that is unstoppable cannot be held back: to pause it would only lose what it sends. While
    /// the node is drained, one that cannot be told that a bundle is refused is not read.
    void opened(UpstreamId id, bool acknowledges, bool unstoppable) {
        Upstream &upstream = upstreams_[id];
        upstream.acknowledges = acknowledges;
        upstream.unstoppable = unstoppable;
        if (drained_ && upstream.is_silent()) pause(id);
    }
    /// The node takes nothing new, or takes it again.
    void set_drained(bool drained) {
        if (drained_ == drained) return;
        drained_ = drained;
        for (const auto &[id, upstream] : upstreams_) {
            if (!upstream.is_silent()) continue;
            if (drained)
                pause(id);
            else
                resume(id);
        }
    }
    /// Its bundles are kept, and their acknowledgements wait, while there is no room for them.
    void set_patient(UpstreamId id) { upstreams_[id].patient = true; }
    [[nodiscard]] bool patient(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.patient;
    }
    /// The next session that has fallen silent since bundles of it were refused, each once; how
    /// many were refused since it began.
    struct Hushed {
        UpstreamId upstream;
        std::uint64_t refused = 0;
    };
    [[nodiscard]] std::optional<Hushed> poll_hushed(TimePoint now) {
        if (drained_) return std::nullopt;  // they are refused until that is over
        for (auto &[id, upstream] : upstreams_) {
            if (upstream.refused == 0 || upstream.hushed || upstream.holds > 0) continue;
            if (upstream.last_arrival > upstream.last_refused) continue;  // it goes on
            if (now - upstream.last_refused < kHushedAfter) continue;
            upstream.hushed = true;
            return Hushed{id, upstream.refused};
        }
        return std::nullopt;
    }
    /// A bundle of this session can be refused, and is: its sender keeps it.
    [[nodiscard]] bool turns_away(UpstreamId waiting) const {
        return drained_ && waiting != kNoUpstream;
    }

    /// A session of egress; `next_transfer` is the number of the next bundle that it brings.
    void elsewhere(UpstreamId id, std::uint64_t next_transfer) {
        Upstream &upstream = upstreams_[id];
        upstream.elsewhere = true;
        upstream.next_transfer = next_transfer;
    }
    /// All such sessions.
    [[nodiscard]] std::vector<UpstreamId> all_elsewhere() const {
        std::vector<UpstreamId> found;
        for (const auto &[id, upstream] : upstreams_)
            if (upstream.elsewhere) found.push_back(id);
        return found;
    }
    /// It is certain which neighbour sends by this session.
    void belongs_to(UpstreamId id, NodeNumber neighbour) { upstreams_[id].neighbour = neighbour; }
    /// What its link puts up with in bundles.
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
    /// from what elsewhere() has said.
    void arrived(UpstreamId id, std::size_t count, TimePoint now) {
        Upstream &upstream = upstreams_[id];
        upstream.next_transfer += count;
        upstream.unacknowledged += count;
        if (upstream.unacknowledged > upstream.window) upstream.window = 0;
        upstream.last_arrival = now;
    }
    /// What became of bundles; their numbers by the low 32 bits.
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
    /// How many transfers the upstream allows itself is not told; it shows when it falls silent
    /// with so many of them unsettled. Called when bundles of it have waited for `waited`.
    void learn_window(UpstreamId id, Duration waited, TimePoint now) {
        const auto found = upstreams_.find(id);
        if (found == upstreams_.end() || !found->second.stands_still(waited / 2, now)) return;
        if (found->second.unacknowledged <= kSmallWindow)
            found->second.window = found->second.unacknowledged;
    }
    /// Has it stopped sending by itself?
    [[nodiscard]] bool stalled(UpstreamId id, Duration waited, TimePoint now) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.stands_still(waited / 2, now);
    }
    /// Half of its window is used, as far as the window is known.
    [[nodiscard]] bool half_used(UpstreamId id) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.window > 0 &&
               2 * found->second.unacknowledged >= found->second.window;
    }

    /// Notes that this upstream feeds `lane` now. One that fed another within the last second is
    /// mixed: pausing it would hold back bundles that could go.
    void feeds(UpstreamId id, std::size_t queue, TimePoint now) {
        Upstream &upstream = upstreams_[id];
        if (upstream.last_lane != queue && upstream.last_lane != kNone)
            upstream.mixed_until = now + kMixedFor;
        upstream.last_lane = queue;
    }
    [[nodiscard]] bool mixed(UpstreamId id, TimePoint now) const {
        const auto found = upstreams_.find(id);
        return found != upstreams_.end() && found->second.mixed_until > now;
    }
    /// One more lane holds the upstream back, or one less.
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
    /// Who was refused bundles and sends none for so long may not understand it.
    static constexpr seconds kHushedAfter{60};
    /// Who leaves more than this unsettled does not wait for single acknowledgements.
    static constexpr std::uint64_t kSmallWindow = 64;

    struct Upstream {
        NodeNumber neighbour;
        std::size_t last_lane = kNone;
        TimePoint mixed_until{};
        std::uint32_t holds = 0;
        bool acknowledges = false;
        bool unstoppable = false;
        BundlePolicy policy;
        bool elsewhere = false;  ///< it is not in this module
        bool patient = false;
        bool hushed = false;        ///< that has been told
        std::uint64_t refused = 0;  ///< of its bundles
        TimePoint last_refused{};
        std::uint64_t next_transfer = 0;
        std::uint64_t unacknowledged = 0;  ///< bundles whose fate it has not heard
        std::uint64_t window = 0;          ///< the most that it leaves unsettled; 0: not known
        TimePoint last_arrival{};
        TimePoint last_acknowledged{};

        /// It can be held back, and is not told what becomes of its bundles.
        [[nodiscard]] bool is_silent() const { return !acknowledges && !unstoppable; }
        /// Nothing came and nothing was settled for so long. One that is held back says nothing by
        /// its silence.
        [[nodiscard]] bool stands_still(Duration duration, TimePoint now) const {
            return holds == 0 && unacknowledged > 0 &&
                   now - std::max(last_arrival, last_acknowledged) >= duration;
        }
    };
    std::unordered_map<UpstreamId, Upstream> upstreams_;
    bool drained_ = false;
    Ring<PauseOrder> orders_;
    Ring<bus::DispositionRun> acknowledged_;
};

}  // namespace farlink::ingress
