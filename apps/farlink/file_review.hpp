// SPDX-License-Identifier: Apache-2.0
// Checks the files and folders of a configuration before the node starts.
// A plain function; reads the file system, changes nothing.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// One line for each file that a module of this process cannot use: folders of the store and of the
/// state, tokens and TLS files of the API.
[[nodiscard]] std::vector<std::string> review_files(const config::NodeConfig &config,
                                                    const ModuleChoice &choice);

/// What is wrong with the folder of the history, or nothing. The node starts without it.
[[nodiscard]] std::string review_history(const config::NodeConfig &config);

}  // namespace farlink::app
