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
    kDatagramsLost,
    kDeparture,
    kLtp = kDeparture + kDepartureKinds,
    kCount_ = kLtp + kLtpCounts,
};

inline constexpr std::array<CounterRow<LinkCounter>, 3> kLinkCounters{{
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
