// SPDX-License-Identifier: Apache-2.0
// The digest of a token, and its comparison, by OpenSSL.
// Plain functions; any thread.
// A build without OpenSSL has no tokens.
#pragma once

#include <optional>
#include <string_view>

#include "module/telemetry/api/token_table.hpp"

namespace farlink::telemetry {

/// SHA-256; nothing in a build without OpenSSL.
[[nodiscard]] std::optional<TokenDigest> digest_of(std::string_view token);
/// Compares in constant time.
[[nodiscard]] bool same_digest(const TokenDigest &one, const TokenDigest &other);

}  // namespace farlink::telemetry
