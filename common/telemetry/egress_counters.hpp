// SPDX-License-Identifier: Apache-2.0
// The counters of egress, and which of them are sides of the ledger (ledger.hpp).
// Owned by the egress core; its thread is the only writer.
// Enumerators are indices into a CounterReport: new ones go before the family, tables follow.
#pragma once

#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/ingress_counters.hpp"

namespace farlink::telemetry {

enum class EgressCounter : std::size_t {
    kForwarded,
    kForwardedBytes,
    kBatches,
    kRenderDeletedHopLimit,
    kRenderDeletedMalformed,
    kRefused,
    kRefusedDeleted,
    kRefusedReturns,
    kExpired,
    kLinkDownReturns,
    kTooLateReturns,
    kQueued,
    kQueuedBytes,
    kQueueFull,
    kConnects,
    kConnected,
    kExpirySuspended,
    kLinkFault,
    kDeparture = kLinkFault + kLinkFaultReasons,
    kCount_ = kDeparture + kDepartureKinds,
};

inline constexpr std::array<CounterRow<EgressCounter>, 19> kEgressCounters{{
    {EgressCounter::kForwarded,
     {"egress_forwarded", "bundles", "Bundles handed over to a next hop as its layer promises."}},
    {EgressCounter::kForwardedBytes,
     {"egress_forwarded_bytes", "bytes", "Octets of the bundles in egress_forwarded, as sent."}},
    {EgressCounter::kBatches, {"egress_batches", "batches", "Batches received."}},
    {EgressCounter::kRenderDeletedHopLimit,
     {"egress_render_deleted_hop_limit", "bundles", "Deleted: no hop left (RFC 9171 4.4.3)."}},
    {EgressCounter::kRenderDeletedMalformed,
     {"egress_render_deleted_malformed", "bundles", "Deleted: the head could not be rendered."}},
    {EgressCounter::kRefused,
     {"egress_refused", "bundles", "Bundles that a next hop did not take."}},
    {EgressCounter::kRefusedDeleted,
     {"egress_deleted_refused", "bundles",
      "Always 0: what a next hop refuses is kept (egress_refused_returns)."}},
    {EgressCounter::kRefusedReturns,
     {"egress_refused_returns", "bundles",
      "Of those in egress_refused, returned to wait for another way, or to be offered again."}},
    {EgressCounter::kExpired,
     {"egress_expired", "bundles",
      "Bundles returned because their lifetime ended in a queue; their owner counts them too."}},
    {EgressCounter::kLinkDownReturns,
     {"egress_link_down_returns", "bundles", "Bundles returned because their link went down."}},
    {EgressCounter::kTooLateReturns,
     {"egress_too_late_returns", "bundles",
      "Bundles returned because they could not finish before the end of the contact."}},
    {EgressCounter::kQueued,
     {"egress_queued", "bundles", "Bundles that wait for or are on a link now.", true}},
    {EgressCounter::kQueuedBytes,
     {"egress_queued_bytes", "bytes", "Octets of the bundles in egress_queued.", true}},
    {EgressCounter::kQueueFull,
     {"egress_queue_full", "times", "Times a link took no more at once."}},
    {EgressCounter::kConnects, {"egress_connects", "connections", "Connections that came up."}},
    {EgressCounter::kConnected,
     {"egress_connected", "links", "Outducts that are connected now.", true}},
    {EgressCounter::kExpirySuspended,
     {"egress_expiry_suspended", "modules",
      "1 while no bundle expires here, because the clock is doubtful.", true}},
    {EgressCounter::kLinkFault,
     {"egress_link_fault", "connections", "Connections that ended or failed, by reason.", false,
      kLinkFaultReasons}},
    {EgressCounter::kDeparture,
     {"egress_departure", "times", "What neighbours did beside their standard, by kind.", false,
      kDepartureKinds}},
}};
static_assert(describes_all(kEgressCounters));

using EgressCounters = Counters<EgressCounter>;

}  // namespace farlink::telemetry
