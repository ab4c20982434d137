// SPDX-License-Identifier: Apache-2.0
// An endpoint of this node at which applications receive and as which they send.
// Owned by EndpointRegistry.
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bus/messages/endpoints.hpp"
#include "module/applications/core/leases/delivery_queue.hpp"

namespace farlink::applications {

struct Endpoint {
    LinkId link = kNoLink;
    bp::Eid eid;
    std::string text;
    bool configured = false;
    std::string owner;                    ///< of a dynamic one: who has registered it
    std::string secret;                   ///< of its connections
    std::vector<UpstreamId> connections;  ///< all of them
    std::vector<UpstreamId> receivers;    ///< of them
    std::size_t turn = 0;                 ///< the receiver that is served next
    Duration stay{};                      ///< how long it stays without a connection
    TimePoint leaves = kNever;            ///< when it ends, without a connection
    DeliveryQueue queue;
    std::uint64_t delivered = 0;
    std::uint64_t delivered_bytes = 0;
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    bus::EndpointReport reported;  ///< as telemetry has it

    [[nodiscard]] bool up() const { return !receivers.empty(); }
    [[nodiscard]] bus::EndpointEntry entry() const {
        return {link, {text.begin(), text.end()}, up(), false};
    }
};

}  // namespace farlink::applications
