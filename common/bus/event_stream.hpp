// SPDX-License-Identifier: Apache-2.0
// The two ends of an event stream, which may lose events: the subscriber sees gaps, repetitions and
// restarts, and the publisher knows when to repeat its state.
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
        kDuplicate = 1,  ///< drop it: seen before, or part of the snapshot
        kGap = 2,        ///< events are missing before it; apply it, a snapshot will follow
        kNewEpoch = 3,   ///< the publisher has started anew; apply it, a snapshot will follow
    };

    /// Judges an event and remembers it.
    Arrival accept(const EventHeader &header);

    /// True when the snapshot is to be applied. It is not when it says nothing new, nor when it was
    /// made before events that were applied already: it would undo them, and another one is asked
    /// for.
    [[nodiscard]] bool accept_snapshot(const EventHeader &header);

    /// True once for each SnapshotRequest that is to be sent: at start, after a gap or a restart of
    /// the publisher, and after a snapshot that came too late.
    [[nodiscard]] bool take_request();

    /// What was heard last is complete.
    [[nodiscard]] bool synchronised() const { return need_ == Need::kNone; }
    [[nodiscard]] bool snapshot_requested() const { return need_ == Need::kRequested; }

private:
    enum class Need : std::uint8_t { kNone, kRequest, kRequested };

    std::optional<EventHeader> last_;
    Need need_ = Need::kRequest;
};

/// A subscriber that loses the last event sees no gap, because nothing follows. So the publisher
/// publishes its snapshot some time after each event, again and again, with pauses that double.
class EventRepeat {
public:
    static constexpr Duration kFirstPause = seconds(1);
    static constexpr Duration kLongestPause = seconds(60);

    /// `sequence` is that of the last event; a new one begins the pauses again.
    void note(std::uint64_t sequence, TimePoint now) {
        if (std::exchange(sequence_, sequence) == sequence) return;
        pause_ = kFirstPause;
        next_ = now + pause_;
    }
    [[nodiscard]] TimePoint next_timeout() const { return next_; }
    /// True when the snapshot is to be published now; the next time is set then.
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
