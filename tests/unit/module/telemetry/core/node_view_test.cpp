// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/node_view.hpp"

#include <gtest/gtest.h>

#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_test {
namespace {

constexpr LinkId kOut{1};

bus::LinkInfo outduct(bool connected, std::string_view reason) {
    bus::LinkInfo info{bus::AgentId::kEgress, bus::LinkKind::kOutduct, connected, false, kOut};
    info.neighbour = NodeNumber{20};
    const ByteView url = as_bytes("tcpclv4://10.0.0.2:4556");
    info.url = {url.begin(), url.end()};
    const ByteView why = as_bytes(reason);
    info.reason = {why.begin(), why.end()};
    return info;
}

TEST(NodeView, BeginsWithWhatIsConfigured) {
    ApiFixture node;
    const Json &links = node.view.document(node.moment)["links"];
    EXPECT_EQ(links["0"]["layer"], "stcp");
    EXPECT_EQ(links["0"]["direction"], "in");
    EXPECT_EQ(links["1"]["direction"], "both");
    EXPECT_EQ(links["1"]["neighbour"], 20);
    EXPECT_EQ(links["1"]["address"], "10.0.0.2:4556");
    EXPECT_EQ(links["1"]["up"], false);
}

TEST(NodeView, AnIpv6AddressStandsInBrackets) {
    const auto config = config::parse_node_config(R"({"myNodeId": 10, "outductsConfig": [
        {"url": "stcp://[2001:db8::1]:4556", "nextHopNodeId": 20}]})")
                            .value();
    TelemetryCore core;
    NodeView view{config, "1.2.3", core, TimePoint{}};
    EXPECT_EQ(view.document({TimePoint{}, 800'000'000'000})["links"]["0"]["address"],
              "[2001:db8::1]:4556");
}

TEST(NodeView, LinksFollowTheirEvents) {
    ApiFixture node;
    node.publish(bus::ContactStart{{}, kOut, NodeNumber{20}, BitRate{1000}, seconds(2), kDtnNever});
    node.publish(bus::LinkUp{{}, kOut, NodeNumber{20}, BitRate{1000}, seconds(2)});
    const Json up = node.view.document(node.moment)["links"]["1"];
    EXPECT_EQ(up["up"], true);
    EXPECT_EQ(up["planned"], true);
    EXPECT_EQ(up["rateBitsPerSec"], 1000);
    EXPECT_EQ(up["lightTimeSeconds"], 2.0);
    EXPECT_FALSE(up.contains("ends"));
    node.publish(bus::LinkUp{{}, kOut, NodeNumber{20}, BitRate{2000}, seconds(2)});
    node.publish(bus::LinkDown{{}, kOut, NodeNumber{20}, bus::LinkDownReason::kConnectionLost});
    EXPECT_EQ(node.view.document(node.moment)["links"]["1"]["up"], false);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << events;
    EXPECT_EQ(events[0]["kind"], "link-up");
    EXPECT_EQ(events[1]["text"], "link 1 to node 20 is down: connection lost");
    EXPECT_EQ(events[1]["level"], "warning");
}

TEST(NodeView, ALinkThatIsRemovedIsNotLost) {
    ApiFixture node;
    node.publish(bus::LinkUp{{}, kOut, NodeNumber{20}, BitRate{1000}, seconds(2)});
    node.publish(bus::LinkDown{{}, kOut, NodeNumber{20}, bus::LinkDownReason::kRemoved});
    const Json down = node.view.document(node.moment)["links"]["1"];
    EXPECT_EQ(down["up"], false);
    EXPECT_EQ(down["connected"], false);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << events;
    EXPECT_EQ(events[1]["text"], "link 1 to node 20 is down: removed or changed");
    EXPECT_EQ(events[1]["level"], "info");
}

TEST(NodeView, ALinkThatWasUpBeforeIsAnEventOnce) {
    ApiFixture node;
    const bus::LinkSnapshot snapshot{{},
                                     {{LinkId{1}, NodeNumber{20}, {}, {}, 0, true, true},
                                      {LinkId{2}, NodeNumber{30}, {}, {}, 0, true, false},
                                      {LinkId{3}, NodeNumber{40}, {}, {}, 0, false, true}}};
    for (int i = 0; i < 2; ++i) node.publish(snapshot);
    node.publish(bus::LinkUp{{}, LinkId{1}, NodeNumber{20}, {}});
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 1U) << events;
    EXPECT_EQ(events[0]["text"], "link 1 to node 20 is up");
}

