// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/flow_totals.hpp"

#include <gtest/gtest.h>

#include "common/telemetry/ingress_counters.hpp"

namespace farlink::telemetry::flow_totals_test {
namespace {

bus::CounterReport report(std::uint64_t sequence, std::uint64_t received) {
    IngressCounters counters;
    counters.add(IngressCounter::kReceived, received);
    bus::CounterReport made;
    made.module = bus::AgentId::kIngress;
    made.sequence = sequence;
    made.values = counters.snapshot();
    return made;
}

TEST(FlowTotals, CountsAreThoseOfTheStateDocument) {
    TelemetryCore core;
    core.handle(report(1, 5));
    EXPECT_EQ(flow_totals(core).at("receivedBundles"), 5U);
    EXPECT_FALSE(flow_totals(core).contains("inFlightBundles"));
    core.handle_death(bus::AgentId::kIngress);
    core.handle(report(1, 2));
    EXPECT_EQ(flow_totals(core).at("receivedBundles"), 7U);
}

TEST(FlowTotals, CountsFromBeforeTelemetryAreLeftOut) {
    TelemetryCore core;
    core.handle(report(100, 50));
    EXPECT_EQ(flow_totals(core).at("receivedBundles"), 0U);
    core.handle(report(101, 53));
    EXPECT_EQ(flow_totals(core).at("receivedBundles"), 3U);
}

}  // namespace
}  // namespace farlink::telemetry::flow_totals_test
