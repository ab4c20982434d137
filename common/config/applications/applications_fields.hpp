// SPDX-License-Identifier: Apache-2.0
// The `applications` section: its fields, and what its values must be together.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/base/types.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/config/applications/applications_config.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"

namespace farlink::config {

[[nodiscard]] const Table<ApplicationsConfig> &applications_table();

/// `node` and `echo_service` are those of the node: an application cannot have its services.
void check_applications(const ApplicationsConfig &applications, NodeNumber node,
                        std::uint64_t echo_service, std::vector<ConfigError> &errors);

/// An EID, or the number of a service of `node`.
[[nodiscard]] std::optional<bp::Eid> endpoint_of(std::string_view text, NodeNumber node);

/// A mode of three or four octal digits.
[[nodiscard]] std::optional<std::uint32_t> parse_mode(std::string_view text);

}  // namespace farlink::config
