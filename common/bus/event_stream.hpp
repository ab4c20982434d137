// SPDX-License-Identifier: Apache-2.0
// The subscriber's side of an event stream: sees gaps, repetitions and restarts of the publisher.
// Owned by the subscriber, one for each publisher that it listens to; its thread only.
// It sends nothing itself: take_request() says when a SnapshotRequest is due.
#pragma once

#include <optional>

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

    /// True when the snapshot is to be applied. It is not when it was made before events that were
    /// applied already: it would undo them, so another one is asked for.
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

}  // namespace farlink::bus
