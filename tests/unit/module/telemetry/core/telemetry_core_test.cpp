// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/telemetry_core.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry::telemetry_core_test {
namespace {

bus::CounterReport report_of(const IngressCounters &counters, std::uint64_t sequence) {
    bus::CounterReport report;
    report.module = bus::AgentId::kIngress;
    report.sequence = sequence;
    report.values = counters.snapshot();
    return report;
}

TEST(TelemetryCore, NamesTheMembersOfFamiliesThatItIsTold) {
    const std::array<std::string_view, 2> faults{"none", "peer_closed"};
    TelemetryCore core(std::array{FamilyLabels{"ingress_link_fault", faults}});
    IngressCounters counters;
    counters.increment(IngressCounter::kLinkFault, 1);
    counters.increment(IngressCounter::kLinkFault, 2);
    core.handle(report_of(counters, 1));
    const std::string line = core.to_json_line();
    EXPECT_NE(line.find("\"ingress_link_fault_peer_closed\":1"), std::string::npos) << line;
    EXPECT_NE(line.find("\"ingress_link_fault_2\":1"), std::string::npos) << line;
    EXPECT_NE(line.find("\"ingressLinkFaultPeerClosed\":1"), std::string::npos) << line;
    EXPECT_NE(line.find("\"ingressLinkFault2\":1"), std::string::npos) << line;
}

TEST(TelemetryCore, EachCounterIsPrintedByItsNameAndByThatOfVersion010) {
    TelemetryCore core;
    IngressCounters ingress;
    ingress.set(IngressCounter::kReceived, 7);
    core.handle(report_of(ingress, 1));
    LinkCounters counters;
    counters.set(LinkCounter::kReceived, 9);
    counters.set(LinkCounter::kReceivedBytes, 900);
    core.handle(bus::LinkReport{bus::AgentId::kIngress, LinkId{3}, {}, counters.short_snapshot()});
    const auto line = nlohmann::ordered_json::parse(core.to_json_line());
    EXPECT_EQ(line["ingressReceived"], 7);
    EXPECT_EQ(line["ingress_received"], 7);
    EXPECT_EQ(line["links"][0]["received"], 9);
    EXPECT_EQ(line["links"][0]["receivedBytes"], 900);
    EXPECT_EQ(line["links"][0]["received_bytes"], 900);
    EXPECT_EQ(core.to_json_line().find("\"received\""), core.to_json_line().rfind("\"received\""))
        << "one name, one member";
}

TEST(TelemetryCore, KeepsTheLatestReport) {
    TelemetryCore core;
    IngressCounters counters;
    counters.set(IngressCounter::kReceived, 7);
    core.handle(report_of(counters, 2));
    counters.set(IngressCounter::kReceived, 5);
    core.handle(report_of(counters, 1));
    const std::string line = core.to_json_line();
    EXPECT_NE(line.find("\"ingress_received\":7"), std::string::npos) << line;
    EXPECT_EQ(core.ledger().received, 7U);
}

// Telemetry that is started again knows nothing of deaths before it.
TEST(TelemetryCore, ALedgerThatBeganLateNeedNotBalance) {
    IngressCounters counters;
    counters.set(IngressCounter::kReceived, 7);
    TelemetryCore from_the_start;
    from_the_start.handle(report_of(IngressCounters{}, 3));
    from_the_start.handle(report_of(counters, 4));
    EXPECT_TRUE(from_the_start.ledger().complete());
    EXPECT_NE(from_the_start.ledger().to_table().find("NOT balanced"), std::string::npos);
    TelemetryCore later;
    later.handle(report_of(counters, 4));
    EXPECT_FALSE(later.ledger().complete());
    EXPECT_NE(later.ledger().to_table().find("telemetry started late"), std::string::npos);
}

TEST(TelemetryCore, NamesNeighboursWhateverTheyCallThemselves) {
    const std::array<std::string_view, 1> kinds{"ack_flags_differ"};
    TelemetryCore core(std::array{FamilyLabels{"departure", kinds}});
    LinkCounters counters;
    counters.increment(LinkCounter::kDeparture, 0);
    core.handle(
        bus::LinkReport{bus::AgentId::kEgress, LinkId{3}, {'"', 0xff, '\n'}, counters.snapshot()});
    const auto line = nlohmann::json::parse(core.to_json_line());
    ASSERT_EQ(line["neighbours"].size(), 1U);
    EXPECT_EQ(line["neighbours"][0]["module"], "egress");
    EXPECT_EQ(line["neighbours"][0]["link"], 3);
    EXPECT_EQ(line["neighbours"][0]["neighbour"], "\"\xef\xbf\xbd\n");
    EXPECT_EQ(line["neighbours"][0]["departure_ack_flags_differ"], 1);
}

TEST(TelemetryCore, LinksAndTheirNeighboursAreDifferentLists) {
    TelemetryCore core;
    LinkCounters counters;
    counters.set(LinkCounter::kReceived, 9);
    core.handle(bus::LinkReport{bus::AgentId::kIngress, LinkId{3}, {}, counters.short_snapshot()});
    const auto line = nlohmann::json::parse(core.to_json_line());
    ASSERT_EQ(line["links"].size(), 1U);
    EXPECT_EQ(line["links"][0]["module"], "ingress");
    EXPECT_EQ(line["links"][0]["link"], 3);
    EXPECT_EQ(line["links"][0]["received"], 9);
    EXPECT_TRUE(line["neighbours"].empty());
    EXPECT_EQ(core.links().find(LinkId{3})->value(LinkCounter::kReceived), 9U);
}

TEST(TelemetryCore, KeepsWhatIsSaidOfStoreLatencyAndProcesses) {
    TelemetryCore core;
    EXPECT_FALSE(core.storage().has_value());
    core.handle(bus::StorageReport{.disks = {{}}, .pending = {{NodeNumber{7}, 1, 2}}});
    ASSERT_TRUE(core.storage().has_value());
    EXPECT_EQ(core.storage()->pending.front().bundles, 1U);
    core.handle(bus::HistogramReport{.module = bus::AgentId::kIngress, .count = 4});
    core.handle(bus::HistogramReport{.module = bus::AgentId::kIngress, .count = 5});
    const TelemetryCore::HistogramKey key{bus::AgentId::kIngress, bus::LatencyKind::kCutThrough};
    EXPECT_EQ(core.histograms().at(key).count, 5U);
    core.handle(bus::ProcessReport{.module = bus::AgentId::kIngress, .process = 1, .threads = 3});
    core.handle(bus::ProcessReport{.module = bus::AgentId::kEgress, .process = 1, .threads = 3});
    core.handle(bus::ProcessReport{.module = bus::AgentId::kStorage, .process = 2, .threads = 4});
    ASSERT_EQ(core.processes().size(), 2U) << "two modules share one";
    const std::uint64_t before = core.revision();
    core.handle_death(bus::AgentId::kStorage);
    EXPECT_GT(core.revision(), before);
    EXPECT_EQ(core.processes().size(), 1U);
    EXPECT_FALSE(core.storage().has_value());
    EXPECT_EQ(core.histograms().size(), 1U);
}

TEST(TelemetryCore, AddsWhatAModuleCountsToWhatTheDeadOneHasCounted) {
    TelemetryCore core;
    core.handle(report_of(IngressCounters{}, 1));
    IngressCounters counters;
    counters.set(IngressCounter::kReceived, 7);
    counters.set(IngressCounter::kInFlight, 3);
    core.handle(report_of(counters, 40));
    EXPECT_TRUE(core.ledger().complete());
    core.handle_death(bus::AgentId::kIngress);
    IngressCounters fresh;
    fresh.set(IngressCounter::kReceived, 5);
    core.handle(report_of(fresh, 1));
    EXPECT_EQ(core.ledger().received, 12U);
    EXPECT_EQ(core.value(bus::AgentId::kIngress, IngressCounter::kReceived), 12U);
    EXPECT_EQ(core.value(bus::AgentId::kEgress, IngressCounter::kReceived), 0U);
    EXPECT_EQ(core.ledger().in_flight, 0U) << "nobody holds those";
    EXPECT_FALSE(core.ledger().complete());
}

TEST(TelemetryCore, CountsModulesWithoutAFinalReportAndNotTheirDeaths) {
    TelemetryCore core;
    for (int death = 0; death < 2; ++death) {
        core.handle(report_of(IngressCounters{}, 1));
        core.handle_death(bus::AgentId::kIngress);
        EXPECT_EQ(core.ledger().unreported, 1U);
        EXPECT_EQ(core.ledger().restarted, 0U);
    }
    bus::CounterReport report = report_of(IngressCounters{}, 1);
    report.last = true;
    core.handle(report);
    EXPECT_EQ(core.ledger().unreported, 0U);
    EXPECT_EQ(core.ledger().restarted, 1U);
    EXPECT_FALSE(core.ledger().complete());
}

}  // namespace
}  // namespace farlink::telemetry::telemetry_core_test
