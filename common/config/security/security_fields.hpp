// SPDX-License-Identifier: Apache-2.0
// The `security` section: its fields, and its checks.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/security/security_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<SecurityConfig> &security_table();
void check_security(const SecurityConfig &security, std::vector<ConfigError> &errors);

}  // namespace farlink::config
