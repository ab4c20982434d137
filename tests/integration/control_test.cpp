// SPDX-License-Identifier: Apache-2.0
// farlinkctl's commands through the control socket of a running node, and their effect, also after
// a restart.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/integration/control_fixture.hpp"

namespace farlink::test::control_test {
namespace {

TEST_F(Control, AnOperatorSeesLinksAndTakesThemDownAndUp) {
    begin(Json::array({contact(1, 10, 20, 0, 3600), contact(2, 10, 30, 3000, 3600)}));
    EXPECT_TRUE(becomes(kFirst, true));
    const Json status = ask({"status"});
    EXPECT_EQ(code_, 0);
    EXPECT_EQ(status["node"], 10);
    EXPECT_EQ(status["plan"]["version"], 1);
    EXPECT_FALSE(link(kSecond)["planned"]);
    EXPECT_TRUE(link(kSecond)["nextContact"].is_string());

    const Json down = ask({"link", "down", "1"});
    EXPECT_FALSE(down["link"]["enabled"]);
    EXPECT_FALSE(down["link"]["up"]);
    EXPECT_TRUE(becomes(kFirst, false));
    EXPECT_NE(published({"status"}).find("down by operator"), std::string::npos);
    EXPECT_TRUE(ask({"link", "up", "1"})["link"]["enabled"]);
    EXPECT_TRUE(becomes(kFirst, true));

    EXPECT_NE(published({"link", "down", "77"}).find("no link 77"), std::string::npos);
    EXPECT_EQ(code_, 1);
    const Json routes = ask({"routes"});
    EXPECT_EQ(routes["routes"][0]["destination"], 20);
    EXPECT_EQ(routes["routes"][0]["candidates"][0]["link"], kFirst);
    EXPECT_EQ(ask({"clock", "confirm"}), (Json{{"ok", true}}));
    node_->stop();
    EXPECT_NE(node_->unread(ChildProcess::kErr).find("down (by the operator)"), std::string::npos);
}

TEST_F(Control, EveryChangeIsALineOfTheAudit) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    (void)ask({"status"});
    (void)ask({"link", "set", "1", "--rate", "5000000"});
    (void)ask({"link", "down", "77"});
    (void)ask({"drain"});
    (void)ask({"log", "level"});
    node_->stop();
    std::ifstream file(folder_ / "farlink-state-10/audit.jsonl");
    std::vector<Json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0]["change"], "link set");
    EXPECT_EQ(lines[0]["values"],
              (Json{{"link", 1}, {"rateBitsPerSec", 5'000'000}, {"owlt", nullptr}}));
    EXPECT_EQ(lines[0]["outcome"], "done");
    EXPECT_TRUE(lines[0]["who"].get<std::string>().ends_with("by the control socket"));
    EXPECT_EQ(lines[1]["outcome"], "refused");
    EXPECT_EQ(lines[1]["values"]["link"], 77);
    EXPECT_NE(lines[1]["detail"].get<std::string>().find("no link 77"), std::string::npos);
    EXPECT_EQ(lines[2]["change"], "drain");
    EXPECT_FALSE(lines[2].contains("values"));
}

TEST_F(Control, APlanIsCheckedReplacedChangedAndResumed) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    const std::string other = written("other.json", Json::array({contact(7, 10, 30, 0, 3000)}));
    const Json trial = ask({"plan", "replace", other, "--dry-run"});
    EXPECT_EQ(trial["version"], 1) << trial;
    EXPECT_EQ(trial["links"].size(), 2U);
    EXPECT_EQ(trial["routes"].size(), 2U);
    EXPECT_TRUE(link(kFirst)["planned"]) << "nothing has changed";
    EXPECT_FALSE(std::filesystem::exists(folder_ / "farlink-state-10/contact-plan.json"));

    EXPECT_EQ(ask({"plan", "replace", other})["version"], 2);
    EXPECT_TRUE(becomes(kFirst, false));
    EXPECT_TRUE(becomes(kSecond, true));
    EXPECT_EQ(ask({"plan", "add", "--contact", "8", "--source", "10", "--dest", "20", "--start",
                   "0", "--end", "+600", "--rate", "5000"})["added"],
              1);
    EXPECT_EQ(ask({"plan", "change", "8", "--rate", "6000"})["changed"], 1);
    EXPECT_EQ(link(kFirst)["rateBitsPerSec"], 6000);
    EXPECT_EQ(ask({"plan", "remove", "7"})["version"], 5);
    EXPECT_FALSE(link(kSecond)["planned"]);

    restart();
    EXPECT_TRUE(becomes(kFirst, true));
    EXPECT_EQ(link(kFirst)["rateBitsPerSec"], 6000);
    const Json plan = ask({"plan", "current"});
    EXPECT_EQ(plan["plan"]["version"], 5);
    ASSERT_EQ(plan["contacts"].size(), 1U);
    EXPECT_EQ(plan["contacts"][0]["contact"], 8);
    const Json history = ask({"plan", "history"});
    ASSERT_EQ(history["changes"].size(), 4U);
    EXPECT_EQ(history["changes"][0]["command"], "plan replace");
    EXPECT_FALSE(history["changes"][3]["user"].get<std::string>().empty());
    EXPECT_NE(published({"plan", "history"}).find("plan remove"), std::string::npos);

    // A changed configuration file takes precedence.
    written("plan.json", Json::array({contact(1, 10, 30, 0, 3600)}));
    restart();
    EXPECT_TRUE(becomes(kSecond, true));
    EXPECT_FALSE(link(kFirst)["planned"]);
    EXPECT_EQ(ask({"status"})["plan"]["version"], 6);
    node_->stop();
    EXPECT_NE(node_->unread(ChildProcess::kErr).find("configured contact plan has changed"),
              std::string::npos);
}

