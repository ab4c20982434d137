// SPDX-License-Identifier: Apache-2.0
// The operator's reference of every setting, in Markdown.
// Generated from the field tables; a plain function, any thread.
// The committed docs/guide/configuration.md is this text; a test compares them.
#pragma once

#include <string>
#include <string_view>

namespace farlink::config {

[[nodiscard]] std::string config_reference_markdown();

/// The smallest useful configuration, as the guide shows it; config/examples/minimal.json.
[[nodiscard]] std::string_view minimal_config();

}  // namespace farlink::config
