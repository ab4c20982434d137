// SPDX-License-Identifier: Apache-2.0
// What a subscriber lets through of its publishers' streams, and which of them it must ask.
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

    /// False for an event that was seen before and a snapshot that is out of date; true for every
    /// other message.
    [[nodiscard]] bool admit(const Message &message) {
        return std::visit([this](const auto &data) { return admit_one(data); }, message);
    }
    /// Modules have come and gone: whatever was heard before, snapshots are asked for and taken.
    void restart() {
        for (Subscription &subscription : streams_) subscription.stream = {};
    }
    /// A publisher that must be asked for a snapshot now.
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
            // Always the whole table: each one is a snapshot, whether it was asked for or not.
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
