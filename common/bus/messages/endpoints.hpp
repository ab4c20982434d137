// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications, and what becomes of them.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/types.hpp"

namespace farlink::bus {

/// An endpoint that an application can receive at, as a link.
struct EndpointEntry {
    LinkId link = kNoLink;
    Bytes endpoint;        ///< as text
    bool up = false;       ///< an application receives there
    bool removed = false;  ///< the endpoint is no more
    friend bool operator==(const EndpointEntry &, const EndpointEntry &) = default;
};
/// Applications to every instance of ingress, and to storage: endpoints that are new, changed or
/// removed.
struct EndpointsChange {
    bool whole = false;  ///< there are no others
    std::vector<EndpointEntry> endpoints;
};
/// Applications to telemetry: an endpoint, when something about it has changed.
struct EndpointReport {
    LinkId link = kNoLink;
    Bytes endpoint;           ///< as text
    bool configured = false;  ///< else it ends with its connections
    bool removed = false;
    std::uint32_t receivers = 0;    ///< connections that receive there
    std::uint32_t connections = 0;  ///< those, and others
    std::uint64_t waiting = 0;      ///< ADUs that are with the module, for a receiver
    std::uint64_t waiting_bytes = 0;
    std::uint64_t leased = 0;  ///< of them, those that a receiver has and has not accepted
    std::uint64_t delivered = 0;
    std::uint64_t delivered_bytes = 0;
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    friend bool operator==(const EndpointReport &, const EndpointReport &) = default;
};

}  // namespace farlink::bus
