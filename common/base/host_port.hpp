// SPDX-License-Identifier: Apache-2.0
// Splits "host:port", with an IPv6 address in brackets.
// A plain function; values only.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace farlink {

struct HostPort {
    std::string_view host;   ///< without brackets
    std::uint16_t port = 0;  ///< the caller checks whether 0 is allowed
    bool bracketed = false;
};

/// Empty unless there is a host and a port in decimal digits; a host with a colon has brackets.
/// What the host is, a name or an address, is not checked.
[[nodiscard]] std::optional<HostPort> split_host_port(std::string_view text);

}  // namespace farlink