TEST(NodeView, ALinkThatASnapshotDoesNotNameIsDown) {
    ApiFixture node;
    node.publish(bus::LinkUp{{}, kOut, NodeNumber{20}, BitRate{2000}, seconds(2)});
    for (int i = 0; i < 2; ++i) node.publish(bus::LinkSnapshot{});
    const Json links = node.view.document(node.moment)["links"];
    EXPECT_EQ(links["1"]["up"], false);
    EXPECT_EQ(links["1"]["planned"], false);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << events;
    EXPECT_EQ(events[1]["text"], "link 1 is down: removed");
}

TEST(NodeView, AReasonIsAnEventOnce) {
    ApiFixture node;
    for (int i = 0; i < 3; ++i) node.publish(outduct(false, "connection refused"));
    EXPECT_EQ(node.view.events().last(), 1U);
    EXPECT_EQ(node.view.document(node.moment)["links"]["1"]["reason"], "connection refused");
    node.publish(outduct(false, "the neighbour closed the connection"));
    const Json events = node.view.events().after(0, 9);
    EXPECT_EQ(events[0]["text"], "link 1 to node 20: connection refused");
    EXPECT_EQ(events.back()["text"], "link 1: node 20 closed the connection");
    node.publish(outduct(true, ""));
    EXPECT_EQ(node.view.document(node.moment)["links"]["1"]["connected"], true);
}

TEST(NodeView, StatusFillsLinksModulesAndPlan) {
    ApiFixture node;
    node.publish(bus::LinkInfo{.kind = bus::LinkKind::kSession, .link = LinkId{9}});
    (void)node.view.document(node.moment);
    const Json status = Json::parse(R"({"ok":true,"modules":{"router":"ready"},
        "plan":{"version":3,"contacts":7,"configured":true,"changedByCommand":false},
        "links":[{"link":1,"neighbour":20,"up":true,"enabled":true,"connected":true,
                  "planned":true,"rateBitsPerSec":5,"owlt":0.5,"ends":null,
                  "nextContact":"2026-01-01T00:00:00.000Z"},
                 {"link":9,"neighbour":30,"up":false,"enabled":false,"connected":false,
                  "planned":false,"nextContact":null},
                 {"link":8,"neighbour":40,"up":false}, 7]})");
    node.view.handle_status(status, node.moment);
    const Json document = node.view.document(node.moment);
    EXPECT_EQ(document["plan"]["version"], 3);
    EXPECT_EQ(document["modules"]["router"]["state"], "ready");
    EXPECT_EQ(document["links"]["1"]["lightTimeSeconds"], 0.5);
    EXPECT_FALSE(document["links"]["1"].contains("ends"));
    EXPECT_EQ(document["links"]["9"]["enabled"], false);
    EXPECT_FALSE(document["links"].contains("8")) << "no module has told of it";
    EXPECT_EQ(node.view.events().last(), 0U);
    node.view.handle_status({{"plan", {{"version", 4U}}}}, node.moment);
    EXPECT_EQ(node.view.events().after(0, 1)[0]["kind"], "plan-changed");
    node.view.handle_status(Json(Json::value_t::discarded), node.moment);
}

TEST(NodeView, ADrainAndItsEndAreEvents) {
    ApiFixture node;
    node.view.handle_status({{"drained", false}}, node.moment);
    EXPECT_EQ(node.view.events().last(), 0U);
    for (const bool drained : {true, true, false, false})
        node.view.handle_status({{"drained", drained}}, node.moment);
    const Json events = node.view.events().after(0, 9);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0]["kind"], "drained");
    EXPECT_EQ(events[1]["kind"], "resumed");
}

TEST(NodeView, ASupervisorThatDoesNotAnswerIsSilentUntilItDoes) {
    ApiFixture node;
    const auto scheduler = [&] {
        return node.view.document(node.moment)["modules"]["scheduler"]["state"];
    };
    node.view.handle_silence();
    EXPECT_EQ(scheduler(), "starting") << "which says enough";
    const Json status{{"modules", {{"scheduler", "ready"}}}};
    node.view.handle_status(status, node.moment);
    node.view.handle_silence();
    EXPECT_EQ(scheduler(), "silent");
    EXPECT_EQ(node.view.state().not_ready()["scheduler"], "silent");
    node.view.handle_status(status, node.moment);
    EXPECT_EQ(scheduler(), "ready");
}

