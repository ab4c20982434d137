// SPDX-License-Identifier: Apache-2.0
// From a JSON text or file to a checked NodeConfig, or to the list of everything that is wrong.
// Plain functions at start-up; the result is the caller's.
// Any thread. Nothing is thrown, whatever the text is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// Relative file names in the text are meant relative to `folder`; an empty folder leaves them
/// relative to the process's working directory.
[[nodiscard]] Result<NodeConfig, ConfigErrors> parse_node_config(std::string_view json,
                                                                 const std::string &folder = "");

/// A line for each key of the file that has another name now.
[[nodiscard]] std::vector<std::string> old_keys_in(const std::string &path);

/// Reads the file; its own folder is the base of relative file names in it.
[[nodiscard]] Result<NodeConfig, ConfigErrors> load_node_config(const std::string &path);

}  // namespace farlink::config
