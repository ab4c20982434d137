// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/import_ion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/config/fields/instant.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/plan/contact_plan.hpp"
#include "tests/support/build_folders.hpp"

namespace farlink::config::import_ion_test {
namespace {

using Json = nlohmann::json;

/// A combined file with these commands of one program, beside what every node has.
std::string combined(std::string_view program, std::string_view commands) {
    std::string text = "## begin ionadmin\n1 10 ''\n## end ionadmin\n## begin bpadmin\n";
    text += "a induct stcp 127.0.0.1:4556 stcpcli\na outduct stcp h:1 ''\n## end bpadmin\n";
    text += "## begin ipnadmin\na plan 20 stcp/h:1\n## end ipnadmin\n";
    text += "## begin " + std::string(program) + '\n' + std::string(commands);
    return text + "\n## end " + std::string(program) + '\n';
}

Imported import_text(const std::string &text, const std::string &name = "node.rc") {
    const IonFile file{name, text};
    return import_ion(std::span(&file, 1), {.user = "operator"});
}

std::string all_lines(const ImportReport &report) {
    return report.to_string();
}

struct CommandCase {
    std::string_view program;
    std::string_view commands;  ///< the last line is what the case is about
    ImportOutcome outcome;
    std::string_view text;  ///< a part of its line
};

/// The line of the report about the last command of the case.
std::string last_line(const Imported &made, std::string_view commands, ImportOutcome outcome) {
    constexpr std::size_t kBefore = 11;  // lines of combined() above the commands
    const auto number = kBefore + 1 + static_cast<std::size_t>(std::ranges::count(commands, '\n'));
    for (const ImportLine &line : made.report.lines(outcome))
        if (line.line == number) return line.to_string();
    return {};
}

void expect_verdicts(std::span<const CommandCase> cases) {
    for (const CommandCase &each : cases) {
        const Imported made = import_text(combined(each.program, each.commands));
        const std::string line = last_line(made, each.commands, each.outcome);
        EXPECT_NE(line.find(each.text), std::string::npos)
            << each.commands << "\nhas: " << line << "\nof: " << all_lines(made.report);
        EXPECT_EQ(made.config.empty(), made.report.refused()) << each.commands;
        EXPECT_EQ(made.report.refused(), each.outcome == ImportOutcome::kRefused)
            << each.commands << '\n'
            << all_lines(made.report);
    }
}

constexpr auto kMapped = ImportOutcome::kMapped;
constexpr auto kChanged = ImportOutcome::kChanged;
constexpr auto kNoted = ImportOutcome::kNoted;
constexpr auto kRefused = ImportOutcome::kRefused;

TEST(ImportIon, CommandsOfIonadmin) {
    const CommandCase cases[]{
        {"ionadmin", "s", kNoted, "starts with the program"},
        {"ionadmin", "1 10 ''", kMapped, "myNodeId 10"},
        {"ionadmin", "1 0.10", kMapped, "myNodeId 10"},
        {"ionadmin", "1 11", kRefused, "two nodes"},
        {"ionadmin", "1 zero", kRefused, "found \"zero\"; expected the number of the node"},
        {"ionadmin", "1", kRefused, "found 1 words; expected 2 to 3 words"},
        {"ionadmin", "a contact +0 +60 10 20 1000", kMapped, "contact plan"},
        {"ionadmin", "a contact +0.5 +60.25 10 20 1000", kMapped, "contact plan"},
        {"ionadmin", "a contact +0 +60 10 10 1000", kNoted, "no contact with itself"},
        {"ionadmin", "a contact -1 -1 10 10 0", kNoted, "registration"},
        {"ionadmin", "a contact +0 +60 10 20", kRefused, "found 6 words"},
        {"ionadmin", "a contact +0 +60 10 20 1000 0.5", kMapped, "confidence"},
        {"ionadmin", "a contact +60 +0 10 20 1000", kRefused, "expected a time after the start"},
        {"ionadmin", "a contact +0 +60 10 20 9\na contact +30 +90 10 20 8", kRefused, "overlaps"},
        {"ionadmin", "a contact +0 +60 10 20 9\nc contact +0 10 20 8", kMapped, "contact plan"},
        {"ionadmin", "c contact +0 10 20 8", kRefused, "the start of a contact"},
        {"ionadmin", "a contact +0 +60 10 20 9\nd contact * 10 20", kMapped, "contact plan"},
        {"ionadmin", "a range +0 +60 10 20 1.25", kMapped, "contact plan"},
        {"ionadmin", "a range +0 +60 10 20 x", kRefused, "seconds of one-way light time"},
        {"ionadmin", "@ 2026/01/02-03:04:05", kMapped, "contact plan"},
        {"ionadmin", "m horizon +0", kNoted, "congestion"},
        {"ionadmin", "m production 1000", kNoted, "congestion"},
        {"ionadmin", "m utcdelta 0", kNoted, "clock"},
        {"ionadmin", "m outer 2", kRefused, "regions"},
        {"ionadmin", "l contact", kNoted, "prints"},
        {"ionadmin", "z", kRefused, "unknown command of ionadmin: \"z\""},
        {"ionadmin", "m altitude 5", kRefused, "unknown command of ionadmin"},
        {"ionadmin", "1 10 'x", kRefused, "a quote"},
    };
    expect_verdicts(cases);
}

TEST(ImportIon, CommandsOfBpadmin) {
    const CommandCase cases[]{
        {"bpadmin", "a scheme ipn 'ipnfw' 'ipnadminep'", kMapped, "built in"},
        {"bpadmin", "a scheme imc 'imcfw' 'imcadminep'", kNoted, "groups"},
        {"bpadmin", "a scheme x 'y' 'z'", kRefused, "expected ipn or dtn"},
        {"bpadmin", "a endpoint ipn:10.1 q", kMapped, "applications.endpoints"},
        {"bpadmin", "a endpoint ipn:10.1 x", kChanged, "bundles wait"},
        {"bpadmin", "a endpoint ipn:10.1 q 'run me'", kChanged, "--exec"},
        {"bpadmin", "a endpoint ipn:10.0 q", kMapped, "the node itself"},
        {"bpadmin", "a endpoint ipn:10.2047 q", kRefused, "echo"},
        {"bpadmin", "a endpoint ipn:11.1 q", kRefused, "another node than 10"},
        {"bpadmin", "a endpoint imc:1.0 q", kRefused, "groups"},
        {"bpadmin", "a endpoint ipn:10.1 w", kRefused, "expected q or x"},
        {"bpadmin", "a endpoint ipn:10.1 q\na endpoint ipn:10.1 q", kRefused,
         "duplicate of node.rc:12"},
        {"bpadmin", "a endpoint ipn:10.1 q\nd endpoint ipn:10.1", kMapped, ""},
        {"bpadmin", "d endpoint ipn:10.1", kRefused, "no command above adds this endpoint"},
        {"bpadmin", "a protocol tcp 1400 100", kMapped, "built in"},
        {"bpadmin", "a protocol bssp", kNoted, "no such convergence layer"},
        {"bpadmin", "a induct tcp 127.0.0.5 tcpcli", kMapped, "tcpclv3://127.0.0.5:4556"},
        {"bpadmin", "a induct udp 0.0.0.0:4557 udpcli", kMapped, "udp://0.0.0.0:4557"},
        {"bpadmin", "a induct stcp 127.0.0.1:4556 stcpcli", kRefused, "duplicate of node.rc:5"},
        {"bpadmin", "a induct ltp 10 ltpcli", kRefused, "udplsi"},
        {"bpadmin", "a induct dccp 0.0.0.0:9 dccpcli", kRefused, "\"dccp\""},
        {"bpadmin", "a induct stcp a:b:c stcpcli", kRefused, "expected host:port"},
        {"bpadmin", "a outduct stcp h:2 ''", kNoted, "no plan uses it"},
        {"bpadmin", "a outduct stcp h:2 '' many", kRefused, "longest payload"},
        {"bpadmin", "a outduct stcp h:2 '' 5000\na plan ipn:30.0\na planduct ipn:30.0 stcp h:2",
         kMapped, "outductsConfig[1]"},
        {"bpadmin", "a outduct udp * udpclo\na plan ipn:30.0 100\na planduct ipn:30.0 udp * h:3",
         kMapped, "outductsConfig[1]"},
        {"bpadmin", "a plan ipn:10.0", kNoted, "delivers to itself"},
        {"bpadmin", "a plan ipn:30.0", kNoted, "no outduct"},
        {"bpadmin", "a plan ipn:3*", kRefused, "a link for each neighbour"},
        {"bpadmin", "a plan ipn:30.0\ng plan ipn:30.0 ipn:20.0", kMapped, "a static route"},
        {"bpadmin", "a plan ipn:30.0\ng plan ipn:30.0 ipn:21.0", kRefused, "not a neighbour"},
        {"bpadmin", "a plan ipn:20.0", kRefused, "duplicate of node.rc:9"},
        {"bpadmin", "b plan ipn:20.0", kRefused, "blocked neighbour"},
        {"bpadmin", "a planduct ipn:30.0 stcp h:1", kRefused, "no command above adds this plan"},
        {"bpadmin", "a plan ipn:30.0\na planduct ipn:30.0 stcp h:9", kRefused, "no `a outduct`"},
        {"bpadmin", "a plan dtn://mars\na planduct dtn://mars stcp h:1", kMapped, ""},
        {"bpadmin", "m heapmax 600", kNoted, "ION keeps"},
        {"bpadmin", "m srmode traditional", kMapped, "statusReports true"},
        {"bpadmin", "m srmode compressed", kRefused, "compressed"},
        {"bpadmin", "m custodymode orangebook", kRefused, "BPv7"},
        {"bpadmin", "r 'bpecho ipn:10.5'", kNoted, "2047"},
        {"bpadmin", "r 'ipnadmin other.ipnrc'", kRefused, "\"other.ipnrc\""},
        {"bpadmin", "r 'lgagent ipn:10.7'", kNoted, "lgagent"},
        {"bpadmin", "x protocol stcp", kRefused, "delete"},
    };
    expect_verdicts(cases);
}

TEST(ImportIon, CommandsOfTheRoutingPrograms) {
    const CommandCase cases[]{
        {"ipnadmin", "a plan 30 stcp/h:1", kChanged, "static route by neighbour 20"},
        {"ipnadmin", "a plan 20 stcp/h:1", kRefused, "duplicate"},
        {"ipnadmin", "a plan 30 ipn:20.0", kMapped, "static route by neighbour 20"},
        {"ipnadmin", "a plan 30 nothing", kRefused, "an outduct such as"},
        {"ipnadmin", "a plan 30 stcp/h:9", kRefused, "no `a outduct`"},
        {"ipnadmin", "c plan 20 100", kMapped, ""},
        {"ipnadmin", "d plan 20", kMapped, ""},
        {"ipnadmin", "a exit 30 32 ipn:20.0", kMapped, "3 static routes by neighbour 20"},
        {"ipnadmin", "a group 1 999999 ipn:20.0", kChanged, "defaultGateway 20"},
        {"ipnadmin", "a exit 5 1 ipn:20.0", kRefused, "not below the first"},
        {"ipnadmin", "a exit 1 5 ipn:21.0", kRefused, "not a neighbour"},
        {"ipnadmin", "a exit 30 32 ipn:20.0\nd exit 30 32", kMapped, ""},
        {"ipnadmin", "a rtovrd 0 30 0 20", kMapped, "routing.policies[0]"},
        {"ipnadmin", "a rtovrd 7 30 0 20", kRefused, "data label"},
        {"ipnadmin", "a rtovrd 0 30 0 21", kRefused, "not a neighbour"},
        {"ipnadmin", "a cosovrd 0 30 0 2 0", kMapped, "routing.policies[0]"},
        {"ipnadmin", "a cosovrd 0 30 0 3 0", kRefused, "priority from 0 to 2"},
        {"dtn2admin", "a plan mars x stcp/h:1", kMapped, "an endpoint of node 20"},
        {"dtn2admin", "a plan mars 'f ipn:20.0'", kMapped, "static route by neighbour 20"},
        {"dtn2admin", "a plan mars* x stcp/h:1", kRefused, "a link for each neighbour"},
    };
    expect_verdicts(cases);
}

TEST(ImportIon, CommandsOfLtpadmin) {
    const CommandCase cases[]{
        {"ltpadmin", "1 64", kNoted, "table"},
        {"ltpadmin", "a span 20 9 9 1400 10000 1 'udplso h:1113'", kNoted, "no plan uses it"},
        {"ltpadmin", "a span 20 9 9 1400 10000 1 'udplso @'", kRefused, "learns at run time"},
        {"ltpadmin", "a span 20 9 9 1400 10000 1 'dccplso h:1'", kRefused, "UDP only"},
        {"ltpadmin", "a span 20 9 9 1400 10000 1", kRefused, "found 8 words"},
        {"ltpadmin", "a span 20 x 9 1400 10000 1 'udplso h'", kRefused, "number of sessions"},
        {"ltpadmin", "a span 0 9 9 1400 10000 1 'udplso h'", kRefused, "LTP engine"},
        {"ltpadmin", "c span 20 9 9 1400 10000 1 'udplso h'", kRefused, "no command above"},
        {"ltpadmin", "s 'udplsi 127.0.0.1'", kMapped, "127.0.0.1:1113"},
        {"ltpadmin", "a seat 'udplsi 127.0.0.1:5'", kMapped, "127.0.0.1:5"},
        {"ltpadmin", "s", kNoted, "starts"},
        {"ltpadmin", "m ownqtime 2", kMapped, "oneWayMarginTimeMs"},
        {"ltpadmin", "m ownqtime x", kRefused, "seconds"},
        {"ltpadmin", "m screening n", kNoted, "outside of contacts"},
        {"ltpadmin", "m maxber 0.001", kNoted, "ltpMaxRetries"},
    };
    expect_verdicts(cases);
}

TEST(ImportIon, CommandsOfTheOtherPrograms) {
    const CommandCase cases[]{
        {"ionsecadmin", "a key k file", kNoted, "reported separately"},
        {"ionsecadmin", "a babrxrule ipn:20.* HMAC_SHA1 k", kRefused, "authentication blocks"},
        {"ltpsecadmin", "a ltprecvauthrule 20 0 k", kRefused, "ltpAuthenticationKeyFile"},
        {"bpsecadmin", "a bibrule ipn:1.* ipn:2.* 1 BIB-HMAC-SHA2 k", kRefused,
         "the section `security`"},
        {"bpsecadmin", "a bibrule ipn:1.* ipn:2.* 1 ''", kNoted, "the section `security`"},
        {"bpsecadmin", "a { \"policyrule\" : { \"desc\" : \"it's\" } }", kRefused,
         "the section `security`"},
        {"bpsecadmin", "a { \"event_set\" : { \"name\" : \"e\" } }", kNoted, "events"},
        {"cfdpadmin", "a entity 20 bp ipn:20.64 10 0 0", kNoted, "file transfer"},
        {"cfdpadmin", "s 'bputa'", kNoted, "file transfer"},
        {"cfdpadmin", "m nothing 1", kRefused, "unknown command of cfdpadmin"},
        {"acsadmin", "1 1", kMapped, "isAcsAware"},
        {"acsadmin", "a ipn:20.0 100 27", kChanged, "acsSendPeriodMilliseconds 27000"},
        {"acsadmin", "a ipn:20.0 100 soon", kRefused, "seconds"},
        {"bibeadmin", "a bcla ipn:3.2 10 10 60 1 0 16", kRefused, "encapsulates"},
        {"ionconfig", "heapWords 5000", kNoted, "totalStorageCapacityBytes"},
        {"ionconfig", "heapWorlds 5000", kRefused, "unknown command of ionconfig"},
        {"imcadmin", "a group 5", kRefused, "no counterpart"},
        {"imcadmin", "1", kNoted, "database"},
    };
    expect_verdicts(cases);
}

// ---- files

TEST(ImportIon, FilesAsSuch) {
    const std::pair<std::string, std::string> cases[]{
        {"", "the file has no command"},
        {"# only a comment\n", "the file has no command"},
        {"1 10\n", "which program reads it is not clear"},
        {"## begin ionadmin\n1 10\n", "the file ends within the section \"ionadmin\" of line 1"},
        {"## begin ionadmin\n1 10\n## end ionadmin", "the file ends within a line"},
        {"## begin ionadmin\n1 10\n## begin bpadmin\n1\n## end bpadmin\n", "has no `## end`"},
        {"## begin ionadmin\n1 10\n## end bpadmin\n## end ionadmin\n", "has no `## begin`"},
        {"## begin ionadmim\n1 10\n## end ionadmim\n", "not a program of ION"},
        {"1 10\n## begin ionadmin\n1 10\n## end ionadmin\n", "outside of a section"},
        {"## begin bpsecadmin\na { \"x\" : {\n## end bpsecadmin\n", "an open brace"},
        {"## begin bpadmin\n1\n## end bpadmin\n",
         "no command of ionadmin states the number of the node"},
    };
    for (const auto &[text, part] : cases) {
        const Imported made = import_text(text);
        EXPECT_TRUE(made.report.refused()) << text;
        EXPECT_TRUE(made.config.empty()) << text;
        EXPECT_NE(all_lines(made.report).find(part), std::string::npos)
            << text << all_lines(made.report);
    }
}

TEST(ImportIon, TheNodeMayBeGiven) {
    const IonFile file{"x.bprc", "a induct stcp 0.0.0.0:4556 stcpcli\n"};
    const Imported made = import_ion(std::span(&file, 1), {.node = 7});
    EXPECT_EQ(Json::parse(made.config)["myNodeId"], 7);
    const Imported other = import_ion(std::vector<IonFile>{{"ionrc", "1 8\n"}, file}, {.node = 7});
    EXPECT_NE(all_lines(other.report).find("the files are of node 8"), std::string::npos);
}

TEST(ImportIon, SecondsBesideUtcCountFromNow) {
    const DtnTime noon = parse_utc("2026-01-02T12:00:00Z").value();
    const IonFile file{"a.ionrc",
                       "1 10\na contact +0 +60 10 20 1\n"
                       "a contact 2026/01/03-00:00:00 2026/01/03-01:00:00 10 20 1\n"};
    const IonFile bp{"a.bprc", "a induct stcp 0.0.0.0:4556 stcpcli\n"};
    const Imported made = import_ion(std::vector{file, bp}, {.now = noon});
    EXPECT_NE(made.plan.find("2026-01-02T12:01:00.000Z"), std::string::npos) << made.plan;
    EXPECT_EQ(made.report.count(kChanged), 1U) << all_lines(made.report);
}

// ---- whole nodes

std::vector<IonFile> files_of(const std::vector<std::string> &names) {
    std::vector<IonFile> files;
    for (const std::string &name : names) {
        std::ostringstream text;
        text << std::ifstream(std::string(FARLINK_SOURCE_DIR) + "/tests/vectors/ion/" + name)
                    .rdbuf();
        EXPECT_FALSE(text.str().empty()) << name;
        files.push_back({name, text.str()});
    }
    return files;
}

std::vector<IonFile> relay() {
    return files_of({"relay/relay.ionrc", "relay/relay.ionconfig", "relay/relay.ionsecrc",
                     "relay/relay.bpsecrc", "relay/relay.ltprc", "relay/relay.bprc",
                     "relay/relay.ipnrc", "relay/relay.cfdprc", "relay/relay.acsrc",
                     "relay/relay.biberc"});
}

TEST(ImportIon, AGroundStation) {
    const Imported made = import_ion(files_of({"two_nodes/ground.rc"}), {.user = "operator"});
    ASSERT_FALSE(made.report.refused()) << all_lines(made.report);
    const Json config = Json::parse(made.config);
    EXPECT_EQ(config["myNodeId"], 10);
    EXPECT_EQ(config["inductsConfig"][0]["url"], "ltp://127.0.0.1:1113");
    EXPECT_EQ(config["inductsConfig"][0]["ltpDataSegmentMtu"], 1360);
    EXPECT_EQ(config["inductsConfig"][0]["oneWayMarginTimeMs"], 1000);
    EXPECT_EQ(config["inductsConfig"][0]["bundlePipelineLimit"], 50);
    EXPECT_EQ(config["inductsConfig"][0]["ltpMaxExpectedSimultaneousSessions"], 60);
    EXPECT_EQ(config["inductsConfig"][0]["rateLimitBitsPerSec"], 100'000'000);
    EXPECT_EQ(config["inductsConfig"][1]["url"], "stcp://127.0.0.1:4561");
    ASSERT_EQ(config["outductsConfig"].size(), 1U);
    EXPECT_EQ(config["outductsConfig"][0],
              Json::parse(R"({"url": "ltp://127.0.0.1:1114", "nextHopNodeId": 20,
                              "ltpSenderBoundPort": 1113})"));
    EXPECT_EQ(config["routing"]["staticRoutes"].size(), 10U);
    EXPECT_EQ(config["applications"]["endpoints"].size(), 3U);
    EXPECT_EQ(config["applications"]["access"][0]["user"], "operator");
    const auto plan = parse_contact_plan(made.plan);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->contacts.size(), 4U) << "none with itself";
    EXPECT_EQ(plan->contacts[0].owlt, seconds(1));
    EXPECT_EQ(plan->contacts[0].rate.value(), 100'000'000U);
    EXPECT_EQ(made.report.count(kMapped) + made.report.count(kChanged) + made.report.count(kNoted),
              41U)
        << "a line for each command: " << all_lines(made.report);
}

TEST(ImportIon, ARelayOfSeparateFiles) {
    const Imported made = import_ion(relay(), {.user = "operator"});
    ASSERT_FALSE(made.report.refused()) << all_lines(made.report);
    const Json config = Json::parse(made.config);
    std::vector<std::string> ways;
    for (const Json &link : config["outductsConfig"])
        ways.push_back(link["url"].get<std::string>() + " to " + link["nextHopNodeId"].dump());
    EXPECT_EQ(ways, (std::vector<std::string>{
                        "tcpclv3://127.0.0.1:4582 to 42", "stcp://127.0.0.1:4581 to 41",
                        "udp://127.0.0.1:4583 to 43", "ltp://127.0.0.1:1116 to 44"}));
    EXPECT_EQ(config["inductsConfig"].size(), 4U);
    EXPECT_EQ(config["routing"]["defaultGateway"], 41);
    EXPECT_EQ(config["routing"]["staticRoutes"],
              Json::parse(R"([{"destinationNodeId": 45, "nextHopNodeId": 41},
                              {"destinationNodeId": 142, "nextHopNodeId": 42},
                              {"destinationNodeId": 203, "nextHopNodeId": 44},
                              {"destinationNodeId": 200, "nextHopNodeId": 42},
                              {"destinationNodeId": 201, "nextHopNodeId": 42},
                              {"destinationNodeId": 202, "nextHopNodeId": 42}])"));
    EXPECT_EQ(config["statusReports"], true);
    EXPECT_EQ(config["acsSendPeriodMilliseconds"], 3000);
    const auto plan = parse_contact_plan(made.plan);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->contacts.size(), 6U) << "three of the files, three that do not end";
}

