// SPDX-License-Identifier: Apache-2.0
#include "common/bus/event_filter.hpp"

#include <type_traits>

#include "common/bus/dispatch.hpp"

namespace farlink::bus {

bool EventFilter::admit(const Message &message) {
    return std::visit(
        [this](const auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, LinkSnapshot>)
                return admit_snapshot(AgentId::kScheduler, data.header);
            else if constexpr (std::is_same_v<Data, RouteUpdate>)
                // Each RouteUpdate has the whole table and is therefore a snapshot.
                return admit_snapshot(AgentId::kRouter, data.header);
            else if constexpr (kIsOneOf<Data, ContactStart, ContactEnd, LinkUp, LinkDown>)
                return admit_event(data.header);
            else
                return true;
        },
        message);
}

bool EventFilter::admit_event(const EventHeader &header) {
    EventStream *stream = find(AgentId::kScheduler);
    return stream == nullptr || stream->accept(header) != EventStream::Arrival::kDuplicate;
}

bool EventFilter::admit_snapshot(AgentId publisher, const EventHeader &header) {
    EventStream *stream = find(publisher);
    return stream == nullptr || stream->accept_snapshot(header);
}

EventStream *EventFilter::find(AgentId publisher) {
    for (Subscription &subscription : streams_)
        if (subscription.publisher == publisher) return &subscription.stream;
    return nullptr;
}

}  // namespace farlink::bus
