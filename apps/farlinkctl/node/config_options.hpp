// SPDX-License-Identifier: Apache-2.0
// `reload` and `config diff|revert|save`: the configuration file of a running node.
// Filled by read_options(), as the other commands to a node.
// Plain functions; one thread.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include "apps/farlinkctl/node/control_options.hpp"

namespace farlink::ctl {

/// Adds the commands to `app`, behind those of add_state_commands(): `config` prints it.
void add_config_commands(CLI::App &app, ControlOptions &options);

/// Prints the reply to one of them.
void print_config_reply(const std::string &command, const nlohmann::ordered_json &reply);
/// Prints the settings of a refusal that need a restart.
void print_needs_restart(const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
