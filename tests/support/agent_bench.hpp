// SPDX-License-Identifier: Apache-2.0
// An agent by itself: on its bus the test is every other module, with a port for each.
// Owned by one test, which makes the agent on context() and runs it with start(); the ports are on
// the test's thread. The agent outlives the bench's stop(), which waits for its end.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/config/node/load_node_config.hpp"
#include "tests/support/bus_wait.hpp"

namespace farlink::test {

class AgentBench {
public:
    explicit AgentBench(bus::AgentId agent) : agent_(agent) {
        for (const bus::AgentId other :
             {bus::AgentId::kIngress, bus::AgentId::kEgress, bus::AgentId::kStorage,
              bus::AgentId::kScheduler, bus::AgentId::kRouter, bus::AgentId::kTelemetry,
              bus::AgentId::kSupervisor})
            if (other != agent)
                ports_.emplace(other, std::make_unique<bus::BusPort>(context_, other,
                                                                     std::vector<bus::AgentId>{}));
    }
    AgentBench(const AgentBench &) = delete;
    AgentBench &operator=(const AgentBench &) = delete;
    ~AgentBench() { stop(); }

    [[nodiscard]] bus::BusContext &context() { return context_; }

    template <class Agent>
    void start(Agent &agent) {
        ended_ = false;
        thread_ = std::thread([this, &agent] {
            agent.run();
            ended_ = true;
        });
    }
    [[nodiscard]] bool ended() const { return ended_; }
    /// Waits for the end of the agent, and frees its messages that no test has received.
    void join() {
        if (!thread_.joinable()) return;
        thread_.join();
        for (const auto &[module, port] : ports_)
            while (port->receive()) {
            }
    }
    void stop() {
        if (thread_.joinable() && !ended_) send(bus::Stop{});
        join();
    }

    /// All messages to the agent are from one port, so that they arrive in their order.
    void send(bus::Message message) {
        const auto port =
            ports_.find(agent_ == bus::AgentId::kSupervisor ? bus::AgentId::kTelemetry
                                                            : bus::AgentId::kSupervisor);
        port->second->send(agent_, std::move(message));
    }
    /// The next message of this kind to module `to`; others to it are dropped.
    template <class Data>
    [[nodiscard]] std::optional<Data> next(bus::AgentId to) {
        return wait_for<Data>(*ports_.at(to));
    }
    /// The next one that `wanted` takes.
    template <class Data, class Wanted>
    [[nodiscard]] std::optional<Data> next(bus::AgentId to, const Wanted &wanted) {
        while (auto data = next<Data>(to))
            if (wanted(*data)) return data;
        return std::nullopt;
    }
    /// Changes a link of the agent, and returns the error of its answer; empty: it was changed.
    [[nodiscard]] std::string change_link(bus::LinkVerb verb, LinkId link, bool outduct,
                                          const nlohmann::json &config = {}) {
        bus::LinkChange change{.verb = verb, .link = link, .outduct = outduct, .config = {}};
        if (!config.is_null()) {
            const std::string text = config.dump();
            change.config.assign(text.begin(), text.end());
        }
        change.id = bus::RequestId{++requests_};
        send(std::move(change));
        const auto result = next<bus::LinkChangeResult>(bus::AgentId::kSupervisor);
        if (!result) return "no answer";
        EXPECT_EQ(result->id, bus::RequestId{requests_});
        return {result->error.begin(), result->error.end()};
    }
    /// The last report of the agent's counters, when it ends.
    [[nodiscard]] std::optional<bus::CounterReport> last_report() {
        return next<bus::CounterReport>(bus::AgentId::kTelemetry,
                                        [](const auto &report) { return report.last; });
    }
    /// A link that is planned and connected, and nodes behind it; each call is a new state.
    void set_link(LinkId link, NodeNumber neighbour, const std::vector<NodeNumber> &nodes,
                  bool up = true) {
        bus::LinkEntry entry;
        entry.link = link;
        entry.neighbour = neighbour;
        entry.planned = entry.connected = up;
        ++events_;
        send(bus::LinkSnapshot{{1, events_}, {entry}, {}});
        set_routes(link, neighbour, nodes, up);
    }
    void set_routes(LinkId link, NodeNumber neighbour, const std::vector<NodeNumber> &nodes,
                    bool up = true) {
        bus::RouteUpdate update;
        update.header = {1, ++events_};
        for (const NodeNumber node : nodes) {
            bus::RouteCandidate candidate;
            candidate.next_hop = neighbour;
            candidate.link = link;
            update.routes.push_back({node, {candidate}});
        }
        update.neighbours = {{neighbour, link, up}};
        send(std::move(update));
    }

private:
    bus::AgentId agent_;
    bus::BusContext context_;
    std::map<bus::AgentId, std::unique_ptr<bus::BusPort>> ports_;
    std::thread thread_;
    std::atomic<bool> ended_ = false;
    std::uint64_t events_ = 0;
    std::uint64_t requests_ = 0;
};

/// A configuration that must be right; paths in it start in `folder`.
[[nodiscard]] inline config::NodeConfig node_config(const nlohmann::json &json,
                                                    const std::string &folder = ".") {
    auto config = config::parse_node_config(json.dump(), folder);
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? std::move(*config) : config::NodeConfig{};
}

/// Gives every bundle of a batch the same outcome.
[[nodiscard]] inline bus::BatchOutcome with_outcome(BatchPtr batch, Outcome outcome) {
    batch->uniform = outcome;
    return {std::move(batch)};
}

}  // namespace farlink::test
