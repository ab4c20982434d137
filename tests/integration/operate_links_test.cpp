// SPDX-License-Identifier: Apache-2.0
// Links that an operator adds, changes, removes and slows down in a running node, and pings from
// the node, by farlinkctl; also when the module of a link is killed and restarted.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>

#include "common/runtime/clock.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::operate_links_test {
namespace {

using Json = nlohmann::json;

constexpr int kTries = 500;

/// farlinkctl for the node in a folder.
class Operator {
public:
    explicit Operator(const TempFolder &folder) : config_(folder / "node.json") {}

    /// The lines that it prints, as JSON.
    std::vector<Json> lines(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", config_, "--json"});
        ChildProcess child(std::move(words));
        code_ = child.wait();
        std::istringstream text(child.unread(ChildProcess::kOut));
        std::vector<Json> found;
        for (std::string line; std::getline(text, line);)
            found.push_back(Json::parse(line, nullptr, false));
        return found;
    }
    Json ask(std::vector<std::string> words) {
        const std::vector<Json> said = lines(std::move(words));
        return said.empty() ? Json() : said.front();
    }
    /// Its output as text.
    std::string published(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", config_});
        ChildProcess child(std::move(words));
        code_ = child.wait();
        return child.unread(ChildProcess::kOut) + child.unread(ChildProcess::kErr);
    }
    /// Null: there is no such link.
    Json link(int number) {
        const Json status = ask({"status"});
        if (!status.is_object()) return {};
        for (const Json &each : status.value("links", Json::array()))
            if (each["link"] == number) return each;
        return {};
    }
    [[nodiscard]] bool becomes(int number, bool up) {
        for (int i = 0; i < kTries; ++i)
            if (const Json now = link(number); !now.is_null() && now["up"] == up) return true;
        return false;
    }
    [[nodiscard]] int code() const { return code_; }

private:
    std::string config_;
    int code_ = 0;
};

Json node_config(int number, const Json &inducts, const Json &outducts) {
    return {{"myNodeId", number},
            {"controlSocket", "control"},
            {"storageConfig", {{"storeFilePath", "store"}}},
            {"inductsConfig", inducts},
            {"outductsConfig", outducts}};
}

TEST(OperateLinks, AnOutductIsAddedWhileTheNodeRunsAndTrafficFlows) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "100"});
    NodeProgram node(folder, node_config(10, {{{"url", "stcp://127.0.0.1:0"}}}, Json::array()));
    Operator operate(folder);
    GeneratorProgram generator(loopback_url("stcp", node.port()), {"--bundles", "50"});
    EXPECT_EQ(generator.wait(), 0);
    const Json added = operate.ask(
        {"link", "add", "outduct", loopback_url("stcp", sink.port()) + "?nextHopNodeId=2"});
    EXPECT_EQ(operate.code(), 0) << added;
    EXPECT_EQ(added["link"]["link"], 1) << added;
    EXPECT_EQ(added["lasts"], "untilTheNodeEnds");
    EXPECT_TRUE(operate.becomes(1, true));
    GeneratorProgram more(loopback_url("stcp", node.port()), {"--bundles", "50"});
    EXPECT_EQ(more.wait(), 0);
    EXPECT_EQ(sink.report()["received"], 100) << "stored bundles and new ones leave by it";

    EXPECT_NE(operate.published({"link", "add", "outduct", "stcp://127.0.0.1:1?nextHopNodeId=2"})
                  .find("config.nextHopNodeId: found 2, the neighbour of link 1 too"),
              std::string::npos);
    EXPECT_EQ(operate.code(), 1);
    EXPECT_EQ(operate.ask({"link", "remove", "1"})["link"]["direction"], "outduct");
    for (int i = 0; i < kTries && !operate.link(1).is_null(); ++i) {
    }
    EXPECT_TRUE(operate.link(1).is_null());
    node.stop();
}

