// SPDX-License-Identifier: Apache-2.0
// Requests of the control module to other modules, and the handlers that await the replies.
// Owned by the control agent; its thread only.
// `Send` puts a message on the bus.
#pragma once

#include <functional>
#include <string_view>

#include "module/control/core/pending_replies.hpp"

namespace farlink::control {

class PendingRequests {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    static constexpr Duration kPatience = seconds(5);

    /// Request ids rise from `last_id`, which no earlier process has reached. `patience`: how long
    /// a module may take to reply.
    PendingRequests(bus::RequestId last_id, Send send, Duration patience = kPatience);

    /// For a request that another class sends and matches.
    [[nodiscard]] bus::RequestId next_id();
    void send(bus::AgentId to, bus::Message message) { send_(to, std::move(message)); }

    void request_links(PendingReplies<bus::LinkSnapshot>::Handler handler, const WallClock &now);
    void request_routes(PendingReplies<bus::RouteUpdate>::Handler handler, const WallClock &now);
    /// The routes, and before them the bytes in storage for which the router has computed them.
    void request_routes(PendingReplies<bus::BacklogReport>::Handler backlog,
                        PendingReplies<bus::RouteUpdate>::Handler routes, const WallClock &now);
    /// `change` is a PlanReplace or PlanChange. Replies: the links and the routes as they are then,
    /// or, of a dry run, as they would be.
    template <class Change>
    void change_plan(Change change, PendingReplies<bus::LinkSnapshot>::Handler links,
                     PendingReplies<bus::RoutesPreview>::Handler routes, const WallClock &now) {
        change.id = next_id();
        links_.add(change.id, std::move(links), now);
        previews_.add(change.id, std::move(routes), now);
        send_(bus::AgentId::kScheduler, std::move(change));
    }
    /// Sets the id of `request`.
    void request_store(bus::StoreRequest request, PendingReplies<bus::StoreReply>::Handler handler,
                       const WallClock &now);
    void request_piece(bus::BundlePieceRequest request,
                       PendingReplies<bus::BundlePiece>::Handler handler, const WallClock &now);
    void request_task(bus::StoreTaskRequest request,
                      PendingReplies<bus::StoreTaskReply>::Handler handler, const WallClock &now);
    /// `target`: a path of the HTTP API.
    void request_state(std::string_view target, PendingReplies<bus::StateReply>::Handler handler,
                       const WallClock &now);

    /// A plan change that the router has not answered fails: the scheduler sends it only once.
    void handle_lost(bus::AgentId module, const WallClock &now);
    /// The router gets the requests again that it has not answered.
    void handle_back(bus::AgentId module, const WallClock &now);

    /// Replies about a large plan are large: they are moved.
    void handle(bus::LinkSnapshot reply, const WallClock &now);
    void handle(bus::RouteUpdate reply, const WallClock &now);
    void handle(bus::RoutesPreview reply, const WallClock &now);
    void handle(bus::StoreReply reply, const WallClock &now);
    void handle(bus::BundlePiece reply, const WallClock &now);
    void handle(bus::StoreTaskReply reply, const WallClock &now);
    void handle(bus::StateReply reply, const WallClock &now);
    void handle(bus::BacklogReport report, const WallClock &now);

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(const WallClock &now);

private:
    void send_routes_request(bus::RequestId id);

    bus::RequestId last_id_;
    Send send_;
    PendingReplies<bus::LinkSnapshot> links_;
    PendingReplies<bus::RouteUpdate> routes_;
    PendingReplies<bus::BacklogReport> backlogs_;
    PendingReplies<bus::RoutesPreview> previews_;
    PendingReplies<bus::StoreReply> stores_;
    PendingReplies<bus::BundlePiece> pieces_;
    PendingReplies<bus::StoreTaskReply> tasks_;
    PendingReplies<bus::StateReply> states_;
};

}  // namespace farlink::control
