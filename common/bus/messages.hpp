// SPDX-License-Identifier: Apache-2.0
// Every message that modules exchange: one plain struct each, by topic in messages/, one variant.
// A message is a value: its holder owns it; the bus moves it.
// wire.hpp encodes it between processes.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <concepts>
#include <utility>
#include <variant>

#include "common/bus/messages/agent_id.hpp"
#include "common/bus/messages/batches.hpp"
#include "common/bus/messages/endpoints.hpp"
#include "common/bus/messages/event_header.hpp"
#include "common/bus/messages/life_cycle.hpp"
#include "common/bus/messages/links.hpp"
#include "common/bus/messages/operator.hpp"
#include "common/bus/messages/plans.hpp"
#include "common/bus/messages/records.hpp"
#include "common/bus/messages/request_id.hpp"
#include "common/bus/messages/routes.hpp"
#include "common/bus/messages/sessions.hpp"
#include "common/bus/messages/store.hpp"
#include "common/bus/messages/telemetry.hpp"

namespace farlink::bus {

using MessageVariant =
    std::variant<ForwardBatch, StoreBatch, ReleaseBatch, BatchOutcome, ContactStart, ContactEnd,
                 LinkUp, LinkDown, LinkSnapshot, ContactsUpdate, RouteUpdate, LinkStatus,
                 SnapshotRequest, Backlog, StorageReady, ReportRequest, CounterReport, ModuleReady,
                 Stop, ArrivedBatch, TransmitBatch, SessionChange, UpstreamChange, UpstreamPause,
                 TransferDispositions, CopyOutcomes, LinkChange, LinkChangeResult, CustodyRecord,
                 OriginateRequest, ClockConfirm, LinkReport, LinkPace, LinkAdmin, NeighbourDepleted,
                 PlanReplace, ContactsProposal, RoutesPreview, BacklogReport, PlanChange,
                 ContactsChange, ModuleEnded, ModuleLost, ModuleBack, LinkInfo, StorageReport,
                 HistogramReport, ProcessReport, ApiRequest, ApiReply, LocalDelivery,
                 LocalDelivered, LinkOverride, DestinationHold, DrainMode, StoreRequest, StoreReply,
                 PingRequest, PingReply, LogChange, StateRequest, StateReply, BundlePieceRequest,
                 BundlePiece, StoreTaskRequest, StoreTaskReply, SettingsChange, ReloadReport,
                 EndpointsChange, EndpointReport, StorageReserve, CommandReport>;

template <class Data, class Variant>
inline constexpr bool kIsAlternative = false;
template <class Data, class... Alternatives>
inline constexpr bool kIsAlternative<Data, std::variant<Alternatives...>> =
    (std::same_as<Data, Alternatives> || ...);

/// A variant whose moves and destructor are compiled once: in each file that includes this header,
/// those of the bare variant took longer than the rest of the file.
class Message : public MessageVariant {
public:
    Message() noexcept;
    /// From a struct of the list. Without exceptions, because `data` is a value already.
    template <class Data>
        requires kIsAlternative<Data, MessageVariant>
    Message(Data data) noexcept : MessageVariant(std::in_place_type<Data>, std::move(data)) {}
    Message(Message &&) noexcept;
    Message &operator=(Message &&) noexcept;
    ~Message();
};

/// The news that `module` is there again.
[[nodiscard]] inline bool is_back(const Message &message, AgentId module) {
    const auto *back = std::get_if<ModuleBack>(&message);
    return back != nullptr && back->module == module;
}

/// A message and the module it is for; what a core's poll_message() hands to its agent.
/// `publish` sends it to every subscriber of this module's events instead.
struct Outgoing {
    AgentId to = AgentId::kIngress;
    bool publish = false;
    Message message;
};

}  // namespace farlink::bus