TEST(OperateLinks, AnInductIsAddedChangedAndRemoved) {
    const TempFolder folder;
    const ReservedPort one;
    const ReservedPort two;
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "100"});
    NodeProgram node(
        folder, node_config(10, {{{"url", "stcp://127.0.0.1:0"}}},
                            {{{"url", loopback_url("stcp", sink.port())}, {"nextHopNodeId", 2}}}));
    Operator operate(folder);
    folder.write("link.json", Json{{"url", loopback_url("tcpclv4", one.number())}}.dump());
    const Json added = operate.ask({"link", "add", "induct", folder / "link.json", "--link", "40"});
    EXPECT_EQ(added["link"]["link"], 40) << added;
    GeneratorProgram first(loopback_url("tcpclv4", one.number()), {"--bundles", "50"});
    EXPECT_EQ(first.wait(), 0);
    EXPECT_EQ(operate.ask({"link", "change", "40", loopback_url("tcpclv4", two.number())})["ok"],
              true);
    GeneratorProgram second(loopback_url("tcpclv4", two.number()), {"--bundles", "50"});
    EXPECT_EQ(second.wait(), 0);
    EXPECT_EQ(sink.report()["received"], 100);
    const std::string status = operate.published({"status"});
    EXPECT_NE(status.find("40"), std::string::npos) << status;
    EXPECT_NE(status.find(loopback_url("tcpclv4", two.number())), std::string::npos) << status;
    const std::string taken =
        operate.published({"link", "change", "40", loopback_url("stcp", node.port())});
    EXPECT_NE(taken.find("found the address of link"), std::string::npos) << taken;
    EXPECT_EQ(operate.ask({"link", "remove", "40"})["ok"], true);
    EXPECT_EQ(operate.ask({"link", "remove", "40"})["reason"], "notFound");
    EXPECT_EQ(operate.ask({"status"})["inducts"].size(), 1U);
    node.stop();
}

TEST(OperateLinks, ARateOverrideSlowsALinkUntilItIsReset) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "200"});
    NodeProgram node(
        folder, node_config(10, {{{"url", "stcp://127.0.0.1:0"}}},
                            {{{"url", loopback_url("stcp", sink.port())}, {"nextHopNodeId", 2}}}));
    Operator operate(folder);
    ASSERT_TRUE(operate.becomes(1, true));
    // 200 bundles of 10 kB are 16 Mbit.
    const Json slow = operate.ask({"link", "set", "1", "--rate", "8000000", "--owlt", "0.5"});
    EXPECT_EQ(slow["link"]["rateBitsPerSec"], 8'000'000) << slow;
    EXPECT_EQ(slow["link"]["owlt"], 0.5);
    EXPECT_EQ(slow["link"]["overridden"], true);
    EXPECT_NE(operate.published({"status"}).find("8000000 *"), std::string::npos);
    const TimePoint begin = monotonic_now();
    GeneratorProgram generator(loopback_url("stcp", node.port()),
                               {"--bundles", "200", "--bundle-size", "10000"});
    EXPECT_EQ(sink.report()["received"], 200);
    EXPECT_GT(monotonic_now() - begin, seconds(1)) << "two seconds, loosely";
    const Json back = operate.ask({"link", "set", "1", "--as-planned"});
    EXPECT_EQ(back["link"]["rateBitsPerSec"], 0) << back;
    EXPECT_EQ(back["link"]["overridden"], false);
    EXPECT_EQ(operate.ask({"link", "set", "9", "--rate", "1"})["reason"], "notFound");
    (void)operate.published({"link", "set", "1"});
    EXPECT_EQ(operate.code(), 2);
    node.stop();
}

/// Node 20 answers by the session that node 10 opens.
class PingFromTheNode : public testing::Test {
protected:
    TempFolder far_folder;
    TempFolder folder;
    NodeProgram far{far_folder,
                    node_config(20,
                                {{{"url", "tcpclv4://127.0.0.1:0"},
                                  {"neighbours", {{{"nodeId", 10}, {"address", "127.0.0.1"}}}}}},
                                Json::array())};
    NodeProgram node{
        folder,
        node_config(10, {{{"url", "stcp://127.0.0.1:0"}}},
                    {{{"url", loopback_url("tcpclv4", far.port())}, {"nextHopNodeId", 20}}})};
    Operator operate{folder};
};

