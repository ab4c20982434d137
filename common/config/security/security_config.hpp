// SPDX-License-Identifier: Apache-2.0
// `security`: which bundles this node signs, verifies, encrypts and decrypts, and what becomes of
// those that fail.
// Part of NodeConfig; read-only once loaded, any thread.
// Patterns and key ids stay texts here; common/security/policy compiles them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/types.hpp"

namespace farlink::config {

/// `role` (RFC 9172 section 1.4)
enum class SecurityRole : std::uint8_t { kSource = 0, kVerifier = 1, kAcceptor = 2 };

/// `direction`
enum class SecurityDirection : std::uint8_t {
    kIn = 0,   ///< bundles that arrive
    kOut = 1,  ///< bundles for another node, those that this node makes among them
};

/// `context` (RFC 9173)
enum class SecurityContext : std::uint8_t { kIntegrity = 0, kConfidentiality = 1 };

/// `onFailure`
enum class SecurityAction : std::uint8_t {
    kKeep = 0,
    kStripOperation = 1,
    kStripTarget = 2,
    kDropBundle = 3,
    kHold = 4,  ///< refused when the configuration is checked
};

/// `default`
enum class SecurityDefault : std::uint8_t { kUnset = 0, kPass = 1, kDrop = 2 };

/// `rules[]`: the first that fits a bundle counts, for each direction and context.
struct SecurityRule {
    std::string name;                                         ///< `name`
    std::string bundle_source;                                ///< `bundleSource`; empty: any
    std::string destination;                                  ///< `destination`; empty: any
    std::string security_source;                              ///< `securitySource`; empty: any
    std::optional<std::uint32_t> link;                        ///< `link`: by which it arrives
    std::optional<SecurityDirection> given_direction;         ///< `direction`
    SecurityRole role = SecurityRole::kVerifier;              ///< `role`
    SecurityContext context = SecurityContext::kIntegrity;    ///< `context`
    std::vector<std::string> targets;                         ///< `targets`
    std::optional<std::uint32_t> variant;                     ///< `variant`: bits
    std::vector<std::string> keys;                            ///< `keys`: ids
    bool required = false;                                    ///< `required`
    SecurityAction on_failure = SecurityAction::kDropBundle;  ///< `onFailure`

    [[nodiscard]] SecurityDirection direction() const {
        const auto usual =
            role == SecurityRole::kSource ? SecurityDirection::kOut : SecurityDirection::kIn;
        return given_direction.value_or(usual);
    }
};

struct SecurityConfig {
    std::string key_store;                               ///< `keyStore`: a file or a folder
    SecurityDefault fallback = SecurityDefault::kUnset;  ///< `default`: where no rule fits
    std::vector<std::string> report_to;                  ///< `reportFailuresTo`
    std::vector<SecurityRule> rules;                     ///< `rules`
};

/// The number of a block type, 0 for the primary block; empty: it is none.
[[nodiscard]] std::optional<std::uint64_t> security_target(const std::string &text);

}  // namespace farlink::config
