// SPDX-License-Identifier: Apache-2.0
// `farlinkctl plan` as a program: the guide's examples, errors, warnings, tables and drawings.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::test::farlinkctl_plan_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kSource = FARLINK_SOURCE_DIR;

std::string text_of(const fs::path &file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::size_t count(const std::string &text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class FarlinkctlPlan : public testing::Test {
protected:
    static std::string program() { return std::string(FARLINK_BIN_DIR) + "/farlinkctl"; }
    int run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {program(), "plan"});
        return finish(ChildProcess(std::move(arguments)));
    }
    int finish(ChildProcess &&child) {
        const int code = child.wait();
        out_ = child.unread(ChildProcess::kOut);
        err_ = child.unread(ChildProcess::kErr);
        return code;
    }
    [[nodiscard]] std::vector<json> lines() const {
        std::vector<json> parsed;
        std::istringstream text(out_);
        for (std::string line; std::getline(text, line);) parsed.push_back(json::parse(line));
        return parsed;
    }
    std::string plan(const std::string &text) {
        folder_.write("plan", text);
        return folder_ / "plan";
    }

    TempFolder folder_;
    std::string out_;
    std::string err_;
};

TEST_F(FarlinkctlPlan, NamesOfNodesAreThoseOfTheConfiguration) {
    const std::string named = plan(R"({"contacts": [
        {"contact": 1, "source": 10, "dest": "dtn://mars/**", "startTime": 0, "endTime": 60,
         "rateBitsPerSec": 1000, "owlt": 0}]})");
    folder_.write("node.json", R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
        "outductsConfig": [{"url": "stcp://mars:4556", "nextHopNodeId": 40}],
        "routing": {"nodeEndpoints": [{"nodeId": 40, "endpoints": ["dtn://mars/**"]}]}})");
    EXPECT_EQ(run({"check", named}), 1);
    EXPECT_NE(err_.find("dtn://mars/**"), std::string::npos) << err_;
    const std::string node = folder_ / "node.json";
    EXPECT_EQ(run({"check", named, "--config", node}), 0) << err_;
    EXPECT_EQ(run({"show", named, "--config", node}), 0) << err_;
    EXPECT_NE(out_.find("10    40  open"), std::string::npos) << out_;
    EXPECT_EQ(run({"convert", named, "--to", "json", "--config", node}), 0) << err_;
    EXPECT_NE(out_.find("\"dest\": 40"), std::string::npos) << out_;
}

TEST_F(FarlinkctlPlan, TheGuidesExamplesAreTrue) {
    std::istringstream guide(text_of(kSource / "docs/guide/contact-plans.md"));
    std::string command;
    std::string expected;
    std::size_t commands = 0;
    bool inside = false;
    const auto check = [&] {
        if (command.empty()) return;
        ++commands;
        finish(
            ChildProcess({"/bin/sh", "-c",
                          "cd '" + kSource.string() + "' && PATH='" FARLINK_BIN_DIR "':$PATH; { " +
                              command + "; } 2>&1"}));
        EXPECT_EQ(out_, expected) << command;
        command.clear();
        expected.clear();
    };
    for (std::string line; std::getline(guide, line);) {
        if (line.starts_with("```")) {
            check();
            inside = line == "```console";
        } else if (inside && line.starts_with("$ ")) {
            check();
            command = line.substr(2);
        } else if (inside) {
            expected += line + '\n';
        }
    }
    EXPECT_EQ(commands, 7U);
    EXPECT_NE(text_of(kSource / "docs/guide/contact-plans.md")
                  .find(text_of(kSource / "config/contact_plans/lunar_relay.ion")),
              std::string::npos);
}

TEST_F(FarlinkctlPlan, EveryErrorNamesItsPlace) {
    EXPECT_EQ(run({"check", plan("a contact +9 +5 1 2 1\na contact +0 +5 0 2 -1\n")}), 1);
    EXPECT_EQ(count(err_, folder_ / "plan: line "), 3U) << err_;
    EXPECT_NE(err_.find(": refused: 3 errors\n"), std::string::npos) << err_;
    EXPECT_EQ(run({"check", "--json", plan(R"({"contacts":[{"contact":0}]})")}), 1);
    ASSERT_EQ(lines().size(), 5U);
    EXPECT_EQ(lines()[0]["place"], "contacts[0].source");
    EXPECT_EQ(lines()[4]["ok"], false);
    EXPECT_EQ(run({"show", folder_ / "none"}), 1);
    EXPECT_EQ(run({"check"}), 2);
}

TEST_F(FarlinkctlPlan, NumbersAreRefusedWithWhatIsAllowed) {
    const std::string any = " to 18446744073709551615\n";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"change", "1", "--rate", "-5"},
         "--rate: found -5; expected bits per second (0: unlimited), from 0 to "
         "10000000000000, with a suffix k, M, G, T or Ki, Mi, Gi, Ti if wanted\n"},
        {{"change", "1", "--rate=1x"}, "--rate: found 1x; expected bits per second"},
        {{"change", "1", "--owlt", "-0.5"},
         "--owlt: found -0.5; expected seconds of one-way light time, from 0 to 1000000\n"},
        {{"change", "1", "--start", "-5"},
         "--start: found -5; expected seconds from now or a time in UTC such as "
         "2026-01-02T03:04:05Z; seconds, from 0 to 315360000\n"},
        {{"change", "1", "--dest", "0"}, "found 0; expected the number of a node, from 1" + any},
        {{"change", "-1"}, "found -1; expected the number of a contact, from 0" + any},
        {{"remove", "7", "-8"}, "found -8; expected the number of a contact, from 0" + any},
        {{"show", "x", "--node", "-5"}, "found -5; expected the number of a node, from 1" + any},
    };
    for (const auto &[words, message] : cases) {
        EXPECT_EQ(run(words), 2) << message;
        EXPECT_NE((out_ + err_).find(message), std::string::npos) << out_ << err_;
    }
    // Numbers are decimal even with a leading zero; nothing listens at this address.
    EXPECT_EQ(run({"change", "010", "--rate", "006000", "--end", "+60", "--socket", "none"}), 1);
}