TEST_F(PingFromTheNode, AnotherNodeAndTheNodeItselfReply) {
    ASSERT_TRUE(operate.becomes(1, true));
    for (const char *version : {"7", "6"}) {
        const std::vector<Json> far_away =
            operate.lines({"ping", "20", "--count", "3", "--interval", "0", "--bp-version", version,
                           "--bundle-size", "20k"});
        EXPECT_EQ(operate.code(), 0);
        ASSERT_EQ(far_away.size(), 4U);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(far_away[i]["type"], "reply") << far_away[i];
            EXPECT_EQ(far_away[i]["sequence"], i);
            EXPECT_EQ(far_away[i]["bytes"], 20'000);
            EXPECT_GT(far_away[i]["milliseconds"].get<double>(), 0);
        }
        EXPECT_EQ(far_away[3]["to"], "ipn:20.2047");
        EXPECT_EQ(far_away[3]["received"], 3);
    }
    // The same by bping, which then uses the links of the node.
    ChildProcess by_node({program("bping"), "ipn:20.2047", "--config", folder / "node.json",
                          "--count", "2", "--interval", "0", "--json"});
    EXPECT_EQ(by_node.wait(), 0) << by_node.unread(ChildProcess::kErr);
    EXPECT_NE(by_node.unread(ChildProcess::kOut).find("\"received\":2"), std::string::npos);
    const std::string here = operate.published({"ping", "ipn:10.2047", "--count", "1"});
    EXPECT_EQ(here.find("time=0.000 ms"), std::string::npos) << here;
    EXPECT_EQ(operate.code(), 0) << here;
    EXPECT_NE(here.find("64 bytes from ipn:10.2047: seq=0 time="), std::string::npos) << here;
    EXPECT_NE(here.find("1 sent, 1 received, 0 lost (0 %)"), std::string::npos) << here;
    node.stop();
    far.stop();
}

TEST_F(PingFromTheNode, AMissingRouteIsReported) {
    const std::vector<Json> nowhere =
        operate.lines({"ping", "99", "--count", "2", "--interval", "0", "--timeout", "0.1"});
    EXPECT_EQ(operate.code(), 1);
    ASSERT_EQ(nowhere.size(), 3U);
    EXPECT_EQ(nowhere[0]["type"], "lost");
    EXPECT_EQ(nowhere[2]["lost"], 2);
    // The service is not an echo service.
    EXPECT_EQ(operate.ask({"ping", "ipn:20.9", "--count", "1", "--timeout", "0.1"})["type"],
              "lost");
    EXPECT_EQ(operate.ask({"ping", "nobody", "--count", "1"})["reason"], "invalid");
    EXPECT_EQ(operate.code(), 1);
    node.stop();
    far.stop();
}

/// A node in processes of its own.
class IsolatedNode : public ChildProcess {
public:
    explicit IsolatedNode(const TempFolder &folder)
        : ChildProcess(
              {program("farlink"), "--config", folder / "node.json", "--isolate", "--counters"}) {
        for (std::string said = line(kOut); said.find("ready") == std::string::npos;
             said = line(kOut))
            if (said.empty()) {
                ADD_FAILURE() << "not ready: " << unread(kErr);
                return;
            }
    }
    /// Waits until its log contains the words.
    [[nodiscard]] bool says(const std::string &words) {
        for (std::string said = line(kErr); !said.empty(); said = line(kErr))
            if (said.find(words) != std::string::npos) return true;
        return false;
    }
    void kill(const std::string &module) {
        for (const pid_t child : children()) {
            std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
            std::string word;
            while (std::getline(file, word, '\0'))
                if (word == "--modules" && std::getline(file, word, '\0') && word == module) {
                    EXPECT_EQ(::kill(child, SIGKILL), 0);
                    return;
                }
        }
        ADD_FAILURE() << "no process of " << module;
    }
};

