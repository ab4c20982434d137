// SPDX-License-Identifier: Apache-2.0
// The configuration as it may be shown to whoever may read the node's state.
// A plain function used while a configuration is loaded.
// Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace farlink::config {

/// Of a file that is in order: the same JSON, without the places of secret keys and of tokens.
[[nodiscard]] std::string shown_config(std::string_view json);
/// The same of a part of one that is parsed; its depth has been bounded.
void strip_secrets(nlohmann::ordered_json &value);

}  // namespace farlink::config
