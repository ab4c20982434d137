// SPDX-License-Identifier: Apache-2.0
// The tokens of a node with their roles; each as the digest of a random number.
// Read from the file that `farlinkctl tokens make` writes; values. Any thread.
// The file has digests only, which cannot be used as tokens.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/api/request/endpoint_rights.hpp"

namespace farlink::telemetry {

/// SHA-256 of the token's text.
using TokenDigest = std::array<std::uint8_t, 32>;

struct TokenEntry {
    std::string name;
    Role role = Role::kNone;
    TokenDigest digest{};
    EndpointRights::Texts endpoints{};  ///< as they are in the file
    /// Null: it may neither send nor receive.
    std::shared_ptr<const EndpointRights> rights{};
};

/// The tokens of a file; an error when it is not valid.
[[nodiscard]] Result<std::vector<TokenEntry>, std::string> parse_tokens(std::string_view json);
[[nodiscard]] std::string write_tokens(const std::vector<TokenEntry> &tokens);

[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

}  // namespace farlink::telemetry
