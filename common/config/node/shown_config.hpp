// SPDX-License-Identifier: Apache-2.0
// The configuration without secrets, for readers of the node's state.
// A plain function used while a configuration is loaded.
// Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace farlink::config {

/// The JSON of a valid file, without the places of secret keys and tokens.
[[nodiscard]] std::string shown_config(std::string_view json);
/// The same for parsed JSON of limited depth.
void strip_secrets(nlohmann::ordered_json &value);

}  // namespace farlink::config
