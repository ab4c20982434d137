// SPDX-License-Identifier: Apache-2.0
// JSON Schemas (draft 2020-12) of the configuration and of contact plans, for editors.
// Generated from the field tables; plain functions, any thread.
// The committed files in config/schema/ are these texts; a test compares them.
#pragma once

#include <string>

namespace farlink::config {

[[nodiscard]] std::string config_schema();
[[nodiscard]] std::string contact_plan_schema();

}  // namespace farlink::config
