// SPDX-License-Identifier: Apache-2.0
// The status reports that a bundle requests; BPv6 and BPv7 use the same bits for them.
// A plain function.
// Any thread.
#pragma once

#include <cstdint>

#include "common/buffer/batch.hpp"

namespace farlink::bp {

/// kReport* bits from bundle processing control flags (RFC 9171 section 4.2.3, RFC 5050
/// section 4.2).
[[nodiscard]] constexpr std::uint8_t report_requests(std::uint64_t flags) {
    return static_cast<std::uint8_t>(((flags & 0x04000) != 0 ? kReportReception : 0) |
                                     ((flags & 0x10000) != 0 ? kReportForwarding : 0) |
                                     ((flags & 0x20000) != 0 ? kReportDelivery : 0) |
                                     ((flags & 0x40000) != 0 ? kReportDeletion : 0));
}

}  // namespace farlink::bp
