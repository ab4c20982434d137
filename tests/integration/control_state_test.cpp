// SPDX-License-Identifier: Apache-2.0
// farlinkctl's output about a running node without an HTTP server: links, storage, custody, events,
// history, the screen of `top`; and the log levels that an operator sets.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/node_processes.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::control_state_test {
namespace {

using Json = nlohmann::json;

Json settings(std::uint16_t neighbour) {
    return {{"myNodeId", 10},
            {"controlSocket", "control"},
            {"storageConfig", {{"storeFilePath", "store"}}},
            {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
            {"outductsConfig",
             {{{"url", loopback_url("stcp", neighbour)}, {"nextHopNodeId", 20}},
              {{"url", "stcp://127.0.0.1:9"}, {"nextHopNodeId", 30}}}}};
}

class ControlState : public testing::Test {
protected:
    void start() { node_ = std::make_unique<NodeProgram>(folder_, settings(sink_.port())); }
    std::string published(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--socket", folder_ / "control"});
        ChildProcess child(std::move(words));
        code_ = child.wait();
        return child.unread(ChildProcess::kOut) + child.unread(ChildProcess::kErr);
    }
    Json ask(std::vector<std::string> words) {
        words.emplace_back("--json");
        return Json::parse(published(std::move(words)), nullptr, false);
    }
    /// Repeats the request until the answer contains the text.
    [[nodiscard]] bool comes(const std::vector<std::string> &words, const std::string &text) {
        for (int i = 0; i < 500; ++i)
            if (published(words).find(text) != std::string::npos) return true;
        ADD_FAILURE() << published(words);
        return false;
    }

    TempFolder folder_;
    SinkProgram sink_{"stcp://127.0.0.1:0", {}};
    std::unique_ptr<NodeProgram> node_;
    int code_ = 0;
};

TEST_F(ControlState, LinksStorageAndTheRestAreTablesAndJson) {
    start();
    EXPECT_TRUE(comes({"links"}, "not connected"));
    const Json links = ask({"links"});
    EXPECT_EQ(code_, 0);
    EXPECT_EQ(links["ok"], true);
    ASSERT_EQ(links["links"].size(), 3U);
    EXPECT_EQ(links["links"][0]["direction"], "in");
    EXPECT_TRUE(comes({"storage", "show"}, "store")) << "reported once a second";
    EXPECT_TRUE(ask({"storage", "show"})["storage"].is_object());
    EXPECT_NE(published({"custody"}).find("held"), std::string::npos);
    EXPECT_EQ(ask({"custody"})["counters"]["held"], 0);
    EXPECT_TRUE(comes({"events"}, "link 1 to node 20 is up"));
    EXPECT_EQ(ask({"events", "--limit", "1"})["events"].size(), 1U);
    EXPECT_TRUE(comes({"history", "--series", "in,out"}, "out"));
    EXPECT_EQ(ask({"config"})["myNodeId"], 10);
    EXPECT_NE(published({"metrics"}).find("farlink_ingress_received_bundles_total 0"),
              std::string::npos);
    EXPECT_EQ(ask({"show", "/api/v1/links/1"})["link"]["neighbour"], 20);
}

TEST_F(ControlState, PathsThatCannotBeShownAreExplained) {
    start();
    EXPECT_NE(published({"show", "/api/v1/nothing"}).find("no such path"), std::string::npos);
    EXPECT_EQ(code_, 1);
    EXPECT_NE(published({"show", "/api/v1/status"})
                  .find("the control socket has a separate command for this path: `status`"),
              std::string::npos);
    EXPECT_NE(published({"show", "/index.html"}).find("no such path"), std::string::npos);
    EXPECT_NE(published({"show", "/api/v1/links/7"}).find("no such link"), std::string::npos);
    EXPECT_NE(published({"show", "x"}).find("begin with /"), std::string::npos);
    EXPECT_EQ(published({"events", "--limit", "0"}).find("farlinkctl:"), std::string::npos);
    EXPECT_EQ(code_, 2);
}

TEST_F(ControlState, TopPrintsOnePictureWhereThereIsNoTerminal) {
    start();
    const std::string text = published({"top", "--interval", "0.1"});
    EXPECT_EQ(code_, 0);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("farlink node 10"), std::string::npos);
    EXPECT_NE(text.find("all modules ready"), std::string::npos);
    EXPECT_NE(text.find("store"), std::string::npos);
}

TEST_F(ControlState, AFollowerOfEventsGetsNewEvents) {
    start();
    EXPECT_TRUE(comes({"events"}, "link 1 to node 20 is up"));
    ChildProcess follower(
        {program("farlinkctl"), "events", "--follow", "--socket", folder_ / "control"});
    const auto reads = [&](const std::string &words) {
        for (;;) {
            const std::string line = follower.line(ChildProcess::kOut);
            if (line.empty()) return false;
            if (line.find(words) != std::string::npos) return true;
        }
    };
    EXPECT_TRUE(reads("link 1 to node 20 is up"));
    EXPECT_NE(published({"link", "down", "1"}).find("down by operator"), std::string::npos);
    EXPECT_TRUE(reads("link 1 to node 20 is down: taken down by the operator"));
    (void)ask({"drain"});
    (void)ask({"resume"});
    EXPECT_TRUE(reads("drain mode on"));
    EXPECT_TRUE(reads("drain mode off"));
}

TEST_F(ControlState, LevelsOfTheLogChangeWhileTheNodeRuns) {
    start();
    EXPECT_EQ(ask({"log", "level"})["levels"]["all"], "info");
    EXPECT_EQ(ask({"log", "level", "scheduler", "off"})["levels"]["scheduler"], "off");
    EXPECT_NE(published({"link", "down", "1"}).find("down by operator"), std::string::npos);
    const Json all = ask({"log", "level", "warn"});
    EXPECT_EQ(all["levels"]["scheduler"], "warn") << "all means all";
    EXPECT_EQ(ask({"log", "level", "ltp"})["reason"], "invalid");
    EXPECT_NE(published({"log", "level", "nobody", "info"}).find("nobody not in {"),
              std::string::npos);
    EXPECT_EQ(code_, 2);
    EXPECT_EQ(ask({"log", "level", "all", "info"})["levels"]["all"], "info");
    node_->stop();
    const std::string log = node_->unread(ChildProcess::kErr);
    EXPECT_EQ(log.find("down (by the operator)"), std::string::npos) << log;
    EXPECT_NE(log.find("log level of scheduler set to off by "), std::string::npos) << log;
}

TEST_F(ControlState, EveryProcessAppliesALogLevel) {
    Json config = settings(sink_.port());
    config["bus"] = ipc_bus(folder_);
    NodeProcesses node(folder_, config, {"scheduler,router,telemetry", "ingress,egress,storage"});
    EXPECT_TRUE(comes({"links"}, "up"));
    EXPECT_EQ(ask({"log", "level", "egress", "off"})["levels"]["egress"], "off");
    // Both use one queue: when this message has arrived, the level has arrived, too.
    EXPECT_NE(published({"clock", "confirm"}).find("done"), std::string::npos);
    sink_.signal(SIGTERM);
    (void)sink_.wait();  // it has received nothing
    EXPECT_TRUE(comes({"events"}, "link 1 to node 20 is down"));
    node.stop(0);
    const std::string log = node.child(1).unread(ChildProcess::kErr);
    EXPECT_EQ(log.find("link 1 to node 20: disconnected"), std::string::npos) << log;
}

TEST_F(ControlState, TheLogIsJsonWhereConfigured) {
    folder_.write("node.json", settings(sink_.port()).dump());
    ChildProcess node({program("farlink"), "--config", folder_ / "node.json", "--counters",
                       "--log-format", "json", "--log-level", "info,control=off"});
    EXPECT_NE(node.line(ChildProcess::kOut).find("ready"), std::string::npos);
    EXPECT_EQ(ask({"log", "level"})["levels"]["control"], "off");
    node.signal(SIGTERM);
    EXPECT_EQ(node.wait(), 0);
    bool ledger = false;
    for (std::string line = node.line(ChildProcess::kErr); !line.empty();
         line = node.line(ChildProcess::kErr)) {
        const Json entry = Json::parse(line, nullptr, false);
        ASSERT_TRUE(entry.is_object()) << line;
        EXPECT_EQ(entry.size(), 4U) << line;
        for (const char *key : {"time", "level", "module", "message"})
            EXPECT_TRUE(entry.value(key, Json()).is_string()) << line;
        ledger |= entry["message"].get<std::string>().find("balanced") != std::string::npos;
    }
    EXPECT_TRUE(ledger);
    ChildProcess wrong(
        {program("farlink"), "--config", folder_ / "node.json", "--log-level", "egres=debug"});
    EXPECT_EQ(wrong.wait(), 2);
    EXPECT_NE(wrong.unread(ChildProcess::kErr).find("no such logger"), std::string::npos);
}

}  // namespace
}  // namespace farlink::test::control_state_test
