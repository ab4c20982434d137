// SPDX-License-Identifier: Apache-2.0
// The command line of `link ...` and `ping`, and their requests.
// Filled by read_options(); plain functions on values.
// One thread.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/farlinkctl/node/control_options.hpp"
#include "common/base/result.hpp"

namespace farlink::ctl {

/// `link up|down|set|add|change|remove`
void add_link_commands(CLI::App &link, ControlOptions &options);
/// `ping`
void add_ping_command(CLI::App &app, ControlOptions &options);

/// The request of a `link` command; an error for a wrong file or URL.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> link_request(
    const ControlOptions &options);

}  // namespace farlink::ctl
