// SPDX-License-Identifier: Apache-2.0
// Validates IP addresses in text, and matches an address against a prefix.
// Plain functions, any thread.
// The notation is checked only; reachability is found out by the link.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/host_port.hpp"

namespace farlink::config {

/// Four decimal numbers up to 255 without leading zeros.
[[nodiscard]] bool is_ipv4_address(std::string_view text);

/// RFC 4291 section 2.2, in all three forms, with an optional zone ("fe80::1%eth0", RFC 4007).
[[nodiscard]] bool is_ipv6_address(std::string_view text);

/// "192.0.2.1:4000" or "[2001:db8::1]:4000": an IPv6 address has brackets, an IPv4 address has
/// none.
[[nodiscard]] std::optional<HostPort> read_ip_and_port(std::string_view text);

/// The unspecified address, 0.0.0.0 or ::, to listen at all addresses of the machine.
[[nodiscard]] bool is_any_address(std::string_view text);

/// One spelling for each address: "0:0::1" is "::1", and an IPv4 address that is mapped into IPv6
/// is the IPv4 address. Other text stays as it is.
[[nodiscard]] std::string normal_address(std::string_view text);

/// An address of either kind, or an address, a slash and the number of leading bits that count:
/// "10.1.0.0/16", "2001:db8::/32".
[[nodiscard]] bool is_address_or_prefix(std::string_view text);

/// Whether `address` is the address, or lies in the prefix, `pattern`. An IPv4 address and the same
/// one mapped into IPv6 (`::ffff:10.1.2.3`, RFC 4291 section 2.5.5.2) are equal; otherwise IPv4 and
/// IPv6 never match. A pattern without a zone matches every zone. False if either text is invalid.
[[nodiscard]] bool address_matches(std::string_view pattern, std::string_view address);

}  // namespace farlink::config