// ---- what is broken

/// Whatever the files are: an import ends, and either refuses something or has a configuration
/// that the node reads.
void expect_whole_or_refused(std::span<const IonFile> files, const std::string &what) {
    const Imported made = import_ion(files, {.user = "operator"});
    EXPECT_EQ(made.config.empty(), made.report.refused()) << what;
    const std::size_t lines = made.report.count(kRefused) + made.report.count(kChanged) +
                              made.report.count(kNoted) + made.report.count(kMapped);
    EXPECT_GT(lines, 0U) << what;
    EXPECT_TRUE(made.config.empty() || parse_node_config(made.config)) << what;
}

TEST(ImportIon, ACombinedFileCutAnywhereIsRefused) {
    const std::vector<IonFile> whole = files_of({"two_nodes/ground.rc"});
    const std::string &text = whole[0].text;
    const std::size_t last_section = text.rfind("\n## begin");
    for (std::size_t size = 0; size < text.size(); ++size) {
        const IonFile cut{whole[0].name, text.substr(0, size)};
        const Imported made = import_ion(std::span(&cut, 1));
        const bool between = size > 0 && text[size - 1] == '\n' &&
                             text.substr(0, size).find("## end ionadmin\n") != std::string::npos;
        EXPECT_TRUE(between || made.report.refused()) << size << " of " << last_section;
        expect_whole_or_refused(std::span(&cut, 1), std::to_string(size));
    }
}

