// SPDX-License-Identifier: Apache-2.0
// Tries the addresses at which a node listens, for `--check`: names are looked up, and a socket is
// bound for a moment.
// A plain function; nothing listens, and a port that a running node uses does not matter.
// Any thread; waits for the name service.
#pragma once

#include <string>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// One line for each address at which no module of this process can listen on this machine, as this
/// user: an address of another machine, a name without an address, a port that takes a privilege,
/// an address that has another one's by another name.
[[nodiscard]] std::vector<std::string> warn_of_addresses(const config::NodeConfig &config,
                                                         const ModuleChoice &choice);

}  // namespace farlink::app
