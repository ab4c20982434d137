// SPDX-License-Identifier: Apache-2.0
// Which modules have given no sign of life for a while although nobody has seen them end: they
// hang, or are stopped.
// Owned by the supervisor; the main thread.
// It counts the supervisor's own seconds: a pause of the whole machine is nobody's silence.
#pragma once

#include <map>

#include "common/base/time.hpp"
#include "common/bus/agent_id.hpp"

namespace farlink::app {

class HeartbeatMonitor {
public:
    /// Seconds without a sign after which a module counts as silent.
    static constexpr int kMostMissed = 3;

    /// A second has passed; `last` is the module's last sign. True: its silence begins or ends now.
    [[nodiscard]] bool watch(bus::AgentId module, TimePoint last) {
        Watched &watched = modules_[module];
        const bool was_silent = silent(watched);
        if (watched.last != last)
            watched = {last, 0};
        else if (!was_silent)
            ++watched.missed;
        return silent(watched) != was_silent;
    }
    /// It has ended, or begins anew.
    void forget(bus::AgentId module) { modules_.erase(module); }
    [[nodiscard]] bool silent(bus::AgentId module) const {
        const auto found = modules_.find(module);
        return found != modules_.end() && silent(found->second);
    }

private:
    struct Watched {
        TimePoint last{};
        int missed = 0;
    };
    static bool silent(const Watched &watched) { return watched.missed >= kMostMissed; }

    std::map<bus::AgentId, Watched> modules_;
};

}  // namespace farlink::app
