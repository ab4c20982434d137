// SPDX-License-Identifier: Apache-2.0
// The counters of ingress, and which of them are sides of the ledger (ledger.hpp).
// Owned by the ingress core; its thread is the only writer.
// Enumerators are indices into a CounterReport: new ones go before the families, tables follow.
#pragma once

#include "common/telemetry/counter_table.hpp"

namespace farlink::telemetry {

/// Room for one counter for each bp::ParseError and each cla::LinkFault; who owns those enums
/// checks at compile time that they fit.
inline constexpr std::size_t kMalformedReasons = 32;
inline constexpr std::size_t kLinkFaultReasons = 32;
inline constexpr std::size_t kDepartureKinds = 32;

enum class IngressCounter : std::size_t {
    kReceived,
    kReceivedBytes,
    kOriginated,
    kCopies,
    kCopiesDropped,
    kDelivered,
    kDuplicatesDelivered,
    kForwarded,
    kForwardedBytes,
    kCutThrough,
    kSentToStorage,
    kSpilled,
    kExpired,
    kDeletedHopLimit,
    kDeletedUnprocessableBlock,
    kDeletedNoStorageSpace,
    kDeletedStorageError,
    kDeletedTooLarge,
    kDeletedAdminUnknown,
    kDeletedNoService,
    kDeletedNoResources,
    kInFlight,
    kInFlightBytes,
    kPauses,
    kBufferFull,
    kBatches,
    kSessionsOpened,
    kSessionsOpen,
    kMalformed,
    kLinkFault = kMalformed + kMalformedReasons,
    kDeparture = kLinkFault + kLinkFaultReasons,
    kCount_ = kDeparture + kDepartureKinds,
};

inline constexpr std::array<CounterRow<IngressCounter>, 31> kIngressCounters{{
    {IngressCounter::kReceived,
     {"ingress_received", "bundles", "Frames that arrived by any induct, malformed ones too."}},
    {IngressCounter::kReceivedBytes,
     {"ingress_received_bytes", "bytes", "Octets of the frames in ingress_received."}},
    {IngressCounter::kOriginated,
     {"ingress_originated", "bundles", "Bundles made here: echo replies and status reports."}},
    {IngressCounter::kCopies,
     {"ingress_copies", "bundles",
      "Copies to storage of bundles whose next hop has not acknowledged them yet."}},
    {IngressCounter::kCopiesDropped,
     {"ingress_copies_dropped", "bundles",
      "Copies that storage did not take, and bundles given up because their copy is kept."}},
    {IngressCounter::kDelivered,
     {"ingress_delivered", "bundles", "Bundles given to a service of this node, once each."}},
    {IngressCounter::kDuplicatesDelivered,
     {"ingress_duplicates_delivered", "bundles",
      "Bundles for a service of this node that it had been given before."}},
    {IngressCounter::kForwarded,
     {"ingress_forwarded", "bundles",
      "Bundles that left at once by a session that a neighbour has opened, without egress."}},
    {IngressCounter::kForwardedBytes,
     {"ingress_forwarded_bytes", "bytes", "Octets of the bundles in ingress_forwarded."}},
    {IngressCounter::kCutThrough,
     {"ingress_cut_through", "bundles", "Bundles that egress took straight from ingress."}},
    {IngressCounter::kSentToStorage,
     {"ingress_sent_to_storage", "bundles", "Bundles offered to storage, whatever its answer."}},
    {IngressCounter::kSpilled,
     {"ingress_spilled", "bundles",
      "Bundles of ingress_sent_to_storage whose link was up but blocked."}},
    {IngressCounter::kExpired,
     {"ingress_expired", "bundles", "Bundles whose lifetime ended while ingress owned them."}},
    {IngressCounter::kDeletedHopLimit,
     {"ingress_deleted_hop_limit", "bundles", "Deleted: no hop left (RFC 9171 4.4.3)."}},
    {IngressCounter::kDeletedUnprocessableBlock,
     {"ingress_deleted_unprocessable_block", "bundles",
      "Deleted: an unknown block demands it (RFC 9171 4.2.4)."}},
    {IngressCounter::kDeletedNoStorageSpace,
     {"ingress_deleted_no_storage_space", "bundles", "Deleted: storage refused, it is full."}},
    {IngressCounter::kDeletedStorageError,
     {"ingress_deleted_storage_error", "bundles", "Deleted: storage could not write."}},
    {IngressCounter::kDeletedTooLarge,
     {"ingress_deleted_too_large", "bundles", "Deleted: larger than this node can hold."}},
    {IngressCounter::kDeletedAdminUnknown,
     {"ingress_deleted_admin_unknown", "bundles",
      "Deleted: an administrative record that nobody here understands."}},
    {IngressCounter::kDeletedNoService,
     {"ingress_deleted_no_service", "bundles",
      "Deleted: for this node, but no such service runs here."}},
    {IngressCounter::kDeletedNoResources,
     {"ingress_deleted_no_resources", "bundles",
      "Not kept for want of memory or disk space; their senders, or custodians, have them still."}},
    {IngressCounter::kInFlight,
     {"ingress_in_flight", "bundles", "Bundles that ingress owns now.", true}},
    {IngressCounter::kInFlightBytes,
     {"ingress_in_flight_bytes", "bytes", "Octets of the bundles in ingress_in_flight.", true}},
    {IngressCounter::kPauses,
     {"ingress_pauses", "pauses", "Times an upstream was held back because a way out was full."}},
    {IngressCounter::kBufferFull,
     {"ingress_buffer_full", "times", "Times reading stopped because bufferBytes was used up."}},
    {IngressCounter::kBatches,
     {"ingress_batches", "batches", "Batches sent to egress and storage."}},
    {IngressCounter::kSessionsOpened,
     {"ingress_sessions_opened", "sessions", "Sessions that peers have opened."}},
    {IngressCounter::kSessionsOpen,
     {"ingress_sessions_open", "sessions", "Sessions that are open now.", true}},
    {IngressCounter::kMalformed,
     {"ingress_malformed", "bundles", "Deleted: not a valid bundle, by reason.", false,
      kMalformedReasons}},
    {IngressCounter::kLinkFault,
     {"ingress_link_fault", "sessions", "Sessions that ended, by reason.", false,
      kLinkFaultReasons}},
    {IngressCounter::kDeparture,
     {"ingress_departure", "times", "What peers did beside their standard, by kind.", false,
      kDepartureKinds}},
}};
static_assert(describes_all(kIngressCounters));

using IngressCounters = Counters<IngressCounter>;

}  // namespace farlink::telemetry
