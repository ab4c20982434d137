// SPDX-License-Identifier: Apache-2.0
// Drain mode of the node: whether ingress accepts new bundles from neighbours and applications.
// Owned by the control agent; its thread only.
// `send` puts a message on the bus.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "common/bus/messages.hpp"

namespace farlink::control {

class DrainMode {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    /// `instances`: of ingress.
    DrainMode(std::size_t instances, Send send) : instances_(instances), send_(std::move(send)) {}

    [[nodiscard]] bool on() const { return on_; }
    void set(bool on) {
        on_ = on;
        for (std::size_t at = 0; at < instances_; ++at)
            send_(bus::instance_at(bus::AgentId::kIngress, at), bus::DrainMode{on});
    }
    /// An instance of ingress may have another mode, from a supervisor that has died.
    void handle_ready(bus::AgentId module) const {
        if (bus::is_ingress(module)) send_(module, bus::DrainMode{on_});
    }
    /// A new process gets the mode before it opens its inducts.
    void handle_back(bus::AgentId module) const {
        if (on_ && bus::is_ingress(module)) send_(module, bus::DrainMode{true});
    }

private:
    std::size_t instances_;
    Send send_;
    bool on_ = false;
};

}  // namespace farlink::control
