// SPDX-License-Identifier: Apache-2.0
// The bus of one simulated node: messages between two modules stay in order; the seed decides the
// order of messages of different modules.
// Owned by a SimNode; one thread. Events travel encoded and may be dropped, as on the real bus.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "common/bus/messages.hpp"

namespace farlink::sim {

class SimBus {
public:
    SimBus(Random &random, std::uint32_t event_loss_ppm)
        : random_(random), event_loss_ppm_(event_loss_ppm) {}

    void subscribe(bus::AgentId subscriber, bus::AgentId publisher) {
        subscribers_[publisher].push_back(subscriber);
    }
    void send(bus::AgentId from, bus::Outgoing outgoing);

    struct Delivery {
        bus::AgentId to;
        bus::Message message;
    };
    [[nodiscard]] std::optional<Delivery> next();
    [[nodiscard]] bool empty() const { return waiting_ == 0; }
    [[nodiscard]] std::uint64_t events_lost() const { return events_lost_; }

private:
    /// Direct messages and events go by different sockets, so each keeps its own order only.
    struct Route {
        bus::AgentId from;
        bus::AgentId to;
        bool event = false;
        friend auto operator<=>(const Route &, const Route &) = default;
    };

    void queue(const Route &route, bus::Message message);

    Random &random_;
    std::uint32_t event_loss_ppm_;
    std::map<bus::AgentId, std::vector<bus::AgentId>> subscribers_;
    std::map<Route, std::deque<bus::Message>> queues_;  ///< none of them empty
    std::size_t waiting_ = 0;
    std::uint64_t events_lost_ = 0;
};

}  // namespace farlink::sim
