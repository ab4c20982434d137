// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/live_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/telemetry/ltp_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::live_links_test {
namespace {

constexpr LinkId kLink{1};

std::size_t ltp_place(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kLtpCounterNames, name) -
                                    kLtpCounterNames.begin());
}

TEST(LiveLinks, ShowTheCountersThatTheTableNames) {
    const std::vector<std::pair<LinkCounter, const char *>> shown{
        {LinkCounter::kReceived, "inBundles"},
        {LinkCounter::kReceivedBytes, "inBytes"},
        {LinkCounter::kSent, "outBundles"},
        {LinkCounter::kSentBytes, "outBytes"},
        {LinkCounter::kQueued, "queuedBundles"},
        {LinkCounter::kQueuedBytes, "queuedBytes"},
        {LinkCounter::kRefused, "refusedBundles"},
        {LinkCounter::kSendRefused, "sendRefusedBundles"}};
    ApiFixture node;
    LinkCounters counters;
    for (std::uint64_t value = 0; const auto &[counter, key] : shown)
        counters.set(counter, ++value);
    node.publish(bus::LinkReport{bus::AgentId::kEgress, kLink, {}, counters.snapshot()});
    const Json &link = node.view.document(node.moment)["links"]["1"];
    for (std::uint64_t value = 0; const auto &[counter, key] : shown)
        EXPECT_EQ(link[key], ++value) << key;
    EXPECT_FALSE(link.contains("ltp"));
}

TEST(LiveLinks, ASessionHasNothingOfTheOneWhoseNumberItTakes) {
    ApiFixture node;
    const std::string name = "dtn://seven/";
    bus::LinkInfo info{.kind = bus::LinkKind::kSession, .connected = true, .link = LinkId{90}};
    info.reason = {'n', 'o'};
    info.neighbour = NodeNumber{7};
    node.publish(info);
    info.neighbour = NodeNumber{};
    info.claimed_name = {name.begin(), name.end()};
    node.publish(info);
    const Json row = node.view.document(node.moment)["links"]["90"];
    EXPECT_EQ(row["claimedName"], name);
    EXPECT_FALSE(row.contains("claimedNode"));
}

TEST(LiveLinks, AnInductShowsTheNodeIdsThatItRefuses) {
    ApiFixture node;
    const std::string refused = "ipn:46.0";
    bus::LinkInfo info{.kind = bus::LinkKind::kInduct, .connected = true, .link = LinkId{3}};
    info.refused = {{{refused.begin(), refused.end()}, {'w', 'h', 'y'}}, {{'b'}, {'c'}}};
    info.reason = {'c'};
    node.publish(info);
    Json row = node.view.document(node.moment)["links"]["3"];
    EXPECT_EQ(row["refused"], Json::parse(R"([{"nodeId":"ipn:46.0","reason":"why"},)"
                                          R"({"nodeId":"b","reason":"c"}])"));
    EXPECT_EQ(row["reason"], "c");
    EXPECT_FALSE(row.contains("claimedName"));
    info.refused.clear();
    node.publish(info);
    row = node.view.document(node.moment)["links"]["3"];
    EXPECT_FALSE(row.contains("refused"));
}

TEST(LiveLinks, ASessionIsListedOnceItsHostHasSaidWhatItIs) {
    ApiFixture node;
    constexpr LinkId kSession{90};
    const auto listed = [&node] { return node.view.document(node.moment)["links"].contains("90"); };
    node.publish(bus::ContactStart{{}, kSession, NodeNumber{7}, {}, {}, kDtnNever});
    node.publish(bus::LinkUp{{}, kSession, NodeNumber{7}, {}, {}});
    node.publish(
        bus::LinkReport{bus::AgentId::kEgress, kSession, {}, LinkCounters().short_snapshot()});
    EXPECT_FALSE(listed());
    const std::string url = "tcpclv4://10.0.0.7:4556";
    bus::LinkInfo info{.kind = bus::LinkKind::kSession, .connected = true, .link = kSession};
    info.url = {url.begin(), url.end()};
    node.publish(info);
    ASSERT_TRUE(listed());
    const Json row = node.view.document(node.moment)["links"]["90"];
    EXPECT_EQ(row["layer"], "tcpclv4");
    EXPECT_EQ(row["address"], "10.0.0.7:4556");
    EXPECT_EQ(row["up"], true) << "as the scheduler has said before";
    EXPECT_EQ(row["neighbour"], 7);
}

TEST(LiveLinks, ALinkThatIsRemovedIsNotListedWhileItCloses) {
    ApiFixture node;
    const auto listed = [&node] { return node.view.document(node.moment)["links"].contains("1"); };
    bus::LinkInfo info{.kind = bus::LinkKind::kOutduct, .connected = true, .link = kLink};
    node.publish(info);
    EXPECT_TRUE(listed());
    node.publish(bus::LinkChange{bus::LinkVerb::kRemove, kLink, true, {}});
    EXPECT_FALSE(listed());
    node.publish(bus::LinkDown{{}, kLink, NodeNumber{20}, bus::LinkDownReason::kRemoved});
    node.publish(
        bus::LinkReport{bus::AgentId::kEgress, kLink, {}, LinkCounters().short_snapshot()});
    EXPECT_FALSE(listed());
    info.removed = true;
    node.publish(info);
    EXPECT_FALSE(listed());
    info.removed = false;
    node.publish(info);
    node.publish(bus::LinkChange{bus::LinkVerb::kChange, kLink, true, {'{', '}'}});
    EXPECT_TRUE(listed()) << "another one has its number";
}

// Its hosts restore the links of the configuration, and it knows of no change.
TEST(LiveLinks, ASupervisorThatHasStartedAgainHidesNoLink) {
    ApiFixture node;
    const auto listed = [&node] { return node.view.document(node.moment)["links"].contains("1"); };
    node.publish(bus::LinkChange{bus::LinkVerb::kRemove, kLink, true, {}});
    EXPECT_FALSE(listed());
    node.publish(bus::LinkInfo{.kind = bus::LinkKind::kOutduct, .connected = true, .link = kLink});
    EXPECT_FALSE(listed());
    node.publish(bus::ModuleBack{bus::AgentId::kEgress});
    EXPECT_FALSE(listed());
    node.publish(bus::ModuleBack{bus::AgentId::kSupervisor});
    EXPECT_TRUE(listed());
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
}  // namespace farlink::telemetry::live_links_test
