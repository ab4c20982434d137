// SPDX-License-Identifier: Apache-2.0
// Protocol violations of peers, the answers of a node, and its counters for them.
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
    std::string handles;              ///< all its messages as text; none by STCP and MTCP
    std::vector<std::string> counts;  ///< counters that grow by one, behind "ingress_"
    bool goes_on = false;             ///< the node does not end the session
};

/// Limits of the node: its largest segment, its largest bundle, in bytes.
inline constexpr std::uint64_t kMru = 1 << 20;

/// Before there is a session (RFC 9174 sections 4.1 to 4.8).
[[nodiscard]] std::vector<HostileCase> tcpclv4_openings();
/// Within a session (sections 5.1.2 to 6.1).
[[nodiscard]] std::vector<HostileCase> tcpclv4_messages();
/// RFC 7242. The node sends its contact header first, at once.
[[nodiscard]] std::vector<HostileCase> tcpclv3_cases();
[[nodiscard]] std::vector<HostileCase> stcp_cases();
[[nodiscard]] std::vector<HostileCase> mtcp_cases();

}  // namespace farlink::test
