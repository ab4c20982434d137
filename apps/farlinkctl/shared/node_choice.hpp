// SPDX-License-Identifier: Apache-2.0
// Which running node a command is for: the options that say so, and the socket that they lead to.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "common/base/result.hpp"

namespace farlink::ctl {

struct NodeChoice {
    std::string config;  ///< configuration of the node, which names the socket
    std::string socket;  ///< or the socket
};

/// `--config` or `--socket`; without either it is the node that runs here. The group of these
/// options, of which at most one is given.
CLI::App *add_node_choice(CLI::App &command, NodeChoice &choice);
/// The control socket; or why there is none.
[[nodiscard]] Result<std::string, std::string> socket_of(const NodeChoice &choice);

/// The command `word` of `app`, below which others stand; it may be there for those already.
CLI::App &command_group(CLI::App &app, const char *word, const char *help);

}  // namespace farlink::ctl
