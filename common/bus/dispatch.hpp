// SPDX-License-Identifier: Apache-2.0
// The messages that each module handles, and the dispatch of a message to its handler.
// Types and plain functions; the agent's thread.
// A message that no module handles does not compile, and neither does a module that lists a message
// without a handler for it. Messages that are not in a module's list, such as events of a publisher
// that concern other subscribers, are dropped.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/time.hpp"
#include "common/bus/messages.hpp"

namespace farlink::bus {

template <class Data, class... Others>
inline constexpr bool kIsOneOf = (std::is_same_v<Data, Others> || ...);

template <class... Data>
struct MessageList {
    template <class Other>
    static constexpr bool kContains = kIsOneOf<Other, Data...>;
};

using IngressMessages =
    MessageList<ArrivedBatch, Backlog, BatchOutcome, ClockConfirm, DrainMode, EndpointsChange,
                LinkChange, LinkDown, LinkPace, LinkSnapshot, LinkUp, LocalDelivered, LocalDelivery,
                ModuleBack, ModuleLost, OriginateRequest, PingRequest, ReleaseBatch, ReportRequest,
                RouteUpdate, SessionChange, SettingsChange, Stop, StorageReady, StorageReserve,
                TransmitBatch, UpstreamChange>;
using EgressMessages =
    MessageList<BatchOutcome, ClockConfirm, ContactEnd, ContactStart, ForwardBatch, LinkChange,
                LinkSnapshot, LinkUp, ModuleBack, ModuleLost, ReleaseBatch, SessionChange,
                SettingsChange, Stop, StorageReady, TransferDispositions, UpstreamPause>;
using StorageMessages =
    MessageList<BatchOutcome, BundlePieceRequest, ClockConfirm, CopyOutcomes, CustodyRecord,
                EndpointsChange, LinkDown, LinkSnapshot, LinkUp, ModuleBack, ModuleLost,
                RouteUpdate, SettingsChange, Stop, StoreBatch, StoreRequest, StoreTaskRequest>;
using SchedulerMessages =
    MessageList<LinkAdmin, LinkOverride, LinkStatus, ModuleLost, NeighbourDepleted, PlanChange,
                PlanReplace, SnapshotRequest, Stop>;
using RouterMessages =
    MessageList<BacklogReport, ContactEnd, ContactStart, ContactsChange, ContactsProposal,
                ContactsUpdate, DestinationHold, LinkDown, LinkSnapshot, LinkUp, ModuleBack,
                ModuleLost, NeighbourDepleted, SnapshotRequest, Stop>;
using TelemetryMessages =
    MessageList<ApiReply, CommandReport, ContactEnd, ContactStart, CounterReport, EndpointReport,
                HistogramReport, LinkChange, LinkDown, LinkInfo, LinkReport, LinkSnapshot, LinkUp,
                ModuleBack, ModuleLost, ModuleReady, ProcessReport, ReloadReport, RouteUpdate,
                SettingsChange, StateRequest, Stop, StorageReport>;
using SupervisorMessages =
    MessageList<ApiRequest, BacklogReport, BundlePiece, ClockConfirm, LinkChangeResult,
                LinkSnapshot, ModuleBack, ModuleEnded, ModuleLost, ModuleReady, PingReply,
                ProcessReport, RouteUpdate, RoutesPreview, StateReply, Stop, StoreReply,
                StoreTaskReply>;
using ApplicationsMessages =
    MessageList<BatchOutcome, ClockConfirm, ForwardBatch, ModuleBack, ModuleLost, ReleaseBatch,
                Stop, StorageReady, TransferDispositions, UpstreamPause>;
/// Handled by the loop of any module.
using LoopMessages = MessageList<LogChange>;

template <class Data>
inline constexpr bool kIsHandled =
    IngressMessages::kContains<Data> || EgressMessages::kContains<Data> ||
    StorageMessages::kContains<Data> || SchedulerMessages::kContains<Data> ||
    RouterMessages::kContains<Data> || TelemetryMessages::kContains<Data> ||
    SupervisorMessages::kContains<Data> || ApplicationsMessages::kContains<Data> ||
    LoopMessages::kContains<Data>;

/// Whether that module handles messages of this type.
template <class Data>
[[nodiscard]] constexpr bool handles(AgentId module) {
    switch (role_of(module)) {
        case AgentId::kIngress:
            return IngressMessages::kContains<Data>;
        case AgentId::kEgress:
            return EgressMessages::kContains<Data>;
        case AgentId::kStorage:
            return StorageMessages::kContains<Data>;
        case AgentId::kScheduler:
            return SchedulerMessages::kContains<Data>;
        case AgentId::kRouter:
            return RouterMessages::kContains<Data>;
        case AgentId::kTelemetry:
            return TelemetryMessages::kContains<Data>;
        case AgentId::kSupervisor:
            return SupervisorMessages::kContains<Data>;
        case AgentId::kApplications:
            return ApplicationsMessages::kContains<Data>;
        default:
            return false;
    }
}

template <class Core, class Data>
inline constexpr bool kHasHandler = requires(Core &core, TimePoint now) {
    core.handle(std::declval<Data>(), now);
} || requires(Core &core) { core.handle(std::declval<Data>()); };

/// Properties of every alternative of MessageVariant.
template <class Messages>
struct AllMessages;
template <class... Data>
struct AllMessages<std::variant<Data...>> {
    static constexpr bool kAreHandled = (kIsHandled<Data> && ...);

    template <class List, class Core>
    static constexpr bool kListed =
        ((List::template kContains<Data> || !kHasHandler<Core, Data>) && ...);
};
static_assert(AllMessages<MessageVariant>::kAreHandled, "a message is in no module's list");

/// Whether `List` contains every message that `Core` has a handle() for.
template <class List, class Core>
inline constexpr bool kListsHandlersOf = AllMessages<MessageVariant>::template kListed<List, Core>;

/// Calls `handle` with the message if it is in the list. `handle` must accept every type of it.
template <class List, class Handle>
void dispatch(Message &message, const Handle &handle) {
    std::visit(
        [&handle](auto &data) {
            if constexpr (List::template kContains<std::remove_reference_t<decltype(data)>>)
                handle(data);
        },
        message);
}

}  // namespace farlink::bus
