// SPDX-License-Identifier: Apache-2.0
// Filters the events of a subscriber's publishers, and requests snapshots after gaps.
// Owned by an agent's loop.
// Its thread only.
#pragma once

#include <optional>
#include <vector>

#include "common/bus/event_stream.hpp"

namespace farlink::bus {

class EventFilter {
public:
    explicit EventFilter(const std::vector<AgentId> &publishers) {
        for (const AgentId publisher : publishers) streams_.push_back({publisher, {}});
    }

    /// False for a duplicate event or an outdated snapshot; true for every other message.
    [[nodiscard]] bool admit(const Message &message);
    /// After modules were lost or came back: requests new snapshots and accepts them.
    void restart() {
        for (Subscription &subscription : streams_) subscription.stream = {};
    }
    /// A publisher from which a snapshot is to be requested now.
    [[nodiscard]] std::optional<AgentId> take_request() {
        for (Subscription &subscription : streams_)
            if (subscription.stream.take_request()) return subscription.publisher;
        return std::nullopt;
    }

private:
    struct Subscription {
        AgentId publisher;
        EventStream stream;
    };

    bool admit_event(const EventHeader &header);
    bool admit_snapshot(AgentId publisher, const EventHeader &header);
    EventStream *find(AgentId publisher);

    std::vector<Subscription> streams_;
};

}  // namespace farlink::bus
