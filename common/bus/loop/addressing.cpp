// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/addressing.hpp"

#include <type_traits>

#include "common/bus/dispatch.hpp"

namespace farlink::bus {
namespace {

bool runs_several_times(AgentId to) {
    return to == AgentId::kIngress || to == AgentId::kEgress;
}

/// Messages about bidirectional sessions stay between the instances of ingress and egress with the
/// same number.
template <class Data>
constexpr bool kStaysInPair = kIsOneOf<Data, ArrivedBatch, TransmitBatch, SessionChange, LinkPace,
                                       UpstreamChange, UpstreamPause, TransferDispositions>;

}  // namespace

bool Addressing::for_all(AgentId to, const Message &message) const {
    return runs_several_times(to) && (std::holds_alternative<Backlog>(message) ||
                                      std::holds_alternative<StorageReady>(message) ||
                                      std::holds_alternative<StorageReserve>(message) ||
                                      std::holds_alternative<EndpointsChange>(message));
}

AgentId Addressing::addressee(AgentId to, const Message &message) const {
    if (!runs_several_times(to)) return to;
    const auto instance = std::visit(
        [&](const auto &data) -> std::size_t {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (kStaysInPair<Data>)
                return bus::instance_of(self_);
            else if constexpr (std::is_same_v<Data, BatchOutcome>)
                return data.batch->instance;
            else if constexpr (kIsOneOf<Data, ForwardBatch, ReleaseBatch>)
                // The first instance of ingress has the services.
                return data.batch->link == kServicesLink ? 0
                                                         : placement_.instance_of(data.batch->link);
            else if constexpr (std::is_same_v<Data, LinkChange>)
                return placement_.instance_of(data.link);
            else
                return 0;
        },
        message);
    return instance_at(to, instance);
}

}  // namespace farlink::bus
