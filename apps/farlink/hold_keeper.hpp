// SPDX-License-Identifier: Apache-2.0
// The nodes that the operator holds bundles for: kept in the state folder, so that they are held
// after a restart, too.
// Owned by the node's supervisor; its thread only.
// The router is told of them whenever it begins; docs/formats/control.md describes the file.
#pragma once

#include <set>
#include <string>

#include "common/base/types.hpp"
#include "common/config/node_config.hpp"
#include "common/runtime/log.hpp"

namespace farlink::app {

class HoldKeeper {
public:
    /// Every change of routes tells all modules of all of them.
    static constexpr std::size_t kMostHeld = 10'000;

    /// In the folder that PlanKeeper has claimed.
    explicit HoldKeeper(const config::NodeConfig &config)
        : node_(config.node), folder_(config.state_folder) {}

    /// Reads the file. One that is damaged, or another node's, holds nothing, and the log says so.
    void open();
    [[nodiscard]] const std::set<NodeNumber> &held() const { return held_; }
    /// Holds the node, or holds it no longer, once that is on disk; what is wrong, or nothing.
    [[nodiscard]] std::string change(NodeNumber node, bool held);

private:
    [[nodiscard]] std::string file() const { return folder_ + "/held-destinations.json"; }

    Logger log_{"storage"};
    NodeNumber node_;
    std::string folder_;
    std::set<NodeNumber> held_;
};

}  // namespace farlink::app