TEST(NodeView, WhetherTheNodeIsDrainedIsKnownOnceItIsTold) {
    ApiFixture node;
    EXPECT_FALSE(node.view.document(node.moment)["node"].contains("drained"));
    for (const bool drained : {true, false}) {
        node.view.handle_status({{"drained", drained}}, node.moment);
        EXPECT_EQ(node.view.document(node.moment)["node"]["drained"], drained);
    }
    node.view.handle_status({{"drained", "no"}}, node.moment);
    EXPECT_EQ(node.view.document(node.moment)["node"]["drained"], false);
}

TEST(NodeView, HeldNodesAreThoseOfTheLastTableOfRoutes) {
    ApiFixture node;
    EXPECT_FALSE(node.view.document(node.moment)["storage"].contains("held"));
    constexpr std::uint64_t kLargest = ~std::uint64_t{0};
    bus::RouteUpdate update;
    update.held = {NodeNumber{20}, NodeNumber{kLargest}};
    node.publish(update);
    EXPECT_EQ(node.view.document(node.moment)["storage"]["held"],
              (Json{{"20", true}, {std::to_string(kLargest), true}}));
    node.publish(bus::RouteUpdate{});
    EXPECT_EQ(node.view.document(node.moment)["storage"]["held"], Json::object());
}

TEST(NodeView, CountersStorageAndLatency) {
    ApiFixture node;
    IngressCounters counters;
    counters.add(IngressCounter::kReceived, 5);
    counters.add(IngressCounter::kReceivedBytes, 500);
    node.publish(bus::CounterReport{bus::AgentId::kIngress, 1, counters.snapshot()});
    LinkCounters link;
    link.add(LinkCounter::kSentBytes, 77);
    node.publish(bus::LinkReport{bus::AgentId::kEgress, kOut, {}, link.short_snapshot()});
    bus::StorageReport storage;
    storage.disks.push_back({{'d'}, bus::DiskState::kFailing, 10, 20});
    storage.pending.push_back({NodeNumber{30}, 2, 200, 1, 800'000'000'000});
    const std::string name = "dtn://seven/";
    storage.pending.push_back({{}, 1, 7, 0, kDtnNever, {name.begin(), name.end()}});
    node.publish(storage);
    bus::HistogramReport latency;
    latency.count = 9;
    latency.p50_ns = 1500;
    node.publish(latency);
    const Json document = node.view.document(node.moment);
    EXPECT_EQ(document["flow"]["receivedBundles"], 5);
    EXPECT_EQ(document["links"]["1"]["outBytes"], 77);
    EXPECT_EQ(document["storage"]["disks"]["0"]["state"], "failing");
    EXPECT_EQ(document["pending"]["30"]["nextExpiry"], "2025-05-08T06:13:20.000Z");
    EXPECT_FALSE(document["pending"]["30"].contains("name"));
    EXPECT_EQ(document["pending"][name]["name"], name);
    EXPECT_EQ(document["pending"][name]["bundles"], 1);
    EXPECT_NE(node.view.metrics().find(
                  R"(farlink_storage_pending_bundles{destination="dtn://seven/"} 1)"),
              std::string::npos);
    EXPECT_EQ(document["latency"]["cutThrough"]["p50Micros"], 1.5);
    EXPECT_EQ(node.view.events().after(0, 1)[0]["kind"], "disk-failing");
    node.view.handle_second(node.moment);
    EXPECT_EQ(Json::parse(node.view.history().to_json(1))["series"].count("link.1.out"), 1U);
}

TEST(NodeView, AFullStoreIsAnEventTwiceAndDegradesTheNode) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    const auto second = [&](std::uint64_t refused, std::uint64_t waiting) {
        StorageCounters storage;
        storage.set(StorageCounter::kRefused, refused);
        IngressCounters ingress;
        ingress.set(IngressCounter::kWithoutRoom, waiting);
        // Each is refused to its sender in the end, which is no deletion that anybody must hear of.
        ingress.set(IngressCounter::kDeletedNoResources, refused);
        node.publish(bus::CounterReport{bus::AgentId::kStorage, ++sequence, storage.snapshot()});
        node.publish(bus::CounterReport{bus::AgentId::kIngress, sequence, ingress.snapshot()});
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
    };
    second(0, 0);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "");
    for (std::uint64_t refused = 10; refused <= 100; refused += 10) second(refused, 7);
    for (int rounds = 0; rounds < 60; ++rounds) second(100, rounds % 3);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "storage full");
    const auto readiness = Json::parse(node.answer("GET", "/readyz").body);
    EXPECT_EQ(readiness["degraded"], "storage full");
    EXPECT_EQ(readiness["alarms"], Json::parse(R"({"critical": 1, "warning": 0})"));
    for (int rounds = 0; rounds < 60; ++rounds) second(100, 0);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "");
    const Json events = node.view.events().after(0, 100);
    // The alarm of that name adds none.
    ASSERT_EQ(events.size(), 2U) << events;
    EXPECT_EQ(events[0]["kind"], "storage-full");
    EXPECT_EQ(events[0]["level"], "error");
    EXPECT_EQ(
        events[0]["text"],
        "storage refuses bundles: it is full, a quota or another limit is reached, or no disk "
        "works");
    EXPECT_EQ(events[1]["kind"], "storage-full");
    EXPECT_EQ(events[1]["level"], "info");
    EXPECT_EQ(events[1]["text"], "storage has free space; no bundle refused for ten seconds");
}

