// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/pending_requests.hpp"

#include <algorithm>
#include <utility>

namespace farlink::control {

PendingRequests::PendingRequests(bus::RequestId last_id, Send send, Duration patience)
    : last_id_(last_id),
      send_(std::move(send)),
      links_(patience),
      routes_(patience),
      backlogs_(patience),
      previews_(patience),
      stores_(patience),
      pieces_(patience),
      tasks_(patience),
      states_(patience) {}

bus::RequestId PendingRequests::next_id() {
    last_id_ = bus::RequestId{last_id_.value() + 1};
    return last_id_;
}

void PendingRequests::request_links(PendingReplies<bus::LinkSnapshot>::Handler handler,
                                    const WallClock &now) {
    const bus::RequestId id = next_id();
    links_.add(id, std::move(handler), now);
    send_(bus::AgentId::kScheduler,
          bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor, id});
}

void PendingRequests::request_routes(PendingReplies<bus::RouteUpdate>::Handler handler,
                                     const WallClock &now) {
    const bus::RequestId id = next_id();
    routes_.add(id, std::move(handler), now);
    send_routes_request(id);
}

void PendingRequests::request_routes(PendingReplies<bus::BacklogReport>::Handler backlog,
                                     PendingReplies<bus::RouteUpdate>::Handler routes,
                                     const WallClock &now) {
    request_routes(std::move(routes), now);
    backlogs_.add(last_id_, std::move(backlog), now);
}

void PendingRequests::send_routes_request(bus::RequestId id) {
    send_(bus::AgentId::kRouter,
          bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kSupervisor, id});
}

void PendingRequests::request_store(bus::StoreRequest request,
                                    PendingReplies<bus::StoreReply>::Handler handler,
                                    const WallClock &now) {
    request.id = next_id();
    stores_.add(request.id, std::move(handler), now);
    send_(bus::AgentId::kStorage, std::move(request));
}

void PendingRequests::request_piece(bus::BundlePieceRequest request,
                                    PendingReplies<bus::BundlePiece>::Handler handler,
                                    const WallClock &now) {
    request.id = next_id();
    pieces_.add(request.id, std::move(handler), now);
    send_(bus::AgentId::kStorage, request);
}

void PendingRequests::request_task(bus::StoreTaskRequest request,
                                   PendingReplies<bus::StoreTaskReply>::Handler handler,
                                   const WallClock &now) {
    request.id = next_id();
    tasks_.add(request.id, std::move(handler), now);
    send_(bus::AgentId::kStorage, request);
}

void PendingRequests::request_state(std::string_view target,
                                    PendingReplies<bus::StateReply>::Handler handler,
                                    const WallClock &now) {
    const ByteView octets = as_bytes(target);
    const bus::RequestId id = next_id();
    states_.add(id, std::move(handler), now);
    send_(bus::AgentId::kTelemetry, bus::StateRequest{id, {octets.begin(), octets.end()}});
}

void PendingRequests::handle_lost(bus::AgentId module, const WallClock &now) {
    if (module == bus::AgentId::kRouter) previews_.fail_all(now);
}

void PendingRequests::handle_back(bus::AgentId module, const WallClock &now) {
    if (module != bus::AgentId::kRouter) return;
    previews_.fail_all(now);
    for (const bus::RequestId id : routes_.ids()) send_routes_request(id);
}

void PendingRequests::handle(bus::LinkSnapshot reply, const WallClock &now) {
    links_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::RouteUpdate reply, const WallClock &now) {
    routes_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::RoutesPreview reply, const WallClock &now) {
    previews_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::StoreReply reply, const WallClock &now) {
    stores_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::BundlePiece reply, const WallClock &now) {
    pieces_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::StoreTaskReply reply, const WallClock &now) {
    tasks_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::StateReply reply, const WallClock &now) {
    states_.handle(std::move(reply), now);
}

void PendingRequests::handle(bus::BacklogReport report, const WallClock &now) {
    backlogs_.handle(std::move(report), now);
}

TimePoint PendingRequests::next_timeout() const {
    return std::min({links_.next_timeout(), backlogs_.next_timeout(), routes_.next_timeout(),
                     previews_.next_timeout(), stores_.next_timeout(), pieces_.next_timeout(),
                     tasks_.next_timeout(), states_.next_timeout()});
}

void PendingRequests::handle_timeout(const WallClock &now) {
    links_.handle_timeout(now);
    backlogs_.handle_timeout(now);
    routes_.handle_timeout(now);
    previews_.handle_timeout(now);
    stores_.handle_timeout(now);
    pieces_.handle_timeout(now);
    tasks_.handle_timeout(now);
    states_.handle_timeout(now);
}

}  // namespace farlink::control
