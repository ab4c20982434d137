// SPDX-License-Identifier: Apache-2.0
// Sends updates to WebSocket clients: the state once, then patches at the rate of each.
// Owned by the server; its thread only.
// Clients of one rate share one patch. A slow client is dropped and delays no other.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "module/telemetry/api/client_message.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "module/telemetry/http/host.hpp"

namespace farlink::telemetry {

class UpdateHub {
public:
    /// Turns a second; a rate is at most that.
    static constexpr unsigned kTurns = kMostUpdatesPerSecond;

    explicit UpdateHub(NodeView &view) : view_(view) {}

    /// Adds a client, or changes its rate; sends it the state.
    void add(const std::shared_ptr<Subscriber> &subscriber, unsigned rate, const Moment &moment);
    void remove(const std::shared_ptr<Subscriber> &subscriber);
    /// Called every tenth of a second.
    void turn(const Moment &moment);
    [[nodiscard]] bool empty() const;

private:
    struct Group {
        std::vector<std::shared_ptr<Subscriber>> members;
        Json published;                           ///< the state that the members have
        std::shared_ptr<const std::string> text;  ///< its text for new members; made when needed
        unsigned due = 0;
    };

    void send_patch(Group &group, const Moment &moment);
    void send_events();
    void drop_slow(TimePoint now);

    NodeView &view_;
    std::array<Group, kTurns> groups_;  ///< by rate, from 1
    std::uint64_t published_event_ = 0;
};

}  // namespace farlink::telemetry