TEST_F(Control, RoutesShowEveryRuleThatDecides) {
    settings_["routing"] = {
        {"policies",
         {{{"destination", "ipn:20.*"}, {"priority", "bulk"}, {"paths", {{{"nextHopNodeId", 30}}}}},
          {{"service", 11}, {"assignPriority", "expedited"}},
          {{"service", 12}, {"critical", true}}}},
        {"staticRoutes", {{{"destinationNodeId", 90}, {"nextHopNodeId", 30}}}},
        {"defaultGateway", 20}};
    begin(Json::array({contact(1, 10, 20, 0, 3600, 80'000), contact(2, 10, 30, 3000, 3600)}));
    EXPECT_TRUE(becomes(kFirst, true));
    const Json routes = ask({"routes"});
    EXPECT_EQ(routes["policies"][0]["paths"][0],
              (Json{{"nextHop", 30}, {"link", kSecond}, {"up", false}}));
    EXPECT_EQ(routes["routes"][0]["destination"], 20);
    EXPECT_EQ(routes["staticRoutes"][0]["destination"], 90);
    EXPECT_EQ(routes["defaultGateway"]["nextHop"], 20);
    const std::string published_routes = published({"routes"});
    std::size_t at = 0;
    for (const char *part :
         {"1       to ipn:20.*, bulk  30 by link 2 (down)", "become expedited", "plan", "90",
          "static route", "30 by link 2 (down)", "any other", "default gateway", "20 by link 1"}) {
        at = published_routes.find(part, at);
        ASSERT_NE(at, std::string::npos) << part << " in\n" << published_routes;
    }

    EXPECT_NE(ask({"routes", "explain", "1", "20"})["outcome"].dump().find("is sent to node 20"),
              std::string::npos);
    const Json bulk = ask({"routes", "explain", "ipn:1.1", "20", "--priority", "bulk"});
    EXPECT_EQ(bulk["ways"][0]["policy"], 1) << bulk;
    EXPECT_EQ(bulk["ways"][0]["why"], "its link is down");
    EXPECT_EQ(bulk["ways"][1]["taken"], true);
    const Json expedited = ask({"routes", "explain", "1", "ipn:20.11"});
    EXPECT_EQ(expedited["priority"], "expedited");
    // 80 kbit/s for an hour are 36 MB.
    EXPECT_NE(published({"routes", "explain", "1", "20", "--bundle-size", "40M"})
                  .find("larger than the residual volume"),
              std::string::npos);
    EXPECT_NE(
        published({"routes", "explain", "1", "20", "--bundle-size", "100k", "--lifetime", "5"})
            .find("the bundle would arrive after its lifetime has expired"),
        std::string::npos);
    EXPECT_NE(
        published({"routes", "explain", "20", "20", "--sender", "20"}).find("is sent to node 20"),
        std::string::npos);
    EXPECT_NE(published({"routes", "explain", "1", "60", "--sender", "20"})
                  .find("is the sender of the bundle"),
              std::string::npos);
    EXPECT_NE(published({"routes", "explain", "1", "90"}).find("an earlier route is taken"),
              std::string::npos)
        << "the link of the static route is down, that of the gateway is up";
    EXPECT_NE(published_routes.find("to service 12      all next hops"), std::string::npos)
        << published_routes;
    for (const std::vector<std::string> &critical :
         {std::vector<std::string>{"routes", "explain", "1", "ipn:20.12"},
          {"routes", "explain", "1", "20", "--critical"}})
        EXPECT_NE(published(critical).find("from storage by every route: to node 20 by link 1"),
                  std::string::npos);
    (void)ask({"link", "down", "2"});
    EXPECT_NE(published({"routes"}).find("30 by link 2 (down by operator)"), std::string::npos);
    EXPECT_NE(
        published({"routes", "explain", "1", "90"}).find("the operator has taken its link down"),
        std::string::npos);
    EXPECT_NE(published({"routes", "explain", "1", "10"}).find("delivered at this node"),
              std::string::npos);
    EXPECT_NE(published({"routes", "explain", "1", "0"}).find("expected a node"),
              std::string::npos);
    EXPECT_EQ(code_, 2);
}

TEST_F(Control, AnEditWithoutAChangeMakesNoVersion) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    EXPECT_EQ(ask({"plan", "change", "1", "--rate", "6000"})["version"], 2);
    const Json same = ask({"plan", "change", "1", "--rate", "6000"});
    EXPECT_EQ(code_, 0);
    EXPECT_EQ(same["version"], 2) << same;
    EXPECT_EQ(same["nothingChanges"], true) << same;
    EXPECT_EQ(published({"plan", "change", "1", "--rate", "6000"}),
              "nothing changes: version 2, 1 contact\n");
    EXPECT_EQ(ask({"plan", "change", "1", "--rate", "7000", "--dry-run"})["nothingChanges"], false);
    EXPECT_EQ(ask({"plan", "history"})["changes"].size(), 1U);
    EXPECT_TRUE(becomes(kFirst, true));
    EXPECT_EQ(ask({"plan", "change", "1", "--rate", "9000"})["version"], 3);
    EXPECT_EQ(ask({"plan", "change", "1", "--end", "+7200"})["version"], 4);
    node_->stop();
    const std::string log = node_->unread(ChildProcess::kErr);
    const std::size_t up = log.find("link 1 to node 20: up");
    ASSERT_NE(up, std::string::npos) << log;
    EXPECT_EQ(log.find("link 1 to node 20: up", up + 1), std::string::npos) << log;
    EXPECT_NE(log.find("link 1 to node 20: rate changed to 9000 bit/s"), std::string::npos) << log;
    EXPECT_NE(log.find("link 1 to node 20: end of the contact changed"), std::string::npos) << log;
}

TEST_F(Control, TheConfiguredPlanTakesPrecedenceOnlyWhenItsContactsDiffer) {
    begin(Json::array({contact(1, 10, 20, 0, 3600), contact(2, 20, 10, 0, 3600)}));
    EXPECT_EQ(ask({"plan", "remove", "1"})["version"], 2);
    // The same contacts, in another order and spelling.
    folder_.write(
        "plan.json",
        "\n" +
            Json{{"contacts", {contact(2, 20, 10, 0, 3600.0), contact(1, 10, 20, 0, 3600)}}}.dump(
                4) +
            "\n");
    restart();
    EXPECT_EQ(ask({"status"})["plan"]["version"], 2);
    EXPECT_FALSE(link(kFirst)["planned"]) << "removed by command";
    written("plan.json",
            Json::array({contact(1, 10, 20, 0, 3600), contact(2, 20, 10, 0, 3600, 5000)}));
    restart();
    EXPECT_EQ(ask({"status"})["plan"]["version"], 3);
    EXPECT_TRUE(link(kFirst)["planned"]);
}

TEST_F(Control, ABadPlanIsRefusedWithEveryReasonAndNothingChanges) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    const std::string bad = written(
        "bad.json",
        Json::array({contact(1, 10, 20, 50, 10), contact(1, 10, 10, 0, 10), {{"contact", -4}}}));
    const Json refused = ask({"plan", "replace", bad});
    EXPECT_EQ(code_, 1);
    std::string paths;
    for (const Json &error : refused["errors"]) paths += error["path"].get<std::string>() + " ";
    for (const char *path : {"contacts[0].endTime", "contacts[1].contact", "contacts[1].dest",
                             "contacts[2].contact", "contacts[2].source", "contacts[2].endTime"})
        EXPECT_NE(paths.find(path), std::string::npos) << path << " in " << paths;
    EXPECT_NE(published({"plan", "replace", bad}).find("contacts[0].endTime: found 10 s"),
              std::string::npos);
    const Json overlap = ask({"plan", "add", "--contact", "9", "--source", "10", "--dest", "20",
                              "--start", "10", "--end", "20"});
    EXPECT_NE(overlap.dump().find("overlaps"), std::string::npos) << overlap;
    for (const std::vector<std::string> &words : {std::vector<std::string>{"plan", "remove", "77"},
                                                  {"plan", "change", "77", "--rate", "1"},
                                                  {"plan", "change", "1", "--end", "tomorrow"}}) {
        EXPECT_FALSE(ask(words).value("ok", true)) << words[1];
        EXPECT_EQ(code_, 1);
    }
    folder_.write("cut.json", "{\"contacts\": [");
    EXPECT_NE(published({"plan", "replace", folder_ / "cut.json"}).find("unexpected end of input"),
              std::string::npos);
    EXPECT_EQ(ask({"status"})["plan"]["version"], 1);
    EXPECT_TRUE(link(kFirst)["planned"]);
}

TEST_F(Control, PlansInIonsFormatAreAccepted) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    folder_.write("other.ion", "a contact +0 +3000 10 30 1000\na range +0 +3000 10 30 2\n");
    EXPECT_EQ(ask({"plan", "replace", folder_ / "other.ion"})["version"], 2);
    EXPECT_TRUE(link(kSecond)["planned"]);
    EXPECT_EQ(link(kSecond)["rateBitsPerSec"], 8000);
    folder_.write("wrong.ion", "a contact +0 +3000 10 20\n");
    EXPECT_NE(published({"plan", "add", "--file", folder_ / "wrong.ion"}).find("line 1"),
              std::string::npos);
    EXPECT_EQ(code_, 1);
    EXPECT_EQ(ask({"status"})["plan"]["version"], 2);
}

TEST_F(Control, ANodeStartsWithADamagedStateFile) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    EXPECT_EQ(ask({"plan", "remove", "1"})["version"], 2);
    const Json good{{"node", 10}, {"version", 2}, {"configuredPlan", ""}};
    std::vector<Json> damaged(7, good);
    damaged[0]["node"] = "x";
    damaged[1]["node"] = nullptr;
    damaged[2]["version"] = -1;
    damaged[3]["version"] = 1e30;
    damaged[4]["version"] = 2.5;
    damaged[5]["change"] = "x";
    damaged[6].erase("node");
    for (const Json &state : damaged) {
        node_->stop();
        folder_.write("farlink-state-10/contact-plan.json", state.dump());
        start();
        EXPECT_EQ(ask({"status"})["plan"]["version"], 2) << state;
        EXPECT_TRUE(link(kFirst)["planned"]) << "as configured";
    }
    EXPECT_EQ(ask({"plan", "remove", "1"})["version"], 3);
    node_->stop();
    EXPECT_NE(node_->unread(ChildProcess::kErr).find("damaged"), std::string::npos);
}

