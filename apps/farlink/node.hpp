// SPDX-License-Identifier: Apache-2.0
// A node, or the part of it that runs in this process: its modules as threads, joined by the bus.
// Owned by main().
// run() is called on the main thread.
#pragma once

#include <memory>

#include "apps/farlink/module_choice.hpp"
#include "apps/farlink/options.hpp"
#include "common/config/node/node_config.hpp"
#include "module/control/core/plan_store.hpp"

namespace farlink::app {

class Node {
public:
    /// `config` and `plan` are borrowed; commands change the plan.
    Node(const config::NodeConfig &config, control::PlanStore &plan, const Options &options,
         const ModuleChoice &choice, bus::BusTopology topology);
    ~Node();

    /// Serves until SIGINT or SIGTERM; returns the exit code.
    [[nodiscard]] int run();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace farlink::app
