// SPDX-License-Identifier: Apache-2.0
// The `api` section: its fields, and what its values must be together.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/operations/api_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<ApiConfig> &api_table();

/// No data leave the machine in the clear, and remote requests need a token.
void check_api(const ApiConfig &api, std::vector<ConfigError> &errors);

/// `address:port`, an IPv6 address in brackets.
struct ListenAddress {
    std::string address;
    std::uint16_t port = 0;  ///< 0: the system chooses
};
[[nodiscard]] std::optional<ListenAddress> parse_listen(std::string_view text);
[[nodiscard]] std::string to_string(const ListenAddress &listen);
/// 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback_address(std::string_view address);

}  // namespace farlink::config