TEST_F(Control, TwoNodesDoNotShareAStateFolder) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    folder_.write("second.json", Json{{"myNodeId", 10},
                                      {"controlSocket", "second"},
                                      {"storageConfig", {{"storeFilePath", "second-store"}}},
                                      {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}}}
                                     .dump());
    ChildProcess second({program("farlink"), "--config", folder_ / "second.json"});
    EXPECT_EQ(second.wait(), 2);
    EXPECT_NE(second.unread(ChildProcess::kErr)
                  .find("farlink-state-10: stateFolder is in use by another running node"),
              std::string::npos);
    restart();
    EXPECT_EQ(ask({"status"})["plan"]["version"], 1) << "a node that ends releases the folder";
}

TEST_F(Control, ANodeWithoutAPlanGetsOneByReplace) {
    begin({}, false);
    EXPECT_TRUE(becomes(kFirst, true));
    EXPECT_NE(published({"plan", "remove", "1"}).find("create one with"), std::string::npos);
    const std::string file = written("new.json", Json::array({contact(1, 10, 20, 0, 3600)}));
    EXPECT_EQ(ask({"plan", "replace", file})["version"], 1);
    EXPECT_TRUE(link(kFirst)["planned"]);
    EXPECT_FALSE(link(kSecond)["planned"]);
}

TEST_F(Control, WithoutANodeTheErrorNamesTheRemedy) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    struct stat status{};
    ASSERT_EQ(::stat((folder_ / "control").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    node_->stop();
    EXPECT_NE(published({"status"}).find("no node is running"), std::string::npos);
    EXPECT_EQ(code_, 1);
    folder_.write(
        "node.json",
        Json{{"myNodeId", 10}, {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}}}.dump());
    EXPECT_NE(published({"status"}).find("accepts no commands"), std::string::npos);
    EXPECT_NE(published({"statsu"}).find("statsu: no such command"), std::string::npos);
    EXPECT_EQ(code_, 2);
}

}  // namespace
}  // namespace farlink::test::control_test
