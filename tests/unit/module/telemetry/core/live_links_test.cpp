// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/live_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/telemetry/ltp_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry {
namespace {

constexpr LinkId kLink{1};

std::size_t ltp_place(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kLtpCounterNames, name) -
                                    kLtpCounterNames.begin());
}

TEST(LiveLinks, ShowTheCountersThatTheTableNames) {
    ApiFixture node;
    LinkCounters counters;
    counters.set(LinkCounter::kReceived, 1);
    counters.set(LinkCounter::kReceivedBytes, 2);
    counters.set(LinkCounter::kSent, 3);
    counters.set(LinkCounter::kSentBytes, 4);
    counters.set(LinkCounter::kQueued, 5);
    counters.set(LinkCounter::kQueuedBytes, 6);
    counters.set(LinkCounter::kRefused, 7);
    counters.set(LinkCounter::kSendRefused, 8);
    node.publish(bus::LinkReport{bus::AgentId::kEgress, kLink, {}, counters.snapshot()});
    const Json &link = node.view.document(node.moment)["links"]["1"];
    EXPECT_EQ(link["inBundles"], 1);
    EXPECT_EQ(link["inBytes"], 2);
    EXPECT_EQ(link["outBundles"], 3);
    EXPECT_EQ(link["outBytes"], 4);
    EXPECT_EQ(link["queuedBundles"], 5);
    EXPECT_EQ(link["queuedBytes"], 6);
    EXPECT_EQ(link["refusedBundles"], 7);
    EXPECT_EQ(link["sendRefusedBundles"], 8);
    EXPECT_FALSE(link.contains("ltp"));
}

TEST(LiveLinks, LtpShowsWhatWasCountedAndTheSumOfOpenSessions) {
    const auto config = config::parse_node_config(R"({"myNodeId": 10, "inductsConfig":
        [{"url": "stcp://127.0.0.1:4556"}], "outductsConfig": [
        {"url": "ltp://10.0.0.2:1113", "nextHopNodeId": 20, "thisLtpEngineId": 10,
         "remoteLtpEngineId": 20}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    Json links = Json::object();
    LiveLinks live(links, *config);
    LinkCounters counters;
    counters.increment(LinkCounter::kLtp, ltp_place("segments_sent"));
    counters.increment(LinkCounter::kLtp, ltp_place("sessions_out_open"));
    counters.increment(LinkCounter::kLtp, ltp_place("sessions_in_open"));
    LinkCounterTable table;
    table.handle(bus::LinkReport{bus::AgentId::kEgress, kLink, {}, counters.snapshot()});
    live.update(kLink, *table.find(kLink));
    EXPECT_EQ(links["1"]["ltp"], Json({{"segmentsSent", 1},
                                       {"retransmittedSegments", 0},
                                       {"sessionsOutOpen", 1},
                                       {"sessionsInOpen", 1},
                                       {"sessions", 2}}));
}

}  // namespace
}  // namespace farlink::telemetry
