// SPDX-License-Identifier: Apache-2.0
// The two ends of an event stream, which may lose events: the subscriber detects gaps, duplicates
// and restarts, and the publisher repeats its state.
// EventStream is owned by the subscriber, one for each publisher; EventRepeat by the publisher;
// each is used on its owner's thread only. Neither sends anything itself.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "common/bus/messages.hpp"

namespace farlink::bus {

class EventStream {
public:
    enum class Arrival : std::uint8_t {
        kInOrder = 0,    ///< apply it
        kDuplicate = 1,  ///< drop it: already applied, or part of the snapshot
        kGap = 2,        ///< events before it are missing; apply it, a snapshot follows
        kNewEpoch = 3,   ///< the publisher has restarted; apply it, a snapshot follows
    };

    /// Classifies an event and records it.
    Arrival accept(const EventHeader &header);

    /// Whether to apply the snapshot. False if it brings nothing new, or is older than events that
    /// were applied already: it would undo them, and another one is requested.
    [[nodiscard]] bool accept_snapshot(const EventHeader &header);

    /// True once for each SnapshotRequest to send: at the start, after a gap or a restart of the
    /// publisher, and after an outdated snapshot.
    [[nodiscard]] bool take_request();

    /// Whether no event is missing.
    [[nodiscard]] bool synchronised() const { return need_ == Need::kNone; }
    [[nodiscard]] bool snapshot_requested() const { return need_ == Need::kRequested; }

private:
    enum class Need : std::uint8_t { kNone, kRequest, kRequested };

    std::optional<EventHeader> last_;
    Need need_ = Need::kRequest;
};

/// A subscriber that loses the last event cannot detect a gap, because no event follows. Therefore
/// the publisher repeats its snapshot after each event, with pauses that double.
class EventRepeat {
public:
    static constexpr Duration kFirstPause = seconds(1);
    static constexpr Duration kLongestPause = seconds(60);

    /// `sequence` is that of the last event; a new event restarts the pauses.
    void note(std::uint64_t sequence, TimePoint now) {
        if (std::exchange(sequence_, sequence) == sequence) return;
        pause_ = kFirstPause;
        next_ = now + pause_;
    }
    [[nodiscard]] TimePoint next_timeout() const { return next_; }
    /// Whether to publish the snapshot now; if so, the next time is set.
    [[nodiscard]] bool take_due(TimePoint now) {
        if (next_ > now) return false;
        pause_ = std::min(2 * pause_, kLongestPause);
        next_ = now + pause_;
        return true;
    }

private:
    std::uint64_t sequence_ = 0;
    Duration pause_ = kFirstPause;
    TimePoint next_ = kNever;
};

}  // namespace farlink::bus