TEST(NodeView, ANodeWhoseClockIsSuspendedIsDegraded) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    const auto degraded_with = [&](StorageCounter counter, std::uint64_t value) {
        StorageCounters storage;
        storage.set(counter, value);
        node.publish(bus::CounterReport{bus::AgentId::kStorage, ++sequence, storage.snapshot()});
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
        return node.view.document(node.moment)["node"]["degraded"].get<std::string>();
    };
    EXPECT_EQ(degraded_with(StorageCounter::kExpirySuspended, 1),
              "clock suspended: no bundle expires");
    EXPECT_EQ(degraded_with(StorageCounter::kExpirySuspended, 0), "");
    EXPECT_EQ(degraded_with(StorageCounter::kClockBehind, 600),
              "clock set back: bundles expire by elapsed time");
}

TEST(NodeView, AFullStoreWithoutAttemptsStaysFull) {
    for (const bool by_bundle : {true, false}) {
        ApiFixture node;
        const std::uint64_t capacity = node.config.storage.capacity_bytes;
        std::uint64_t sequence = 0;
        StorageCounters storage;
        const auto pass = [&](bus::DiskState state, std::uint64_t used, int rounds) {
            for (; rounds > 0; --rounds) {
                node.publish(bus::StorageReport{{{{'d'}, state, used, capacity}}, {}, 0});
                node.publish(
                    bus::CounterReport{bus::AgentId::kStorage, ++sequence, storage.snapshot()});
                node.moment.now += seconds(1);
                node.view.handle_second(node.moment);
            }
        };
        pass(bus::DiskState::kOk, 0, 1);
        storage.set(StorageCounter::kRefused, 10);
        pass(bus::DiskState::kFull, capacity, 60);
        EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "storage full");
        // Several disks may share the capacity: none is full by itself.
        pass(bus::DiskState::kOk, capacity - 1, 60);
        EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "storage full");
        if (by_bundle) storage.set(StorageCounter::kStoredTotal, 1);
        pass(bus::DiskState::kOk, by_bundle ? capacity - 1 : capacity / 2, 12);
        EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "");
        Json events = Json::array();
        for (const Json &event : node.view.events().after(0, 100))
            if (event["kind"] != "alarm") events.push_back(event);
        EXPECT_EQ(events.size(), 2U) << events;
        EXPECT_EQ(events.back()["text"], "disk d has free space again");
    }
}

TEST(NodeView, ADiskThatWasFullHasRoomAgain) {
    ApiFixture node;
    for (const auto state : {bus::DiskState::kFull, bus::DiskState::kOk, bus::DiskState::kFailing,
                             bus::DiskState::kOk})
        node.publish(bus::StorageReport{{{{'d'}, state, 1, 2}}, {}, 0});
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[1]["text"], "disk d has free space again");
    EXPECT_EQ(events[3]["text"], "disk d: writes succeed again");
}

