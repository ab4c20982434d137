// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/node_history.hpp"

#include <gtest/gtest.h>

#include "common/telemetry/ingress_counters.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_history_test {
namespace {

/// One run of a node, whose time a test moves.
struct NodeRun {
    NodeRun(const std::string &folder, DtnTime wall, bool enabled = true) {
        node.config.history.folder = folder;
        node.config.history.free_space_bytes = 0;
        node.config.history.enabled = enabled;
        node.moment.wall = wall;
        history = std::make_unique<NodeHistory>(io, node.config, node.view);
        history->open(node.moment);
    }
    void pass(int count) {
        for (; count > 0; --count) {
            node.moment.wall += 1000;
            node.moment.now += seconds(1);
            node.view.handle_second(node.moment);
            history->handle_second(node.moment);
        }
    }
    void receive(std::uint64_t bundles) {
        IngressCounters counters;
        counters.add(IngressCounter::kReceived, bundles);
        counters.add(IngressCounter::kReceivedBytes, bundles * 100);
        bus::CounterReport report;
        report.module = bus::AgentId::kIngress;
        report.sequence = ++sequence;
        report.values = counters.snapshot();
        node.publish(report);
    }
    HistoryReply ask(const HistoryQuery &query) {
        std::optional<HistoryReply> got;
        history->ask(query, node.moment, [&](HistoryReply reply) { got = std::move(reply); });
        for (int i = 0; i < 10'000 && !got; ++i) (void)io.run_one_for(milliseconds(100));
        return got.value_or(HistoryReply{HistoryFault::kUnavailable, "no reply"});
    }
    void end() {
        history->close(node.moment);
        history.reset();
    }

    boost::asio::io_context io;
    // Work that waits for the thread of the history.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_{
        io.get_executor()};
    ApiFixture node;
    std::unique_ptr<NodeHistory> history;
    std::uint64_t sequence = 0;
};

constexpr DtnTime kBegin = 800'000'000'000;

TEST(NodeHistory, ARestartContinuesNumbersRatesAndTotals) {
    const test::TempFolder temp;
    {
        NodeRun run(temp / "history", kBegin);
        run.node.view.note({"info", "router", "x", kNoLink, "first"}, run.node.moment);
        run.receive(0);
        run.pass(1);
        run.receive(7);
        run.pass(30);
        run.node.view.note({"info", "router", "x", kNoLink, "second"}, run.node.moment);
        run.end();
    }
    NodeRun run(temp / "history", kBegin + 60'000);
    EXPECT_EQ(run.node.view.events().last(), 2U);
    run.node.view.note({"info", "router", "x", kNoLink, "third"}, run.node.moment);
    const Json events = run.node.view.events().after(0, 10);
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[1]["text"], "second");
    EXPECT_EQ(events[2]["id"], 3);
    run.receive(4);
    run.pass(1);
    const Json lifetime = run.node.view.document(run.node.moment)["lifetime"];
    EXPECT_EQ(lifetime["starts"], 2);
    EXPECT_EQ(lifetime["totals"]["receivedBundles"], 11);
    EXPECT_EQ(run.node.view.document(run.node.moment)["flow"]["receivedBundles"], 4);
    // The 700 octets of the second second, in a step of ten.
    const Json hour = Json::parse(run.node.view.history().to_json(3600));
    EXPECT_EQ(hour["points"], 3600);
    EXPECT_EQ(hour["series"]["in"][3600 - 61], 622);
    const HistoryReply rates = run.ask(RateQuery{kBegin, kBegin + 40'000, 10, {"in"}, false});
    EXPECT_EQ(Json::parse(rates.text)["series"]["in"], Json::parse("[622,0,0,0]")) << rates.text;
    const HistoryReply found = run.ask(EventQuery{0, kDtnNever, 2, 10, true});
    EXPECT_NE(found.text.find("third"), std::string::npos) << found.text;
    run.end();
}

TEST(NodeHistory, WhatStopsItIsShownOnce) {
    const test::TempFolder temp;
    temp.write("history", "a file in its place");
    NodeRun run(temp / "history", kBegin);
    EXPECT_NE(run.node.view.history_stopped(), "");
    run.receive(1);
    run.pass(25);
    (void)run.ask(EventQuery{0, kDtnNever, 0, 10, false});
    const Json events = run.node.view.events().after(0, 10);
    // The alarm of that name adds none.
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0]["kind"], "history-stopped");
    std::filesystem::remove(temp / "history");
    run.pass(10);
    (void)run.ask(EventQuery{0, kDtnNever, 0, 10, false});
    EXPECT_EQ(run.node.view.history_stopped(), "");
    EXPECT_EQ(run.node.view.events().last(), 2U);
    run.end();
}

TEST(NodeHistory, SwitchedOffItWritesNothing) {
    const test::TempFolder temp;
    NodeRun run(temp / "history", kBegin, false);
    run.receive(1);
    run.pass(25);
    EXPECT_EQ(run.ask(EventQuery{0, kDtnNever, 0, 10, false}).fault, HistoryFault::kUnavailable);
    EXPECT_FALSE(run.node.view.document(run.node.moment).contains("lifetime"));
    EXPECT_EQ(run.node.view.history_stopped(), "");
    run.end();
    EXPECT_FALSE(std::filesystem::exists(temp / "history"));
}

TEST(NodeHistory, ManyEventsAreWrittenBeforeTheyAreForgotten) {
    const test::TempFolder temp;
    NodeRun run(temp / "history", kBegin);
    for (int second = 0; second < 5; ++second) {
        for (int i = 0; i < 600; ++i)
            run.node.view.note({"info", "router", "x", kNoLink, "event"}, run.node.moment);
        run.pass(1);
    }
    const HistoryReply reply = run.ask(EventQuery{0, kDtnNever, 0, 10'000, false});
    EXPECT_EQ(Json::parse(reply.text)["events"].size(), 3000U);
    run.end();
}

}  // namespace
}  // namespace farlink::telemetry::node_history_test
