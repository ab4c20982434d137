// SPDX-License-Identifier: Apache-2.0
// The events of modules whose processes are lost and come back.
// Owned by NodeView; one thread.
// The end of a process and the supervisor's notice of a stop come on different connections, in any
// order: an event waits for the next second, and a stop takes it back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/bus/messages.hpp"
#include "module/telemetry/core/event_log.hpp"
#include "module/telemetry/core/module_name.hpp"

namespace farlink::telemetry {

class LostModules {
public:
    /// The node stops: no module that ends is missed.
    void begin_stop() {
        stopping_ = true;
        fresh_.clear();
    }

    /// True: the module is missed.
    [[nodiscard]] bool handle_lost(bus::AgentId module, DtnTime wall) {
        if (!stopping_) fresh_.emplace_back(module, wall);
        return !stopping_;
    }

    /// A supervisor that is back is of a node that does not stop.
    void handle_back(bus::AgentId module, EventLog &events, DtnTime wall) {
        handle_second(events);
        if (module == bus::AgentId::kSupervisor) stopping_ = false;
        if (!stopping_) add(events, "info", "module-back", module, "is reachable again", wall);
    }

    void handle_second(EventLog &events) {
        for (const auto &[module, wall] : std::exchange(fresh_, {}))
            add(events, "error", "module-lost", module, "has ended or is not reachable", wall);
    }

private:
    static void add(EventLog &events, std::string_view level, std::string_view kind,
                    bus::AgentId module, const char *what, DtnTime wall) {
        const std::string_view name = module_name(module);
        events.add({level, name, kind, kNoLink,
                    "module " + std::string(name) + ": its process " + what},
                   wall);
    }

    std::vector<std::pair<bus::AgentId, DtnTime>> fresh_;  ///< without an event yet
    bool stopping_ = false;
};

}  // namespace farlink::telemetry
