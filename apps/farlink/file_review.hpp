// SPDX-License-Identifier: Apache-2.0
// Checks the files, folders and processors of a configuration before the node starts.
// A plain function; reads the system, changes nothing.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// One line for each setting that a module of this process cannot use: processors, folders of the
/// store and of the state, files of the API.
[[nodiscard]] std::vector<std::string> review_files(const config::NodeConfig &config,
                                                    const ModuleChoice &choice);

/// One line for each folder without which the node starts all the same: one of several disks,
/// history and dashboard.
[[nodiscard]] std::vector<std::string> warn_of_files(const config::NodeConfig &config);

/// One line for each certificate of a link or of the API that has ended or ends soon: those for
/// which the running node has an alarm.
[[nodiscard]] std::vector<std::string> warn_of_certificates(const config::NodeConfig &config);

}  // namespace farlink::app
