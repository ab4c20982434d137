// SPDX-License-Identifier: Apache-2.0
// Administrative records, and bundles for services of this node.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bus/messages/agent_id.hpp"

namespace farlink::bus {

/// A further instance of ingress to the first one, which has the services of the node: a bundle for
/// one of them.
struct LocalDelivery {
    AgentId from = AgentId::kIngress2;
    std::uint64_t number = 0;  ///< of the sender's; it names it again until it has been answered
    Bytes bundle;
    NodeNumber neighbour{};  ///< whose link it came by, where that is certain
};
/// The answer: the bundle was delivered, or no service is registered for it.
struct LocalDelivered {
    std::uint64_t number = 0;
};

using bp::ReportEvent;

/// Storage or egress to ingress: a status report is due for the bundle with this head.
struct ReportRequest {
    ReportEvent event = ReportEvent::kDeleted;
    std::uint8_t reason = 0;  ///< RFC 9171 section 9.5; BPv6 has the same numbers up to 8
    Bytes head;               ///< octets up to the payload block
    std::uint64_t payload_length = 0;
};
/// Ingress to storage: an administrative record for this node that is about custody (RFC 5050
/// section 6.1.2, CCSDS 734.2-B-1).
struct CustodyRecord {
    Bytes source;         ///< the endpoint that sent it, as text
    Bytes record;         ///< the payload of its bundle
    NodeNumber sender{};  ///< the neighbour whose link it came by, where that is certain
};
/// Storage to ingress: this administrative record is to be sent, in a BPv6 bundle of this node.
struct OriginateRequest {
    Bytes destination;  ///< as text
    Bytes record;
    DtnTime needed_until = kDtnNever;  ///< its lifetime ends then
};

}  // namespace farlink::bus
