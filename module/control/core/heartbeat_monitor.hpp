// SPDX-License-Identifier: Apache-2.0
// Detects modules without heartbeats that have not ended: they hang, or are stopped.
// Owned by ModuleSupervision; the control agent's thread only.
// It counts its owner's seconds, so that a pause of the whole machine makes no module silent.
#pragma once

#include <map>

#include "common/base/time.hpp"
#include "common/bus/messages/agent_id.hpp"

namespace farlink::control {

class HeartbeatMonitor {
public:
    /// Seconds without a heartbeat after which a module is silent.
    static constexpr int kMostMissed = 3;

    /// A second has passed; `last`: time of the last heartbeat. True: silence begins or ends now.
    [[nodiscard]] bool watch(bus::AgentId module, TimePoint last) {
        Watched &watched = modules_[module];
        const bool was_silent = silent(watched);
        if (watched.last != last)
            watched = {last, 0};
        else
            ++watched.missed;
        return silent(watched) != was_silent;
    }
    /// The module has ended, or has restarted.
    void forget(bus::AgentId module) { modules_.erase(module); }
    [[nodiscard]] bool silent(bus::AgentId module) const {
        const auto found = modules_.find(module);
        return found != modules_.end() && silent(found->second);
    }
    /// Seconds since its last heartbeat; 0: it is not silent.
    [[nodiscard]] int silent_seconds(bus::AgentId module) const {
        return silent(module) ? modules_.at(module).missed : 0;
    }

private:
    struct Watched {
        TimePoint last{};
        int missed = 0;
    };
    static bool silent(const Watched &watched) { return watched.missed >= kMostMissed; }

    std::map<bus::AgentId, Watched> modules_;
};

}  // namespace farlink::control
