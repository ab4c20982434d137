// SPDX-License-Identifier: Apache-2.0
// A whole node: every module as a thread of this process, joined by the bus.
// Owned by main().
// run() is called on the main thread, which supervises.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/farlink/options.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node_config.hpp"

namespace farlink::app {

class Node {
public:
    /// `plan`: the contact plan in absolute DTN milliseconds, if there is one.
    Node(const config::NodeConfig &config, std::optional<std::vector<bus::Contact>> plan,
         const Options &options);
    ~Node();

    /// Serves until SIGINT or SIGTERM; returns the exit code.
    [[nodiscard]] int run();

private:
    struct Modules;
    std::unique_ptr<Modules> modules_;
};

}  // namespace farlink::app
