// SPDX-License-Identifier: Apache-2.0
// LTP between real programs: through a node, over a link that loses and reorders, to a next hop
// that is not running for a while, and by one port in both directions.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/linkemu_program.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/rude_ltp_peer.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::ltp_test {
namespace {

using Json = nlohmann::json;

/// Short timers, so that lost segments are soon retransmitted.
constexpr const char *kQuick = "?oneWayMarginTimeMs=100&ltpMaxRetriesPerSerialNumber=20";

/// Node 10: LTP in, LTP out to node 2.
Json node_config(std::uint16_t sink_port) {
    Json outduct{{"url", loopback_url("ltp", sink_port)},
                 {"nextHopNodeId", 2},
                 {"oneWayMarginTimeMs", 100},
                 {"ltpMaxRetriesPerSerialNumber", 20},
                 {"reconnectMinMilliseconds", 10},
                 {"reconnectMaxMilliseconds", 100}};
    return {{"myNodeId", 10},
            {"storageConfig", {{"storeFilePath", "store"}}},
            {"inductsConfig", Json::array({{{"url", loopback_url("ltp", 0)}}})},
            {"outductsConfig", Json::array({outduct})}};
}

std::vector<std::string> bundles(int number, int size, const char *version = "7") {
    return {"--bundles",
            std::to_string(number),
            "--bundle-size",
            std::to_string(size),
            "--bp-version",
            version,
            "--acknowledge-timeout",
            "60"};
}

/// The sink runs until the generator has ended, since its last report may be lost.
void expect_all(SinkProgram &sink, GeneratorProgram &generator, int number) {
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(generator.report()["acknowledgedBundles"], number);
    sink.signal(SIGTERM);
    const Json report = sink.report();
    EXPECT_EQ(report["received"], number) << report;
    EXPECT_EQ(report["lost"], 0) << report;
    EXPECT_EQ(report["duplicates"], 0) << report;
    EXPECT_EQ(report["corrupt"], 0) << report;
}

/// The same behind a node, which has acknowledged bundles that are still in flight to the sink.
void expect_all_passed_on(SinkProgram &sink, GeneratorProgram &generator, NodeProgram &node,
                          int number) {
    const auto count = static_cast<std::uint64_t>(number);
    EXPECT_TRUE(node.wait_until([&] { return node.value("egress_forwarded") >= count; }, 60));
    expect_all(sink, generator, number);
    node.stop();
}

struct Traffic {
    const char *version;
    int number;
    int size;
};

class LtpThroughANode : public testing::TestWithParam<Traffic> {};
INSTANTIATE_TEST_SUITE_P(Sizes, LtpThroughANode,
                         testing::Values(Traffic{"7", 2'000, 48}, Traffic{"6", 2'000, 100},
                                         Traffic{"7", 500, 20'000}, Traffic{"6", 10, 10'000'000},
                                         Traffic{"7", 10, 10'000'000}),
                         [](const auto &test) {
                             return "BPv" + std::string(test.param.version) + "_" +
                                    std::to_string(test.param.size);
                         });

TEST_P(LtpThroughANode, EveryBundleArrivesOnce) {
    const auto &[version, number, size] = GetParam();
    SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
    const TempFolder folder;
    NodeProgram node(folder, node_config(sink.port()));
    GeneratorProgram generator(loopback_url("ltp", node.port(), kQuick),
                               bundles(number, size, version));
    expect_all_passed_on(sink, generator, node, number);
}

TEST(LtpOverABadLink, EveryBundleArrivesInSpiteOfLossAndReordering) {
    SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
    LinkemuProgram link(udp_link(sink.port(), {"--delay", "10ms", "--loss", "0.05", "--reorder",
                                               "0.05", "--duplicate", "0.02", "--seed", "3"}));
    const TempFolder folder;
    NodeProgram node(folder, node_config(link.port()));
    GeneratorProgram generator(loopback_url("ltp", node.port(), kQuick), bundles(500, 20'000));
    expect_all_passed_on(sink, generator, node, 500);
    const Json summary = link.summary();
    EXPECT_GT(summary["forth"]["lost"].get<int>(), 100) << summary;
    EXPECT_GT(summary["forth"]["reordered"].get<int>(), 100) << summary;
}

TEST(LtpOverABadLink, AQuarterMayBeLostBothWays) {
    SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
    LinkemuProgram link(
        udp_link(sink.port(), {"--delay", "20ms", "--loss", "0.25", "--seed", "4"}));
    GeneratorProgram generator(loopback_url("ltp", link.port(), kQuick), bundles(20, 20'000));
    expect_all(sink, generator, 20);
}

TEST(LtpNextHop, BundlesForAStoppedNextHopAreStoredAndDeliveredLater) {
    const ReservedPort port(SOCK_DGRAM);
    Json config = node_config(port.number());
    config["outductsConfig"][0]["ltpMaxRetriesPerSerialNumber"] = 2;
    const TempFolder folder;
    NodeProgram node(folder, config);
    GeneratorProgram generator(loopback_url("ltp", node.port(), kQuick), bundles(300, 5'000));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    SinkProgram sink(loopback_url("ltp", port.number(), kQuick), {"--bundles", "300"});
    // A block that is cancelled after two attempts may have arrived, and is sent again.
    sink.wait();
    const Json report = sink.report();
    EXPECT_EQ(report["received"], 300) << report;
    EXPECT_EQ(report["lost"], 0) << report;
    EXPECT_EQ(report["corrupt"], 0) << report;
    node.stop();
}

// Like an engine whose node is stopping. The generator has acknowledgements of all its bundles.
TEST(LtpNextHop, ALongTimeWithoutAClientServiceLosesNoBundle) {
    const ReservedPort reserved(SOCK_DGRAM);  // reserved between the two programs
    const std::uint16_t port = reserved.number();
    std::optional<RudeLtpPeer> rude;
    rude.emplace(cla::ltp::CancelReason::kUnreachable, port);
    Json config = node_config(port);
    config["inductsConfig"][0] = {{"url", loopback_url("tcpclv4", 0)}};
    const TempFolder folder;
    NodeProgram node(folder, config);
    GeneratorProgram generator(loopback_url("tcpclv4", node.port()), bundles(10, 1'000));
    ASSERT_TRUE(node.wait_until(
        [&] {
            rude->answer();
            return node.value("egress_refused") >= 30;
        },
        60));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(generator.report()["acknowledgedBundles"], 10);
    EXPECT_EQ(node.value("egress_forwarded"), 0U);
    rude.reset();
    SinkProgram sink(loopback_url("ltp", port, kQuick), {"--bundles", "10"});
    sink.wait();
    EXPECT_EQ(sink.report()["received"], 10);
    node.stop();
}

// Node 7 sends a bundle and ends. The better route to node 2 is by node 7, through the port that it
// has sent to; the other one is by node 9.
TEST(LtpNextHop, BundlesThatAnInductsPortCannotSendTakeAnotherRoute) {
    SinkProgram sink(loopback_url("tcpclv4", 0, "?nodeId=ipn%3A9.0"), {});
    const auto contact = [](int number, int from, int to, int owlt) {
        return Json{{"contact", number}, {"source", from},    {"dest", to},
                    {"startTime", 0},    {"endTime", 86'400}, {"owlt", owlt}};
    };
    const TempFolder folder;
    folder.write("plan.json",
                 Json{{"contacts", Json::array({contact(1, 10, 7, 0), contact(2, 7, 2, 0),
                                                contact(3, 10, 9, 0), contact(4, 9, 2, 3)})}}
                     .dump());
    Json config = node_config(0);
    config["contactPlanFile"] = "plan.json";
    config["inductsConfig"][0]["oneWayMarginTimeMs"] = 100;
    config["inductsConfig"][0]["ltpMaxRetriesPerSerialNumber"] = 2;
    config["inductsConfig"][0]["neighbours"] =
        Json::array({{{"nodeId", 7}, {"address", "127.0.0.1"}}});
    config["inductsConfig"].push_back({{"url", loopback_url("tcpclv4", 0)}});
    config["outductsConfig"] =
        Json::array({{{"url", loopback_url("tcpclv4", sink.port())}, {"nextHopNodeId", 9}}});
    NodeProgram node(folder, config);
    GeneratorProgram gone(
        loopback_url("ltp", node.port(0), std::string(kQuick) + "&thisLtpEngineId=7"),
        bundles(1, 100));
    EXPECT_EQ(gone.wait(), 0) << gone.unread(ChildProcess::kErr);
    GeneratorProgram generator(loopback_url("tcpclv4", node.port(1)), bundles(20, 1'000));
    EXPECT_TRUE(node.wait_until([&] { return node.value("egress_forwarded") >= 21; }, 30));
    EXPECT_GE(node.value("egress_refused_returns") + node.value("egress_link_down_returns"), 1U)
        << "the better route was tried";
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    sink.signal(SIGTERM);
    EXPECT_EQ(sink.report()["received"], 21);
    node.stop();
}

TEST(LtpAggregation, ManySmallBundlesShareABlock) {
    for (const char *const service : {"1", "2"}) {
        SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
        const std::string options =
            std::string(kQuick) + "&ltpAggregationSizeBytes=20000&clientServiceId=" + service;
        GeneratorProgram generator(loopback_url("ltp", sink.port(), options), bundles(5'000, 100));
        expect_all(sink, generator, 5'000);
    }
}

TEST(LtpFile, OneFileIsOneBlock) {
    const TempFolder folder;
    std::string content(3'000'000, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i * 31 + (i >> 9));
    folder.write("sent", content);
    ChildProcess receiver(
        {program("ltprecv"), loopback_url("ltp", 0, kQuick), folder / "received"});
    const std::string greeting = receiver.line(ChildProcess::kErr);
    ASSERT_TRUE(greeting.starts_with("listening on")) << greeting;
    const auto port =
        static_cast<std::uint16_t>(std::stoi(greeting.substr(greeting.rfind(':') + 1)));
    LinkemuProgram link(udp_link(port, {"--loss", "0.02", "--seed", "9"}));
    ChildProcess sender(
        {program("ltpsend"), folder / "sent",
         loopback_url("ltp", link.port(), std::string(kQuick) + "&rateLimitBitsPerSec=500000000")});
    EXPECT_EQ(sender.wait(), 0) << sender.unread(ChildProcess::kErr);
    EXPECT_EQ(receiver.wait(), 0) << receiver.unread(ChildProcess::kErr);
    std::ifstream file(folder / "received", std::ios::binary);
    const std::string received{std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>()};
    EXPECT_TRUE(received == content);
    EXPECT_GT(link.summary()["forth"]["lost"].get<int>(), 10);
}

}  // namespace
}  // namespace farlink::test::ltp_test
