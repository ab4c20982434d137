// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "common/security/policy/policy_gate.hpp"

namespace farlink::security {
namespace {

using bp::bpsec::KeyAlgorithm;
using config::SecurityContext;
using config::SecurityRole;

/// Empty: any.
std::optional<std::uint32_t> bits_of(KeyAlgorithm algorithm) {
    switch (algorithm) {
        case KeyAlgorithm::kHmacSha256:
        case KeyAlgorithm::kA256Gcm:
            return 256;
        case KeyAlgorithm::kHmacSha384:
            return 384;
        case KeyAlgorithm::kHmacSha512:
            return 512;
        case KeyAlgorithm::kA128Gcm:
            return 128;
        default:
            return std::nullopt;
    }
}

/// What keeps the key from the rule; empty: nothing.
std::string wrong_with(const config::SecurityRule &rule, const Key &key) {
    const std::string found = "key " + key.id + " is for " + std::string(to_string(key.algorithm));
    const bool integrity = rule.context == SecurityContext::kIntegrity;
    if (bp::bpsec::is_for_integrity(key.algorithm) != integrity)
        return found + "; expected a key for " + (integrity ? "bib-hmac-sha2" : "bcb-aes-gcm");
    const auto bits = bits_of(key.algorithm);
    if (rule.variant && bits && *bits != *rule.variant)
        return found + "; expected a key for variant " + std::to_string(*rule.variant);
    const bool source = rule.role == SecurityRole::kSource;
    if (source && !bits && !rule.variant)
        return found + "; expected `variant` in the rule, since the key wraps keys of any variant";
    if ((key.uses & (source ? kMaySign : kMayVerify)) == 0)
        return "key " + key.id + " is not for " + (source ? "sources" : "verifiers and acceptors");
    return {};
}

}  // namespace

std::vector<std::string> check_keys(const config::SecurityConfig &security,
                                    const std::vector<Key> &keys) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < security.rules.size(); ++at) {
        const config::SecurityRule &rule = security.rules[at];
        const std::string path = "security.rules[" + std::to_string(at) + "].keys: ";
        for (const std::string &id : rule.keys) {
            const auto key = std::ranges::find(keys, id, &Key::id);
            const std::string wrong =
                key == keys.end() ? "found no key " + id + " in keyStore" : wrong_with(rule, *key);
            if (!wrong.empty()) lines.push_back(path + wrong);
        }
    }
    return lines;
}

}  // namespace farlink::security
