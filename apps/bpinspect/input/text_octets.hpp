// SPDX-License-Identifier: Apache-2.0
// Octets written as text: hexadecimal digits, base64 (RFC 4648 section 4).
// Plain functions on values.
// Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::inspect {

/// Digits of either case. Spaces, line breaks, ":", "," and "0x" may stand between octets. Empty
/// where anything else does, or half an octet.
[[nodiscard]] std::optional<Bytes> octets_of_hex(std::string_view text);
/// With or without padding; spaces and line breaks may stand anywhere. "-" and "_" are read, too
/// (section 5).
[[nodiscard]] std::optional<Bytes> octets_of_base64(std::string_view text);

}  // namespace farlink::inspect
