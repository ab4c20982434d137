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

/// A bundle that was passed on by a rule of the configuration and has returned: the rules of
/// several nodes form a loop.
struct ReturnedInLoop {
    std::string destination;
    UpstreamId from = kNoUpstream;
    LinkId link = kNoLink;  ///< of that session
    NodeNumber sender;      ///< 0: not known
    NodeNumber next_hop;    ///< 0: there is none now
};

/// Status reports that were not sent, since the last notice.
struct ReportsWithheld {
    std::uint64_t count = 0;
    std::string report_to;  ///< of the first of them
};

struct BundleNotices {
    std::optional<ExceedsContacts> exceeds_contacts;
    std::optional<HopLimitExceeded> hop_limit_exceeded;
    std::optional<Rejected> rejected;
    std::optional<SecurityFailed> security_failed;
    std::optional<ReturnedInLoop> returned_in_loop;
    std::optional<ReportsWithheld> reports_withheld;

    [[nodiscard]] bool any() const {
        return exceeds_contacts || hop_limit_exceeded || rejected || security_failed ||
               returned_in_loop || reports_withheld;
    }
};

}  // namespace farlink::ingress