TEST(NodeView, RefusalsAndDeletionsAreAnEventWhenTheyBeginAndWhenTheyEnd) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    for (std::uint64_t turn = 0; turn < 70; ++turn) {
        const std::uint64_t count = std::min<std::uint64_t>(turn, 50);
        EgressCounters egress;
        egress.set(EgressCounter::kRefused, count);
        egress.set(EgressCounter::kRenderDeletedHopLimit, 2 * count);
        node.publish(bus::CounterReport{bus::AgentId::kEgress, ++sequence, egress.snapshot()});
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
    }
    std::vector<std::string> texts;
    for (const Json &event : node.view.events().after(0, 100)) texts.push_back(event["text"]);
    EXPECT_EQ(texts, (std::vector<std::string>{"neighbours are refusing bundles; see the "
                                               "counts by link: farlinkctl show /api/v1/links",
                                               "bundles are being deleted; see the counts by "
                                               "reason: farlinkctl metrics",
                                               "no bundle refused by a neighbour for ten seconds; "
                                               "refused before: 50",
                                               "no bundle deleted for ten seconds; deleted before: "
                                               "100"}));
}

TEST(NodeView, BundlesThatNeighboursRefuseAreAnEventAtTheBeginningAndAtTheEnd) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    const auto hold = [&](std::uint64_t refused) {
        StorageCounters counters;
        counters.set(StorageCounter::kRefusedNow, refused);
        node.publish(bus::CounterReport{bus::AgentId::kStorage, ++sequence, counters.snapshot()});
        node.view.handle_second(node.moment);
    };
    for (const std::uint64_t refused : {0U, 3U, 5U, 0U, 0U}) hold(refused);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << events;
    EXPECT_EQ(events[0]["kind"], "refused-by-neighbour");
    EXPECT_EQ(events[0]["level"], "warning");
    EXPECT_EQ(events[0]["text"], "3 bundles wait: refused or not acknowledged by a neighbour");
    EXPECT_EQ(events[1]["level"], "info");
}

TEST(NodeView, ASessionThatIsNotProvedIsShownAndAnEvent) {
    ApiFixture node;
    const std::string why = "node 7 is connected from 198.51.100.1, but its node id is not proved";
    const std::string url = "tcpclv4://198.51.100.1";
    bus::LinkInfo info{.kind = bus::LinkKind::kSession, .connected = true};
    info.url = {url.begin(), url.end()};
    info.reason = {why.begin(), why.end()};
    info.neighbour = NodeNumber{7};
    for (std::uint32_t number = 90; number < 95; ++number) {
        info.link = LinkId{number};
        node.publish(info);
    }
    const std::string other = "node 8 is connected from 198.51.100.2, but nothing proves it";
    const std::string other_url = "tcpclv4://198.51.100.2";
    info.url = {other_url.begin(), other_url.end()};
    info.reason = {other.begin(), other.end()};
    info.link = LinkId{95};
    node.publish(info);
    const Json row = node.view.document(node.moment)["links"]["90"];
    EXPECT_EQ(row["address"], "198.51.100.1");
    EXPECT_EQ(row["connected"], true);
    EXPECT_EQ(row["proved"], false);
    EXPECT_EQ(row["claimedNode"], 7);
    EXPECT_FALSE(row.contains("claimedName"));
    EXPECT_FALSE(row.contains("neighbour")) << "it may be anybody";
    EXPECT_EQ(row["reason"], why);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << "one for each peer, since anybody can open them: " << events;
    EXPECT_EQ(events[0]["text"], "link 90: " + why);
    EXPECT_EQ(events[1]["text"], "link 95: " + other);
}

TEST(NodeView, ASessionOfAPeerWithoutANumberHasTheNameThatItClaims) {
    ApiFixture node;
    const std::string name = "dtn://seven/";
    bus::LinkInfo info{.kind = bus::LinkKind::kSession, .connected = true, .link = LinkId{90}};
    info.reason = {'n', 'o'};
    info.claimed_name = {name.begin(), name.end()};
    node.publish(info);
    const Json row = node.view.document(node.moment)["links"]["90"];
    EXPECT_EQ(row["claimedName"], name);
    EXPECT_FALSE(row.contains("claimedNode"));
}

