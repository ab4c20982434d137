// SPDX-License-Identifier: Apache-2.0
// The held destinations on disk, in the state folder, so that they outlive a restart.
// Owned by the control agent, or by farlinkctl for a node that is off. read() at the start, write()
// in any thread; one at a time.
// docs/formats/control.md describes the file.
#pragma once

#include <string>

#include "common/base/types.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/core/held_destinations.hpp"

namespace farlink::control {

class HeldDestinationsFile {
public:
    /// In a folder that the caller has claimed.
    HeldDestinationsFile(NodeNumber node, std::string folder)
        : node_(node), folder_(std::move(folder)) {}

    /// A file that is damaged, or of another node, holds no destination; the log says so.
    [[nodiscard]] HeldDestinations::Nodes read() const;
    /// The error, or nothing.
    [[nodiscard]] std::string write(const HeldDestinations::Nodes &held) const;

private:
    [[nodiscard]] std::string file() const { return folder_ + "/held-destinations.json"; }

    Logger log_{"storage"};
    NodeNumber node_;
    std::string folder_;
};

}  // namespace farlink::control
