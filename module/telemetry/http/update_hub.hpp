// SPDX-License-Identifier: Apache-2.0
// Who gets updates, and what each gets: the state once, then what has changed, at its own rate.
// Owned by the server; its thread only.
// Clients of one rate share one patch, made once; who is slow is dropped, and the others wait for
// nobody.
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
    /// Turns a second; a rate is a share of them.
    static constexpr unsigned kTurns = kMostUpdatesPerSecond;

    explicit UpdateHub(NodeView &view) : view_(view) {}

    /// Sends it the state. One that is there already changes its rate.
    void add(const std::shared_ptr<Subscriber> &subscriber, unsigned rate, const Moment &moment);
    void remove(const std::shared_ptr<Subscriber> &subscriber);
    /// A tenth of a second has passed.
    void turn(const Moment &moment);
    [[nodiscard]] bool empty() const;

private:
    struct Group {
        std::vector<std::shared_ptr<Subscriber>> members;
        Json published;                           ///< the state that they have
        std::shared_ptr<const std::string> text;  ///< of it, for who comes; made when needed
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
