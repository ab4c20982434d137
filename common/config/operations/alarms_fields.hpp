// SPDX-License-Identifier: Apache-2.0
// The `alarms` section: its fields, and the checks of its values.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/operations/alarms_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<AlarmsConfig> &alarms_table();

void check_alarms(const AlarmsConfig &alarms, std::vector<ConfigError> &errors);

/// Where a webhook leads.
struct WebhookTarget {
    std::string host;    ///< a name or an IP address, without brackets
    std::string port;    ///< in digits
    std::string target;  ///< path and query, from `/`
};
/// `http://host[:port][/path]`, an IPv6 address in brackets; nothing for any other text.
[[nodiscard]] std::optional<WebhookTarget> parse_webhook(std::string_view url);

}  // namespace farlink::config
