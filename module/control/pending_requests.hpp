// SPDX-License-Identifier: Apache-2.0
// What the supervisor asks the modules, and who waits for the answers.
// Owned by the node's supervisor; its thread only.
// Data messages are never lost and keep their order, so the answers come in the order of the
// questions; one that comes too late is taken by nobody. Only a module that dies takes with it what
// it was asked.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/numbered_requests.hpp"

namespace farlink::app {

/// Who waits for answers of one kind. Each is answered once: by the message, or by nothing when it
/// does not come in time.
template <class Answer>
class PendingReplies {
public:
    using Handler = std::function<void(std::optional<Answer>)>;

    PendingReplies(boost::asio::io_context &io, Duration patience)
        : timer_(io), patience_(patience) {}

    void add(Handler handler) {
        waiting_.push_back({std::move(handler), monotonic_now() + patience_});
        arm();
    }
    /// The answer to the oldest question.
    void handle(Answer answer) {
        if (waiting_.empty()) return;
        const Handler handler = std::move(waiting_.front().handler);
        waiting_.pop_front();
        arm();
        if (handler) handler(std::move(answer));
    }
    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    /// Somebody waits who has not been told that nothing came.
    [[nodiscard]] bool hopeful() const {
        return std::ranges::any_of(waiting_,
                                   [](const Waiter &waiter) { return bool(waiter.handler); });
    }
    /// No answer to what was asked so far will come: all are told so.
    void forget() {
        const std::deque<Waiter> left = std::exchange(waiting_, {});
        arm();
        for (const Waiter &waiter : left)
            if (waiter.handler) waiter.handler(std::nullopt);
    }

private:
    struct Waiter {
        Handler handler;  ///< empty once it has been told that nothing came
        TimePoint until;
    };

    void arm() {
        for (const Waiter &waiter : waiting_) {
            if (!waiter.handler) continue;
            timer_.expires_after(waiter.until - monotonic_now());
            timer_.async_wait([this](const boost::system::error_code &error) {
                if (!error) give_up();
            });
            return;
        }
        timer_.cancel();
    }
    void give_up() {
        std::deque<Handler> late;
        for (Waiter &waiter : waiting_)
            if (waiter.handler && waiter.until <= monotonic_now())
                late.push_back(std::exchange(waiter.handler, nullptr));
        arm();
        for (const Handler &handler : late) handler(std::nullopt);
    }

    boost::asio::steady_timer timer_;
    Duration patience_;
    std::deque<Waiter> waiting_;
};

class PendingRequests {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    /// `patience`: how long a module may take to answer.
    PendingRequests(boost::asio::io_context &io, Send send, Duration patience = seconds(5))
        : send_(std::move(send)),
          links_(io, patience),
          routes_(io, patience),
          previews_(io, patience),
          stores_(io, patience),
          pieces_(io, patience),
          tasks_(io, patience),
          states_(io, patience) {}

    void ask_links(PendingReplies<bus::LinkSnapshot>::Handler handler) {
        links_.add(std::move(handler));
        send_(bus::AgentId::kScheduler,
              bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor});
    }
    /// Before the first plan the router answers once, however often it is asked.
    void ask_routes(PendingReplies<bus::RouteUpdate>::Handler handler) {
        const bool asked = routes_.hopeful();
        routes_.add(std::move(handler));
        if (!asked) ask_router();
    }
    /// What is in storage, when the last question about routes was answered.
    using Waiting = std::shared_ptr<const std::vector<bus::WaitingBytes>>;
    [[nodiscard]] const Waiting &waiting() const { return waiting_; }
    /// The links and the routes as they are then; or, after a dry run, as they would be.
    void change_plan(bus::Message change, PendingReplies<bus::LinkSnapshot>::Handler links,
                     PendingReplies<bus::RoutesPreview>::Handler routes) {
        links_.add(std::move(links));
        previews_.add(std::move(routes));
        send_(bus::AgentId::kScheduler, std::move(change));
    }
    /// Bundles that storage holds; it numbers the request.
    void ask_store(bus::StoreRequest request, NumberedReplies<bus::StoreReply>::Handler handler) {
        request.id = stores_.add(std::move(handler));
        send_(bus::AgentId::kStorage, std::move(request));
    }
    /// Octets of a bundle that storage holds, likewise.
    void ask_piece(bus::BundlePieceRequest request,
                   NumberedReplies<bus::BundlePiece>::Handler handler) {
        request.id = pieces_.add(std::move(handler));
        send_(bus::AgentId::kStorage, request);
    }
    /// What storage does beside its work, likewise.
    void ask_task(bus::StoreTaskRequest request,
                  NumberedReplies<bus::StoreTaskReply>::Handler handler) {
        request.id = tasks_.add(std::move(handler));
        send_(bus::AgentId::kStorage, request);
    }
    /// What telemetry answers to a path of the HTTP API.
    void ask_state(std::string_view target, NumberedReplies<bus::StateReply>::Handler handler) {
        const ByteView octets = as_bytes(target);
        const std::uint64_t id = states_.add(std::move(handler));
        send_(bus::AgentId::kTelemetry, bus::StateRequest{id, {octets.begin(), octets.end()}});
    }
    void send(bus::AgentId to, bus::Message message) { send_(to, std::move(message)); }

    /// The router hears of a plan from the scheduler, so nobody can ask again what a change did.
    void handle_lost(bus::AgentId module) {
        if (module == bus::AgentId::kRouter) previews_.forget();
    }
    /// What it was asked before, and while it was away, it has not heard.
    void handle_back(bus::AgentId module) {
        if (module != bus::AgentId::kRouter) return;
        previews_.forget();
        if (routes_.hopeful()) ask_router();
    }

    /// Those about a large plan are large: they are moved, not copied.
    void handle(bus::LinkSnapshot answer) { links_.handle(std::move(answer)); }
    void handle(bus::RoutesPreview answer) { previews_.handle(std::move(answer)); }
    void handle(const bus::StoreReply &answer) { stores_.handle(answer); }
    void handle(const bus::BundlePiece &answer) { pieces_.handle(answer); }
    void handle(const bus::StoreTaskReply &answer) { tasks_.handle(answer); }
    void handle(const bus::StateReply &answer) { states_.handle(answer); }
    void handle(bus::BacklogReport report) {
        waiting_ =
            std::make_shared<const std::vector<bus::WaitingBytes>>(std::move(report.waiting));
    }
    void handle(const bus::RouteUpdate &answer) {
        while (!routes_.empty()) routes_.handle(answer);
    }

private:
    void ask_router() {
        send_(bus::AgentId::kRouter,
              bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kSupervisor});
    }

    Send send_;
    PendingReplies<bus::LinkSnapshot> links_;
    PendingReplies<bus::RouteUpdate> routes_;
    PendingReplies<bus::RoutesPreview> previews_;
    NumberedReplies<bus::StoreReply> stores_;
    NumberedReplies<bus::BundlePiece> pieces_;
    NumberedReplies<bus::StoreTaskReply> tasks_;
    NumberedReplies<bus::StateReply> states_;
    Waiting waiting_ = std::make_shared<const std::vector<bus::WaitingBytes>>();
};

}  // namespace farlink::app
