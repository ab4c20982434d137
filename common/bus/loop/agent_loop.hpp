// SPDX-License-Identifier: Apache-2.0
// The event loop of an agent: a reactor, a port on the bus, a timer for its core, and a tick for
// the wall clock (once a second) and the counters (ten times a second).
// Owned by one agent and run on one thread, the agent's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <vector>

#include "common/bus/event_filter.hpp"
#include "common/bus/loop/addressing.hpp"
#include "common/bus/loop/bus_pump.hpp"
#include "common/bus/zmq/zmq_bus.hpp"
#include "common/runtime/core_timer.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::bus {

/// An agent's handlers; each runs on the loop's thread.
struct AgentHandlers {
    std::function<void(Message)> on_message;
    /// Sends the core's output, after a run of messages and after the timer.
    std::function<void()> drain_outputs;
    std::function<void()> on_timeout;
    std::function<void()> on_second;
    /// Ten times a second, and once after on_second(); if empty, the agent wakes once a second.
    std::function<void()> on_report = {};
};

class AgentLoop {
public:
    AgentLoop(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
              AgentHandlers handlers);

    /// Serves until stop(); called on the agent's own thread.
    void run();
    void stop() { io_.stop(); }
    /// Arms the core's timer.
    void arm(TimePoint due) { timer_.arm(due); }
    /// If `to` is a role with several instances, the instance that the message is about gets it.
    void send(Outgoing outgoing) {
        if (outgoing.publish)
            port_.publish(outgoing.message);
        else
            send(outgoing.to, std::move(outgoing.message));
    }
    void send(AgentId to, Message message);
    [[nodiscard]] AgentId self() const { return self_; }
    [[nodiscard]] boost::asio::io_context &io() { return io_; }

private:
    template <class Data>
    void send_to_all(AgentId role, const Data &data);
    void receive(Message message);
    void ask_for_snapshots();
    void tick();
    void on_tick();
    [[nodiscard]] bool is_unhurried() const;
    /// Once a second: process figures for telemetry, a heartbeat for the supervisor.
    void publish_process();
    /// At most once a second.
    void publish_refusals();

    BusContext &context_;
    AgentId self_;
    Addressing addressing_;
    Logger log_{"bus"};
    boost::asio::io_context io_{1};
    AgentHandlers handlers_;
    EventFilter filter_;
    BusPort port_;
    BusPump pump_;
    CoreTimer timer_;
    boost::asio::steady_timer second_;
    std::uint64_t published_refused_ = 0;
    std::int64_t last_second_ = 0;
};

}  // namespace farlink::bus
