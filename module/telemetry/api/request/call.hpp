// SPDX-License-Identifier: Apache-2.0
// An HTTP request without its connection, and its answer.
// Made by the server for each request, or by a test; values.
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace farlink::telemetry {

enum class Role : std::uint8_t { kNone = 0, kRead = 1, kOperate = 2 };
[[nodiscard]] constexpr const char *to_string(Role role) {
    return role == Role::kOperate ? "operate" : role == Role::kRead ? "read" : "none";
}

struct Call {
    std::string method;
    std::string target;  ///< path and query as sent
    std::string host;    ///< header fields; empty: absent
    std::string origin;
    std::string content_type;
    std::string if_none_match;
    bool takes_gzip = false;
    std::string body;
    Role role = Role::kNone;  ///< by token, or by the listening address
    std::string caller;       ///< for the log and the audit: token's name and address
};

struct Answer {
    unsigned status = 200;
    std::string content_type;
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers{};
};

}  // namespace farlink::telemetry
