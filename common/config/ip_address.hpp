// SPDX-License-Identifier: Apache-2.0
// Tells whether a text is an IP address, so that a typing error is found before anything connects.
// Plain functions, any thread.
// Spelling only: whether the address is reachable is the link's business.
#pragma once

#include <string_view>

namespace farlink::config {

/// Four decimal numbers up to 255 without leading zeros.
[[nodiscard]] bool is_ipv4_address(std::string_view text);

/// RFC 4291 section 2.2, in all three forms, with an optional zone ("fe80::1%eth0", RFC 4007).
[[nodiscard]] bool is_ipv6_address(std::string_view text);

}  // namespace farlink::config
