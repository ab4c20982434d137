// SPDX-License-Identifier: Apache-2.0
// Octets as text, for JSON (RFC 4648 section 4).
// Plain functions on values; any thread.
// The padded form, without line breaks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::control {

[[nodiscard]] std::string to_base64(ByteView octets);
/// Nothing for text that to_base64() does not write.
[[nodiscard]] std::optional<Bytes> from_base64(std::string_view text);

}  // namespace farlink::control