TEST(NodeView, WhyAPeerGotNoSessionIsToldOfTheInduct) {
    ApiFixture node;
    bus::LinkInfo info{.kind = bus::LinkKind::kInduct, .connected = true, .link = LinkId{0}};
    for (const std::string why : {"192.0.2.7: does not use STCP", "192.0.2.8: another one", ""}) {
        info.reason = {why.begin(), why.end()};
        node.publish(info);
        EXPECT_EQ(node.view.document(node.moment)["links"]["0"]["reason"], why);
        EXPECT_EQ(node.view.document(node.moment)["links"]["0"]["up"], true);
    }
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 2U) << "ingress bounds how often it tells: " << events;
    EXPECT_EQ(events[0]["text"], "link 0: 192.0.2.7: does not use STCP");
    EXPECT_EQ(events[1]["text"], "link 0: 192.0.2.8: another one");
    EXPECT_EQ(events[0]["level"], "warning");
}

TEST(NodeView, AnAlarmIsInEventsStateAndMetrics) {
    ApiFixture node;
    const auto pass = [&node](int number) {
        for (int i = 0; i < number; ++i) {
            node.moment.now += seconds(1);
            node.moment.wall += 1000;
            node.view.handle_second(node.moment);
        }
    };
    node.publish(bus::ModuleLost{bus::AgentId::kEgress});
    pass(3);
    ASSERT_EQ(node.view.take_alarm_changes().size(), 1U);
    EXPECT_TRUE(node.view.take_alarm_changes().empty());
    const Json alarm = node.view.document(node.moment)["alarms"]["1"];
    EXPECT_EQ(alarm["name"], "module-silent");
    EXPECT_EQ(alarm["module"], "egress");
    const auto has = [&node](const char *line) {
        return node.view.metrics().find(line) != std::string::npos;
    };
    EXPECT_TRUE(has(R"(farlink_alarm_active{name="module-silent",severity="critical"} 1)"));
    const Json reply = Json::parse(node.answer("GET", "/api/v1/alarms", Role::kRead).body);
    EXPECT_EQ(reply["active"][0], alarm);
    node.view.handle_status({{"modules", {{"egress", "ready"}}}}, node.moment);
    pass(6);
    EXPECT_EQ(node.view.document(node.moment)["alarms"], Json::object());
    EXPECT_TRUE(has(R"(farlink_alarm_active{name="module-silent",severity="critical"} 0)"));
    EXPECT_EQ(node.view.alarms().ended().size(), 1U);
    const Json events = node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 3U) << events;
    EXPECT_EQ(events[1]["kind"], "alarm");
    EXPECT_EQ(events[1]["level"], "error");
    EXPECT_EQ(events[1]["text"],
              "module-silent: module egress: its process has ended or is not reachable; " +
                  alarm["action"].get<std::string>());
    EXPECT_EQ(events[2]["kind"], "alarm-ended");
    EXPECT_EQ(events[2]["text"],
              "module-silent ended; last text: module egress: its process has ended or is not "
              "reachable");
}

TEST(NodeView, ALinkThatIsRemovedIsForgotten) {
    ApiFixture node;
    node.publish(outduct(true, ""));
    bus::LinkInfo gone = outduct(false, "");
    gone.removed = true;
    node.publish(gone);
    EXPECT_FALSE(node.view.document(node.moment)["links"].contains("1"));
    // The scheduler's events, and what was asked before, may come behind.
    node.publish(bus::LinkDown{.header = {}, .link = LinkId{1}, .neighbour = NodeNumber{20}});
    node.publish(bus::ContactEnd{.header = {}, .link = LinkId{1}, .neighbour = NodeNumber{20}});
    node.view.handle_status({{"links", {{{"link", 1U}, {"up", false}}}}}, node.moment);
    EXPECT_FALSE(node.view.document(node.moment)["links"].contains("1"));
}

TEST(NodeView, PortsAreNotThoseOfAnInductThatIsRemoved) {
    ApiFixture node;
    node.publish(
        bus::LinkInfo{.kind = bus::LinkKind::kInduct, .connected = true, .link = LinkId{0}});
    node.publish(bus::LinkInfo{.kind = bus::LinkKind::kInduct, .removed = true, .link = LinkId{0}});
    (void)node.view.document(node.moment);
    node.publish(bus::ModuleReady{.module = bus::AgentId::kSupervisor, .ports = {4556}});
    EXPECT_FALSE(node.view.document(node.moment)["links"].contains("0"));
}

}  // namespace
}  // namespace farlink::telemetry::node_view_test
