// SPDX-License-Identifier: Apache-2.0
// Where the node listens for applications.
// A value.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace farlink::client {

struct Address {
    std::string path{};  ///< of a Unix socket; empty: host and port
    std::string host{};
    std::uint16_t port = 0;
};

/// Empty text: the environment variable FARLINK_APPLICATIONS, or the usual path. Empty result: not
/// an address.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

}  // namespace farlink::client
