// SPDX-License-Identifier: Apache-2.0
// What peers say that they should not, what a node answers, and how it counts that.
// Tables for a test.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::test {

struct HostileCase {
    std::string name;
    Bytes says;
    std::string handles;              ///< everything, in words; nothing is said by STCP and MTCP
    std::vector<std::string> counts;  ///< each one more, behind "ingress_"
    bool goes_on = false;             ///< the session is not ended by the node
};

/// Of the node: its largest segment, its largest bundle, in bytes.
inline constexpr std::uint64_t kMru = 1 << 20;

/// Before there is a session (RFC 9174 sections 4.1 to 4.8).
[[nodiscard]] std::vector<HostileCase> tcpclv4_openings();
/// Within a session (sections 5.1.2 to 6.1).
[[nodiscard]] std::vector<HostileCase> tcpclv4_messages();
/// RFC 7242. The node speaks first: its contact header goes out at once.
[[nodiscard]] std::vector<HostileCase> tcpclv3_cases();
[[nodiscard]] std::vector<HostileCase> stcp_cases();
[[nodiscard]] std::vector<HostileCase> mtcp_cases();

}  // namespace farlink::test
