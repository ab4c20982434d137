// SPDX-License-Identifier: Apache-2.0
// Who may do what: the tokens of a node, each as the digest of a random number.
// Read from the file that `farlinkctl tokens make` writes; values. Any thread.
// The tokens themselves are nowhere: who reads the file cannot use it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "module/telemetry/api/call.hpp"

namespace farlink::telemetry {

/// SHA-256 of the token's text.
using TokenDigest = std::array<std::uint8_t, 32>;

struct TokenEntry {
    std::string name;
    Role role = Role::kNone;
    TokenDigest digest{};
};

/// A file's tokens; what is wrong with it otherwise.
[[nodiscard]] Result<std::vector<TokenEntry>, std::string> parse_tokens(std::string_view json);
[[nodiscard]] std::string write_tokens(const std::vector<TokenEntry> &tokens);

[[nodiscard]] std::optional<Role> parse_role(std::string_view text);
/// Octets as lower-case hexadecimal digits: the text of a token of 32 random octets.
[[nodiscard]] std::string hex_text(ByteView octets);

}  // namespace farlink::telemetry
