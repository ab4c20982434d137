// SPDX-License-Identifier: Apache-2.0
// The nodes that the operator holds bundles for: kept in the state folder, so that they are held
// after a restart, too.
// Owned by the node's supervisor, or by farlinkctl for a node that is off. Its owner's thread only,
// but for write(), which runs in any thread; meanwhile neither write() nor take() is called.
// The router is told of them whenever it begins; docs/formats/control.md describes the file.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "common/base/types.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::app {

class HeldDestinations {
public:
    /// Every change of routes tells all modules of all of them.
    static constexpr std::size_t kMostHeld = 10'000;

    /// In the folder that ContactPlanStore has claimed.
    explicit HeldDestinations(const config::NodeConfig &config)
        : node_(config.node), folder_(config.state_folder) {}

    HeldDestinations(NodeNumber node, std::string folder)
        : node_(node), folder_(std::move(folder)) {}

    /// Reads the file. One that is damaged, or another node's, holds nothing, and the log says so.
    void open();
    using Nodes = std::set<NodeNumber>;
    [[nodiscard]] const Nodes &held() const { return held_; }
    /// Puts on disk what is to be held; what is wrong, or nothing. In any thread.
    [[nodiscard]] std::string write(const Nodes &held) const;
    /// It is held from now on.
    void take(Nodes held) { held_ = std::move(held); }

private:
    [[nodiscard]] std::string file() const { return folder_ + "/held-destinations.json"; }

    Logger log_{"storage"};
    NodeNumber node_;
    std::string folder_;
    Nodes held_;
};

}  // namespace farlink::app
