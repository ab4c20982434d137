// SPDX-License-Identifier: Apache-2.0
// An HTTP request without its connection, and its answer.
// Made by the server for each request, or by a test; values.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "module/telemetry/api/request/endpoint_rights.hpp"

namespace farlink::telemetry {

/// Each may do what those in front of it may; `applications` only sends and receives.
enum class Role : std::uint8_t { kNone = 0, kApplications = 1, kRead = 2, kOperate = 3 };
[[nodiscard]] constexpr const char *to_string(Role role) {
    switch (role) {
        case Role::kApplications:
            return "applications";
        case Role::kRead:
            return "read";
        case Role::kOperate:
            return "operate";
        default:
            return "none";
    }
}

struct Call {
    std::string method;
    std::string target;  ///< path and query as sent
    std::string host;    ///< header fields; empty: absent
    std::string origin;
    std::string content_type;
    std::string if_none_match;
    bool takes_gzip = false;
    std::string idempotency_key;
    std::string body;
    /// Of the token, for sending and receiving; null: neither.
    std::shared_ptr<const EndpointRights> rights;
    std::string token;        ///< its name
    Role role = Role::kNone;  ///< by token, or by the listening address
    std::string caller;       ///< for the log and the audit: token's name and address
};

struct Answer {
    unsigned status = 200;
    std::string content_type;
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers{};
    /// The body instead of `body`, where it is large.
    std::shared_ptr<const std::vector<std::uint8_t>> octets{};
};

}  // namespace farlink::telemetry
