// SPDX-License-Identifier: Apache-2.0
// The settings beside links that change while the node runs, as the supervisor sends them to the
// modules. docs/guide/configuration.md lists them.
// Plain functions on values; any thread.
// The settings travel as JSON, with the keys and checks of the configuration file.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// The part of a checked configuration file that modules apply while they run. `config` is the same
/// file: it has the absolute names of files.
[[nodiscard]] std::string settings_json(std::string_view file, const NodeConfig &config);
/// Reads such a text; all other members have their defaults.
[[nodiscard]] Result<NodeConfig, ConfigErrors> settings_from_json(std::string_view json);
/// Copies the settings that ingress and storage apply while they run; all other ones stay.
void take_settings(NodeConfig &into, const NodeConfig &from);

}  // namespace farlink::config
