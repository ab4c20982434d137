// SPDX-License-Identifier: Apache-2.0
// The reason codes of bundle status reports, and their texts.
// RFC 9171 section 9.5, RFC 9172 section 11.2.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::bp {

/// RFC 9171 section 9.5; BPv6 has the numbers up to 8, and kBlockUnintelligible in place of
/// kBlockUnsupported.
enum class ReportReason : std::uint8_t {
    kNone = 0,
    kLifetimeExpired = 1,
    kForwardedUnidirectional = 2,
    kTransmissionCanceled = 3,
    kDepletedStorage = 4,
    kDestinationUnavailable = 5,
    kNoRoute = 6,
    kNoTimelyContact = 7,
    kBlockUnintelligible = 8,
    kHopLimitExceeded = 9,
    kTrafficPared = 10,
    kBlockUnsupported = 11,
    // RFC 9172 section 11.2
    kSecurityMissing = 12,
    kSecurityUnknown = 13,
    kSecurityUnexpected = 14,
    kSecurityFailed = 15,
    kSecurityConflicting = 16,
};

/// The text of a reason code, in the words of the RFCs, as "lifetime expired"; "reason 77" for a
/// code without one.
[[nodiscard]] std::string report_reason_text(std::uint64_t code);

}  // namespace farlink::bp
