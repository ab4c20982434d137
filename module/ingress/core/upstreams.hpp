// SPDX-License-Identifier: Apache-2.0
// The sessions that bundles come from: which of them must not be read now, and which feed several
// next hops at once. Owned by IngressCore; one thread.
// A paused upstream is held by its own layer's flow control: TCP closes its window.
#pragma once

#include <optional>
#include <unordered_map>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::ingress {

struct PauseOrder {
    UpstreamId upstream;
    bool paused = false;
};

class Upstreams {
public:
    /// Notes that this upstream feeds `lane` now. One that fed another within the last second is
    /// mixed: pausing it would hold back bundles that could go.
    void feeds(UpstreamId id, std::size_t lane, TimePoint now) {
        Upstream &upstream = upstreams_[id];
        if (upstream.last_lane != lane && upstream.last_lane != kNone)
            upstream.mixed_until = now + kMixedFor;
        upstream.last_lane = lane;
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

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    static constexpr seconds kMixedFor{1};

    struct Upstream {
        std::size_t last_lane = kNone;
        TimePoint mixed_until{};
        std::uint32_t holds = 0;
    };
    std::unordered_map<UpstreamId, Upstream> upstreams_;
    Ring<PauseOrder> orders_;
};

}  // namespace farlink::ingress
