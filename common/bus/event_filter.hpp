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
    [[nodiscard]] bool admit(const Message &message) {
        return std::visit([this](const auto &data) { return admit_one(data); }, message);
    }
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

    template <class Data>
    bool admit_one(const Data &data) {
        if constexpr (std::is_same_v<Data, LinkSnapshot>) {
            return admit_snapshot(AgentId::kScheduler, data.header);
        } else if constexpr (std::is_same_v<Data, RouteUpdate>) {
            // Each RouteUpdate has the whole table and is therefore a snapshot.
            return admit_snapshot(AgentId::kRouter, data.header);
        } else if constexpr (std::is_same_v<Data, ContactStart> ||
                             std::is_same_v<Data, ContactEnd> || std::is_same_v<Data, LinkUp> ||
                             std::is_same_v<Data, LinkDown>) {
            EventStream *stream = find(AgentId::kScheduler);
            return stream == nullptr ||
                   stream->accept(data.header) != EventStream::Arrival::kDuplicate;
        } else {
            return true;
        }
    }
    bool admit_snapshot(AgentId publisher, const EventHeader &header) {
        EventStream *stream = find(publisher);
        return stream == nullptr || stream->accept_snapshot(header);
    }
    EventStream *find(AgentId publisher) {
        for (Subscription &subscription : streams_)
            if (subscription.publisher == publisher) return &subscription.stream;
        return nullptr;
    }

    std::vector<Subscription> streams_;
};

}  // namespace farlink::bus
