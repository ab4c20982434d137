// SPDX-License-Identifier: Apache-2.0
// The counters of one link, or of one neighbour at a link that many use.
// Owned by the module that hosts the link; its thread is the only writer.
// Enumerators are indices into a LinkReport: new ones go before the families, tables follow.
#pragma once

#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/ingress_counters.hpp"

namespace farlink::telemetry {

/// Room for one counter for each cla::ltp::LtpCount.
inline constexpr std::size_t kLtpCounts = 64;

enum class LinkCounter : std::size_t {
    kReceived,
    kReceivedBytes,
    kRefused,
    kSent,
    kSentBytes,
    kSendRefused,
    kSessionsOpened,
    kSessionsOpen,
    kQueued,
    kQueuedBytes,
    kDatagramsLost,
    kDeparture,
    kLtp = kDeparture + kDepartureKinds,
    kCount_ = kLtp + kLtpCounts,
};

inline constexpr std::array<CounterRow<LinkCounter>, 13> kLinkCounters{{
    {LinkCounter::kReceived,
     {"received", "bundles",
      "Bundles that have come by the link; those of a session that is a link of its own count "
      "there "
      "and at the induct."}},
    {LinkCounter::kReceivedBytes,
     {"received_bytes", "bytes", "Octets of the bundles in received."}},
    {LinkCounter::kRefused,
     {"refused", "bundles",
      "Bundles that have come by the link and were refused to their sender."}},
    {LinkCounter::kSent,
     {"sent", "bundles", "Bundles handed over to the neighbour as the layer promises."}},
    {LinkCounter::kSentBytes,
     {"sent_bytes", "bytes", "Octets of the bundles in sent, as they came here."}},
    {LinkCounter::kSendRefused,
     {"send_refused", "bundles", "Bundles that the neighbour did not take."}},
    {LinkCounter::kSessionsOpened,
     {"sessions_opened", "sessions", "Sessions and connections of the link that have begun."}},
    {LinkCounter::kSessionsOpen, {"sessions_open", "sessions", "Those of them that last.", true}},
    {LinkCounter::kQueued,
     {"queued", "bundles", "Bundles that egress has for the link, sent ones included.", true}},
    {LinkCounter::kQueuedBytes,
     {"queued_bytes", "bytes", "Octets of the bundles in queued.", true}},
    {LinkCounter::kDatagramsLost,
     {"datagrams_lost", "datagrams",
      "Datagrams that the system dropped because the receive buffer was full."}},
    {LinkCounter::kDeparture,
     {.name = "departure",
      .unit = "times",
      .help = "What the neighbour does beside its standard, and is put up with.",
      .slots = kDepartureKinds}},
    {LinkCounter::kLtp,
     {.name = "ltp",
      .unit = "times",
      .help = "What the LTP engine has counted of the neighbour; sessions open are a level.",
      .slots = kLtpCounts}},
}};
static_assert(describes_all<LinkCounter>(kLinkCounters));

using LinkCounters = Counters<LinkCounter>;

}  // namespace farlink::telemetry
