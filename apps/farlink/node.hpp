// SPDX-License-Identifier: Apache-2.0
// A whole node: every module as a thread of this process, joined by the bus.
// Owned by main().
// run() is called on the main thread, which supervises.
#pragma once

#include <memory>

#include "apps/farlink/options.hpp"
#include "apps/farlink/plan_keeper.hpp"
#include "common/config/node_config.hpp"

namespace farlink::app {

class Node {
public:
    /// Both are borrowed; commands change the plan.
    Node(const config::NodeConfig &config, PlanKeeper &plan, const Options &options);
    ~Node();

    /// Serves until SIGINT or SIGTERM; returns the exit code.
    [[nodiscard]] int run();

private:
    struct Modules;
    std::unique_ptr<Modules> modules_;
};

}  // namespace farlink::app
