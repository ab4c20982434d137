// SPDX-License-Identifier: Apache-2.0
// From when to when storage is full, and whether this is an event beside those of its disks.
// Owned by NodeView; one thread.
// When all disks are full, the event of the last one says it, and so does that of the first one
// with space again.
#pragma once

#include <optional>

#include "module/telemetry/core/text/condition_episode.hpp"

namespace farlink::telemetry {

class StorageEpisode {
public:
    using Edge = ConditionEpisode::Edge;
    /// In which the disks have reported their state, and the reserve is usually complete.
    static constexpr Duration kExplainedWithin = seconds(3);

    /// Since the last call.
    struct Signs {
        bool refuses = false;          ///< bundles were refused, or wait in memory
        bool reserve_missing = false;  ///< bundles would be refused
        bool disks_full = false;       ///< all of them
        bool has_room = false;
        bool accepts = false;  ///< a bundle was stored after the last refusal
    };

    /// When its event begins and ends.
    [[nodiscard]] Edge look(const Signs &signs, TimePoint now) {
        // Without attempts nothing is refused, and storage may be as full as before.
        const bool still_full = episode_.on() && !signs.accepts && !signs.has_room;
        (void)episode_.look(signs.refuses || signs.reserve_missing || still_full, now);
        find_cause(signs, now);
        const bool explained = signs.disks_full || signs.reserve_missing;
        recovers_ = episode_.on() && !explained && !other_limit_ && signs.has_room;
        const bool says_more = other_limit_ || for_reserve();
        if (episode_.on() == told_ || (!told_ && !says_more)) return Edge::kNone;
        told_ = episode_.on();
        return told_ ? Edge::kBegins : Edge::kEnds;
    }
    [[nodiscard]] bool on() const { return episode_.on(); }
    /// Its cause is over, and nothing was refused since.
    [[nodiscard]] bool recovers() const { return recovers_; }
    /// No disk is full, and the reserve for a shutdown is not complete.
    [[nodiscard]] bool for_reserve() const { return for_reserve_; }

private:
    /// The counters come before the state of the disks.
    void find_cause(const Signs &signs, TimePoint now) {
        const auto lasts = [now](std::optional<TimePoint> &since, bool holds) {
            if (!holds) since.reset();
            if (holds && !since) since = now;
            return holds && now - *since >= kExplainedWithin;
        };
        const bool explained = signs.disks_full || signs.reserve_missing;
        was_explained_ = episode_.on() && (was_explained_ || explained);
        for_reserve_ = lasts(reserve_since_, signs.reserve_missing && !signs.disks_full);
        const bool unexplained = lasts(unexplained_since_, episode_.on() && !explained);
        if (!episode_.on() || explained) other_limit_ = false;
        if (unexplained && (signs.refuses || !was_explained_)) other_limit_ = true;
    }

    ConditionEpisode episode_;
    std::optional<TimePoint> reserve_since_{};
    std::optional<TimePoint> unexplained_since_{};
    bool was_explained_ = false;  ///< by full disks or the reserve
    bool other_limit_ = false;    ///< bundles are refused although not all disks are full
    bool for_reserve_ = false;
    bool recovers_ = false;
    bool told_ = false;  ///< its begin was an event
};

}  // namespace farlink::telemetry
