// SPDX-License-Identifier: Apache-2.0
// The counters of one link, or of one neighbour at a link that many use.
// Owned by the module that hosts the link; its thread is the only writer.
// Enumerators are indices into a LinkReport: new ones go before the families, tables follow.
#pragma once

#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/ingress_counters.hpp"

namespace farlink::telemetry {

/// Slots for the counters of an LTP engine (ltp_counters.hpp).
inline constexpr std::size_t kLtpCounts = 64;

enum class LinkCounter : std::size_t {
    kReceived,
    kReceivedBytes,
    kRefused,
    kSent,
    kSentBytes,
    kSendRefused,
    kSendTooLarge,
    kSendUnacknowledged,
    kSessionsOpened,
    kSessionsOpen,
    kQueued,
    kQueuedBytes,
    kDatagramsLost,
    kCut,
    kFragments,
    kDeparture,
    kLtp = kDeparture + kDepartureKinds,
    kCount_ = kLtp + kLtpCounts,
};

inline constexpr std::array<CounterRow<LinkCounter>, 17> kLinkCounters{{
    {LinkCounter::kReceived,
     {.name = "received",
      .unit = "bundles",
      .help = "Bundles received by the link; those of a session with a link number of its own "
              "count at the session and at the induct.",
      .metric = "link_received_bundles_total",
      .json = {.link = "inBundles"}}},
    {LinkCounter::kReceivedBytes,
     {.name = "received_bytes",
      .unit = "bytes",
      .help = "Bytes of the bundles in received.",
      .metric = "link_received_bytes_total",
      .json = {.link = "inBytes"}}},
    {LinkCounter::kRefused,
     {.name = "refused",
      .unit = "bundles",
      .help = "Bundles received by the link and refused to their sender.",
      .metric = "link_refused_bundles_total",
      .json = {.link = "refusedBundles"}}},
    {LinkCounter::kSent,
     {.name = "sent",
      .unit = "bundles",
      .help = "Bundles sent to the neighbour; with acknowledgements, those acknowledged.",
      .metric = "link_sent_bundles_total",
      .json = {.link = "outBundles"}}},
    {LinkCounter::kSentBytes,
     {.name = "sent_bytes",
      .unit = "bytes",
      .help = "Bytes of the bundles in sent, as received by this node.",
      .metric = "link_sent_bytes_total",
      .json = {.link = "outBytes"}}},
    {LinkCounter::kSendRefused,
     {.name = "send_refused",
      .unit = "bundles",
      .help = "Bundles refused by the neighbour.",
      .metric = "link_send_refused_bundles_total",
      .json = {.link = "sendRefusedBundles"}}},
    {LinkCounter::kSendTooLarge,
     {.name = "send_too_large",
      .unit = "bundles",
      .help = "Bundles not sent because they are larger than the neighbour or a datagram accepts "
              "and were not fragmented; each attempt counts.",
      .metric = "link_send_too_large_bundles_total",
      .json = {.link = "sendTooLargeBundles"}}},
    {LinkCounter::kSendUnacknowledged,
     {.name = "send_unacknowledged",
      .unit = "bundles",
      .help = "Bundles that LTP sent again up to its limit without a response of the neighbour; "
              "each attempt counts.",
      .metric = "link_send_unacknowledged_bundles_total",
      .json = {.link = "sendUnacknowledgedBundles"}}},
    {LinkCounter::kSessionsOpened,
     {.name = "sessions_opened",
      .unit = "sessions",
      .help = "Sessions and connections of the link that were opened.",
      .metric = "link_sessions_opened_total",
      .json = {.link = "sessionsOpened"}}},
    {LinkCounter::kSessionsOpen,
     {.name = "sessions_open",
      .unit = "sessions",
      .help = "Sessions and connections of the link that are open.",
      .gauge = true,
      .metric = "link_sessions_open",
      .json = {.link = "sessionsOpen"}}},
    {LinkCounter::kQueued,
     {.name = "queued",
      .unit = "bundles",
      .help = "Bundles that egress holds for the link, those in transmission included.",
      .gauge = true,
      .metric = "link_queued_bundles",
      .json = {.link = "queuedBundles"}}},
    {LinkCounter::kQueuedBytes,
     {.name = "queued_bytes",
      .unit = "bytes",
      .help = "Bytes of the bundles in queued.",
      .gauge = true,
      .metric = "link_queued_bytes",
      .json = {.link = "queuedBytes"}}},
    {LinkCounter::kDatagramsLost,
     {.name = "datagrams_lost",
      .unit = "datagrams",
      .help = "Datagrams that the kernel dropped because the receive buffer was full.",
      .metric = "link_datagrams_lost_total"}},
    {LinkCounter::kCut,
     {.name = "cut",
      .unit = "bundles",
      .help = "Bundles cut into fragments for the link; each counts once in sent.",
      .metric = "link_cut_bundles_total",
      .json = {.link = "cutBundles"}}},
    {LinkCounter::kFragments,
     {.name = "fragments",
      .unit = "fragments",
      .help = "Fragments of those bundles given to the link.",
      .metric = "link_fragments_total",
      .json = {.link = "fragments"}}},
    {LinkCounter::kDeparture,
     {.name = "departure",
      .unit = "times",
      .help = "Protocol deviations of the neighbour that are tolerated, by kind.",
      .slots = kDepartureKinds,
      .metric = "link_departure_total"}},
    {LinkCounter::kLtp,
     {.name = "ltp",
      .unit = "times",
      .help = "Counters of the LTP engine for the neighbour.",
      .slots = kLtpCounts}},
}};
static_assert(describes_all<LinkCounter>(kLinkCounters));
[[nodiscard]] consteval const auto &counter_table(LinkCounter) {
    return kLinkCounters;
}

using LinkCounters = Counters<LinkCounter>;

}  // namespace farlink::telemetry
