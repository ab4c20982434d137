// SPDX-License-Identifier: Apache-2.0
// The digest by which a token is known, and its comparison, by OpenSSL.
// Plain functions; any thread.
// A build without OpenSSL knows no tokens.
#pragma once

#include <optional>
#include <string_view>

#include "module/telemetry/api/token_table.hpp"

namespace farlink::telemetry {

/// SHA-256; nothing in a build without OpenSSL.
[[nodiscard]] std::optional<TokenDigest> digest_of(std::string_view token);
/// In the same time whatever they are.
[[nodiscard]] bool same_digest(const TokenDigest &one, const TokenDigest &other);

}  // namespace farlink::telemetry
