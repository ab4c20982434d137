// SPDX-License-Identifier: Apache-2.0
// What a client of the API asks of the applications' side of the node: send, receive, accept.
// Made by the paths from a request; values.
// Any thread. Endpoints are in their usual spelling, and the token allows them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "module/telemetry/api/request/endpoint_rights.hpp"

namespace farlink::telemetry {

/// The bundle of a POST; its payload is the body.
struct SendRequest {
    std::string source;
    std::string destination;
    std::string report_to{};
    std::optional<std::uint64_t> lifetime_ms{};
    std::optional<std::uint8_t> priority{};  ///< 0 bulk, 1 normal, 2 expedited
    std::optional<std::uint8_t> reports{};   ///< bits as in AAP's field 1002
    std::optional<std::uint8_t> hop_limit{};
    std::optional<std::uint64_t> creation_ms{};  ///< DTN time, with the sequence number
    std::uint64_t sequence = 0;
    std::string key{};  ///< Idempotency-Key, with the token's name; empty: none
};

struct ReceiveRequest {
    std::string endpoint;
    std::string token;  ///< the token's name
    seconds wait{};
    seconds lease{};
    seconds stay{};  ///< of a dynamic endpoint, after its last connection
};

struct AcceptRequest {
    std::string lease;
    std::shared_ptr<const EndpointRights> rights;
};

/// A WebSocket for both ways.
struct MessagesRequest {
    std::string endpoint;
    std::shared_ptr<const EndpointRights> rights;
    unsigned window = 0;  ///< bundles given before they are accepted; 0: it only sends
    seconds stay{};
};

}  // namespace farlink::telemetry
