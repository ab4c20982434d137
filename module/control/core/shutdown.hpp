// SPDX-License-Identifier: Apache-2.0
// Ends the modules of the node one after the other, those of other processes too.
// Owned by the control agent; its thread only. `send` puts a message on the bus.
// Telemetry gets the first notice: it misses no module from then on. Egress, applications and
// storage drain next: links close and give back what they have not begun, and storage takes it, and
// what ingress holds, whatever its limits. Then each module gets Stop when the one before has
// ended.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "common/bus/messages.hpp"
#include "module/control/core/module_supervision.hpp"

namespace farlink::control {

class Shutdown {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    /// How long a module of another process may take to end; it limits itself to less.
    static constexpr Duration kModuleLimit = seconds(20);
    /// For all modules together: service managers give a node a minute (packaging/).
    static constexpr Duration kNodeLimit = seconds(45);

    /// `modules` is borrowed. `here`: the modules of this process, whose end needs no limit.
    Shutdown(const ModuleSupervision &modules, std::set<bus::AgentId> here, Send send);

    [[nodiscard]] bool begun() const { return begun_; }
    /// Every module has ended or is lost.
    [[nodiscard]] bool complete() const { return begun_ && next_ == modules_.modules().size(); }

    /// A second call does nothing.
    void begin(TimePoint now);
    /// Begins although the modules of this process have not started.
    void begin_without_local(TimePoint now);
    /// Another process has the module, after one that had ended.
    void handle_ready(bus::AgentId module) { ended_.erase(module); }
    void handle_ended(bus::AgentId module, TimePoint now);
    void handle_back(bus::AgentId module);

    [[nodiscard]] TimePoint next_timeout() const { return limit_; }
    /// The module that has not confirmed its end in time; it counts as ended.
    [[nodiscard]] std::optional<bus::AgentId> handle_timeout(TimePoint now);

private:
    void stop_next(TimePoint now);

    const ModuleSupervision &modules_;
    std::set<bus::AgentId> here_;
    Send send_;
    std::set<bus::AgentId> ended_;
    std::size_t next_ = 0;  ///< place of the module that ends now
    bool begun_ = false;
    TimePoint stop_by_{};
    TimePoint limit_ = kNever;
};

}  // namespace farlink::control
