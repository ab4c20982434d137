// SPDX-License-Identifier: Apache-2.0
// The modules whose processes are lost and come back, as events name them.
// Owned by NodeView; one thread.
// The end of a process and the supervisor's notice of a stop come on different connections, in any
// order: a loss waits for the next second, and a stop takes it back.
#pragma once

#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/bus/messages.hpp"

namespace farlink::telemetry {

class LostModules {
public:
    struct Change {
        bus::AgentId module = bus::AgentId::kIngress;
        bool lost = false;  ///< else it is back
        DtnTime wall = 0;
    };

    /// The node stops: no module that ends is missed.
    void begin_stop() {
        stopping_ = true;
        changes_.clear();
    }
    /// True: the module is missed.
    [[nodiscard]] bool handle_lost(bus::AgentId module, DtnTime wall) {
        if (!stopping_) changes_.push_back({module, true, wall});
        return !stopping_;
    }
    /// A supervisor that is back is of a node that does not stop.
    void handle_back(bus::AgentId module, DtnTime wall) {
        if (module == bus::AgentId::kSupervisor) stopping_ = false;
        if (!stopping_) changes_.push_back({module, false, wall});
    }
    /// A second has passed: what is to be published.
    [[nodiscard]] std::vector<Change> take_changes() { return std::exchange(changes_, {}); }

private:
    std::vector<Change> changes_;
    bool stopping_ = false;
};

}  // namespace farlink::telemetry
