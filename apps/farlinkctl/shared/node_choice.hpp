// SPDX-License-Identifier: Apache-2.0
// The options that select a running node, and its control socket.
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

/// Adds `--config` and `--socket`, of which at most one is given; without either, the command is
/// for the node that runs on this machine. Returns the group of these options.
CLI::App *add_node_choice(CLI::App &command, NodeChoice &choice);
/// The path of the control socket; an error when none is configured.
[[nodiscard]] Result<std::string, std::string> socket_of(const NodeChoice &choice);

/// The command `word` of `app` that has sub-commands; adds it if it does not exist.
CLI::App &command_group(CLI::App &app, const char *word, const char *help);

}  // namespace farlink::ctl
