// SPDX-License-Identifier: Apache-2.0
// Events about single bundles that the agent logs. Of each kind only one is kept.
// Owned by IngressContext.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/types.hpp"

namespace farlink::ingress {

/// A bundle that is larger than every contact on its routes.
struct ExceedsContacts {
    NodeNumber destination;
    std::uint64_t size_bytes = 0;
    std::uint64_t max_bundle_bytes = 0;
};

/// A bundle that was deleted because no hop was left (RFC 9171 section 4.4.3): mostly a loop.
struct HopLimitExceeded {
    std::string source;
    std::string destination;
    std::uint32_t hop_limit = 0;
};

/// A bundle that was deleted because it is malformed, or because its link is strict.
struct Rejected {
    UpstreamId from = kNoUpstream;
    LinkId link = kNoLink;  ///< of that session
    NodeNumber neighbour;   ///< 0: not known
    std::string_view why;
};

/// A bundle that does not fulfil a rule of BPSec.
struct SecurityFailed {
    std::string source;
    std::string destination;
    std::string rule;  ///< empty: none fits the bundle
    std::string_view fault;
    bool deleted = false;
};

struct BundleNotices {
    std::optional<ExceedsContacts> exceeds_contacts;
    std::optional<HopLimitExceeded> hop_limit_exceeded;
    std::optional<Rejected> rejected;
    std::optional<SecurityFailed> security_failed;

    [[nodiscard]] bool any() const {
        return exceeds_contacts || hop_limit_exceeded || rejected || security_failed;
    }
};

}  // namespace farlink::ingress