class IsolatedLinks : public testing::Test {
protected:
    void SetUp() override {
        folder.write("node.json",
                     node_config(10, {{{"url", "stcp://127.0.0.1:0"}}},
                                 {{{"url", "stcp://127.0.0.1:1"}, {"nextHopNodeId", 9}}})
                         .dump());
        node = std::make_unique<IsolatedNode>(folder);
    }
    /// The induct receives a bundle, and the outduct sends it to the sink.
    void expect_flow(std::uint16_t induct, SinkProgram &sink) {
        for (int i = 0; i < kTries; ++i) {
            GeneratorProgram generator(loopback_url("tcpclv4", induct), {"--bundles", "1"});
            if (generator.wait() == 0) break;
        }
        EXPECT_EQ(sink.report()["received"], 1);
    }

    TempFolder folder;
    std::unique_ptr<IsolatedNode> node;
    Operator operate{folder};
};

TEST_F(IsolatedLinks, AreRestoredWithTheirModule) {
    const ReservedPort port;
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "1"});
    const std::string there = loopback_url("stcp", sink.port()) + "?nextHopNodeId=2";
    EXPECT_EQ(operate.ask({"link", "add", "outduct", there})["link"]["link"], 2);
    EXPECT_EQ(operate.ask({"link", "add", "induct",
                           loopback_url("tcpclv4", port.number())})["link"]["link"],
              3);
    EXPECT_EQ(operate.ask({"link", "remove", "1"})["ok"], true);
    EXPECT_TRUE(operate.becomes(2, true));
    node->kill("egress");
    EXPECT_TRUE(node->says("link 2 is being added again"));
    EXPECT_TRUE(operate.becomes(2, true)) << node->unread(ChildProcess::kErr);
    EXPECT_TRUE(operate.link(1).is_null()) << "it was removed";
    node->kill("ingress");
    EXPECT_TRUE(node->says("link 3 is being added again"));
    expect_flow(port.number(), sink);
    node->signal(SIGTERM);
    EXPECT_EQ(node->wait(), 0) << node->unread(ChildProcess::kErr);
}

// The supervisor holds the changes in memory, and loses them when it is killed.
TEST_F(IsolatedLinks, AreAsConfiguredAfterTheSupervisorIsKilled) {
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "1"});
    const std::string there = loopback_url("stcp", sink.port()) + "?nextHopNodeId=2";
    EXPECT_EQ(operate.ask({"link", "add", "outduct", there})["link"]["link"], 2);
    EXPECT_EQ(operate.ask({"link", "remove", "1"})["ok"], true);
    EXPECT_TRUE(operate.becomes(2, true));
    node->kill("scheduler");
    for (int i = 0; i < kTries && (operate.link(1).is_null() || !operate.link(2).is_null()); ++i) {
    }
    EXPECT_FALSE(operate.link(1).is_null());
    EXPECT_TRUE(operate.link(2).is_null());
    Json again;
    for (int i = 0; i < kTries && !again.contains("link"); ++i)
        again = operate.ask({"link", "add", "outduct", there});
    EXPECT_EQ(again["link"]["link"], 2) << again;
    EXPECT_TRUE(operate.becomes(2, true));
    node->signal(SIGTERM);
    EXPECT_EQ(node->wait(), 0) << node->unread(ChildProcess::kErr);
}

// A node whose status is not drained must accept bundles.
TEST_F(IsolatedLinks, AcceptBundlesAfterTheSupervisorOfADrainedNodeIsKilled) {
    const ReservedPort port;
    SinkProgram sink(loopback_url("stcp", 0), {"--bundles", "1"});
    EXPECT_EQ(operate.ask({"drain"})["drained"], true);
    node->kill("scheduler");
    Json added;
    for (int i = 0; i < kTries && !added.contains("link"); ++i)
        added = operate.ask({"link", "add", "induct", loopback_url("tcpclv4", port.number())});
    EXPECT_EQ(operate.ask({"link", "add", "outduct",
                           loopback_url("stcp", sink.port()) + "?nextHopNodeId=2"})["ok"],
              true);
    EXPECT_EQ(operate.ask({"status"})["drained"], false);
    expect_flow(port.number(), sink);
    node->signal(SIGTERM);
    EXPECT_EQ(node->wait(), 0) << node->unread(ChildProcess::kErr);
}

}  // namespace
}  // namespace farlink::test::operate_links_test
