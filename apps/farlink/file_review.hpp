// SPDX-License-Identifier: Apache-2.0
// The files and folders of a configuration, looked at before anything is started or made.
// A plain function; reads the file system, changes nothing.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// A line for each file that a module of this process would refuse: folders of the store and of
/// the state that cannot be used, the API's tokens and TLS files.
[[nodiscard]] std::vector<std::string> review_files(const config::NodeConfig &config,
                                                    const ModuleChoice &choice);

}  // namespace farlink::app
