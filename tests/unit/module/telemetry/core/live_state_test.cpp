// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/live_state.hpp"

#include <gtest/gtest.h>

#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::live_state_test {
namespace {

template <class Values>
bus::CounterReport report_of(bus::AgentId module, const Values &counters) {
    bus::CounterReport report;
    report.module = module;
    report.sequence = 1;
    report.values = counters.snapshot();
    return report;
}

TEST(LiveState, FlowAddsUpTheCountersOfAllModules) {
    ApiFixture node;
    IngressCounters ingress;
    ingress.set(IngressCounter::kReceived, 100);
    ingress.set(IngressCounter::kForwarded, 1);
    ingress.set(IngressCounter::kForwardedBytes, 10);
    ingress.set(IngressCounter::kDuplicatesDelivered, 2);
    ingress.set(IngressCounter::kDuplicatesInFlight, 3);
    ingress.set(IngressCounter::kExpired, 4);
    ingress.set(IngressCounter::kDeletedTooLarge, 5);
    ingress.increment(IngressCounter::kMalformed, 7);
    EgressCounters egress;
    egress.set(EgressCounter::kForwarded, 6);
    egress.set(EgressCounter::kForwardedBytes, 60);
    egress.set(EgressCounter::kExpired, 1000);
    egress.set(EgressCounter::kRefused, 7);
    egress.set(EgressCounter::kRenderDeletedHopLimit, 8);
    StorageCounters storage;
    storage.set(StorageCounter::kStoredNow, 9);
    storage.set(StorageCounter::kStoredBytes, 90);
    storage.set(StorageCounter::kStoredTotal, 11);
    storage.set(StorageCounter::kDuplicates, 12);
    storage.set(StorageCounter::kRefused, 13);
    storage.set(StorageCounter::kDeletedByOperator, 14);
    storage.set(StorageCounter::kCustodyHeld, 15);
    node.publish(report_of(bus::AgentId::kIngress, ingress));
    node.publish(report_of(bus::AgentId::kEgress, egress));
    node.publish(report_of(bus::AgentId::kStorage, storage));
    const Json &document = node.view.document(node.moment);
    EXPECT_EQ(document["flow"], Json({{"receivedBundles", 100},
                                      {"receivedBytes", 0},
                                      {"cutThroughBundles", 0},
                                      {"storedBundles", 11},
                                      {"releasedBundles", 0},
                                      {"forwardedBundles", 7},
                                      {"forwardedBytes", 70},
                                      {"deliveredBundles", 0},
                                      {"deletedBundles", 28},
                                      {"expiredBundles", 4},
                                      {"duplicateBundles", 17},
                                      {"inFlightBundles", 0},
                                      {"refusedBundles", 20}}));
    EXPECT_EQ(document["storage"]["bundles"], 9);
    EXPECT_EQ(document["storage"]["bytes"], 90);
    EXPECT_EQ(document["storage"]["custodyBundles"], 15);
    EXPECT_EQ(node.view.custody(node.moment)["counters"]["held"], 15);
}

TEST(LiveState, AllMembersOfFlowArePresentAtZero) {
    ApiFixture node;
    node.publish(report_of(bus::AgentId::kIngress, IngressCounters()));
    EXPECT_EQ(node.view.document(node.moment)["flow"].size(), 13U);
}

TEST(LiveState, FiguresOfAModuleThatDoesNotReportHaveTheirAge) {
    ApiFixture node;
    const auto body = [&node](const char *path) {
        return Json::parse(node.answer("GET", path).body);
    };
    node.publish(report_of(bus::AgentId::kEgress, EgressCounters{}));
    node.publish(report_of(bus::AgentId::kStorage, StorageCounters{}));
    node.moment.now += milliseconds(2'900);
    EXPECT_FALSE(body("/api/v1/links").contains("figuresAgeSeconds")) << "a report may be late";
    node.publish(report_of(bus::AgentId::kStorage, StorageCounters{}));
    node.moment.now += milliseconds(2'500);
    EXPECT_EQ(body("/api/v1/links")["figuresAgeSeconds"], Json({{"egress", 5}}));
    EXPECT_EQ(body("/api/v1/links/1")["figuresAgeSeconds"], Json({{"egress", 5}}));
    EXPECT_FALSE(body("/api/v1/storage").contains("figuresAgeSeconds"));
    node.view.handle_status({{"modules", {{"egress", "silent"}}}}, node.moment);
    EXPECT_EQ(node.view.document(node.moment)["modules"]["egress"],
              Json({{"state", "silent"}, {"reportAgeSeconds", 5}}));
    node.moment.now += seconds(1);
    EXPECT_EQ(body("/api/v1/storage")["figuresAgeSeconds"], Json({{"storage", 3}}));
    node.publish(report_of(bus::AgentId::kEgress, EgressCounters{}));
    EXPECT_FALSE(body("/api/v1/links").contains("figuresAgeSeconds"));
    EXPECT_FALSE(node.view.document(node.moment)["modules"]["egress"].contains("reportAgeSeconds"));
}

}  // namespace
}  // namespace farlink::telemetry::live_state_test