TEST(ImportIon, SeparateFilesCutAnywhereNeverCrash) {
    const std::vector<IonFile> whole = relay();
    for (std::size_t file = 0; file < whole.size(); ++file) {
        for (std::size_t size = 0; size < whole[file].text.size(); ++size) {
            std::vector<IonFile> files = whole;
            files[file].text.resize(size);
            const bool between = size > 0 && files[file].text.back() == '\n';
            EXPECT_TRUE(between || import_ion(files).report.refused()) << files[file].name << size;
            expect_whole_or_refused(files, files[file].name + " cut at " + std::to_string(size));
        }
    }
}

TEST(ImportIon, ChangedLinesNeverCrash) {
    std::uint64_t state = 1;
    const auto below = [&state](std::size_t limit) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::size_t>((state >> 33U) % limit);
    };
    constexpr std::string_view kOctets = "\n'\"{}# .,:/*+-019azA@^\x01\xff";
    constexpr int kRounds = 3000;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<IonFile> files = round % 2 == 0 ? relay() : files_of({"two_nodes/ground.rc"});
        std::string &text = files[below(files.size())].text;
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
                case 0:
                    text[at] = kOctets[below(kOctets.size())];
                    break;
                case 1:
                    text.erase(at, 1 + below(20));
                    break;
                case 2:
                    text.insert(at, text.substr(below(text.size()), below(60)));
                    break;
                default:
                    text.insert(at, 1 + below(3), kOctets[below(kOctets.size())]);
                    break;
            }
            if (text.empty()) text = "\n";
        }
        expect_whole_or_refused(files, "round " + std::to_string(round));
    }
}

}  // namespace
}  // namespace farlink::config::import_ion_test