TEST_F(FarlinkctlPlan, WarnsOfContactsThatDoNotFitTheNode) {
    folder_.write("node.json", R"({"myNodeId": 1, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
        "outductsConfig": [
            {"url": "ltp://127.0.0.1:4000", "nextHopNodeId": 2, "oneWayLightTimeMs": 1000,
             "oneWayMarginTimeMs": 100, "rateLimitBitsPerSec": 8000},
            {"url": "stcp://127.0.0.1:4001", "nextHopNodeId": 3}],
        "storageConfig": {"storeFilePath": "store"}})");
    ASSERT_EQ(run({"check", "--config", folder_ / "node.json", "--json",
                   plan("a contact +0 +10 1 2 2000\n"
                        "a contact +0 +10 1 4 10\n"
                        "a contact +0 +10 4 5 10\n"
                        "a contact +0 +1 2 5 10\n"
                        "a range +0 +10 1 2 2\n"
                        "a range +0 +10 1 4 3\n"
                        "a range +0 +10 4 5 3\n"
                        "a range +0 +10 2 5 3\n")}),
              0)
        << out_ << err_;
    std::vector<std::string> found;
    for (const json &line : lines())
        if (line["type"] == "warning" && line["place"] != "")
            found.push_back(line["place"].get<std::string>() + ": " +
                            line["problem"].get<std::string>());
    EXPECT_EQ(found,
              (std::vector<std::string>{
                  "outductsConfig[0].oneWayLightTimeMs: 1 s, but contact 0 to node 2 has 2 s",
                  "outductsConfig[0].rateLimitBitsPerSec: 8 kbit/s, but contact 0 to node 2 has "
                  "16 kbit/s",
                  "outductsConfig[1]: no contact from node 1 to node 3",
                  "contact 1: no outduct leads to node 4",
                  "contact 3: no bundle from node 1 reaches node 2 before it ends"}));
    EXPECT_EQ(lines().back()["warnings"], 9);  // and four directions without a way back
}

TEST_F(FarlinkctlPlan, ShowsAMomentInUtc) {
    const std::string file = plan(
        "a contact 2026/01/02-00:00:00 2026/01/02-01:00:00 1 2 1000\n"
        "a contact 2026/01/02-01:00:00 2026/01/02-02:00:00 1 2 2000\n"
        "a range 2026/01/02-00:00:00 2026/01/02-02:00:00 1 2 2\n");
    ASSERT_EQ(run({"show", file, "--at", "2026-01-02T00:59:59.999Z", "--json"}), 0) << err_;
    ASSERT_EQ(lines().size(), 1U);
    EXPECT_EQ(lines()[0]["now"]["contact"], 0);
    EXPECT_EQ(lines()[0]["next"]["startTime"], "2026-01-02T01:00:00Z");
    ASSERT_EQ(run({"show", file, "--at", "2026-01-02T01:00:00Z", "--json"}), 0);
    EXPECT_EQ(lines()[0]["now"]["contact"], 1);
    EXPECT_EQ(lines()[0]["next"], nullptr);
    EXPECT_EQ(run({"show", file}), 0);
    EXPECT_EQ(run({"show", file, "--at", "12"}), 2);
    EXPECT_EQ(run({"show", file, "--node", "9"}), 1);
}

TEST_F(FarlinkctlPlan, DrawsATimeline) {
    const std::string file = (kSource / "config/contact_plans/lunar_relay.ion").string();
    const std::string picture = folder_ / "a&b.svg";
    ASSERT_EQ(run({"timeline", file, "-o", picture}), 0) << err_;
    const std::string svg = text_of(picture);
    EXPECT_EQ(count(svg, "class=\"bar "), 6U);
    EXPECT_EQ(count(svg, "class=\"band\""), 2U);
    EXPECT_NE(svg.find("<title>contact 3: 3 \xe2\x86\x92 2\n3600 s to 7200 s\n500 kbit/s, one-way "
                       "light time 0 s</title>"),
              std::string::npos);
    EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_EQ(
        finish(ChildProcess({"/usr/bin/python3", "-c",
                             "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", picture})),
        0)
        << err_;
    ASSERT_EQ(run({"timeline", file, "--from", "3600", "--to", "7200", "--node", "3"}), 0);
    EXPECT_EQ(count(out_, "class=\"bar "), 2U);
    EXPECT_EQ(run({"timeline", file, "--from", "9", "--to", "9"}), 2);
    EXPECT_EQ(run({"timeline", file, "-o", folder_ / "none/plan.svg"}), 1);
}

TEST_F(FarlinkctlPlan, ConversionToIonAndBackKeepsThePlan) {
    const std::string file = (kSource / "config/contact_plans/lunar_relay.ion").string();
    ASSERT_EQ(run({"convert", file, "--to", "json", "-o", folder_ / "a.json"}), 0);
    ASSERT_EQ(run({"convert", folder_ / "a.json", "--to", "ion", "-o", folder_ / "a.ion"}), 0);
    EXPECT_EQ(err_, "");
    ASSERT_EQ(run({"convert", folder_ / "a.ion", "--to", "json"}), 0);
    EXPECT_EQ(out_, text_of(folder_ / "a.json"));
}

}  // namespace
}  // namespace farlink::test::farlinkctl_plan_test
