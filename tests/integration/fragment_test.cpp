// SPDX-License-Identifier: Apache-2.0
// bpgen, a node that cuts, and bpsink that joins, on the loopback address: links with small limits
// of every kind, and outducts that forbid it.
#include <gtest/gtest.h>

#include "tests/support/node_program.hpp"

namespace farlink::test::fragment_test {
namespace {

using Json = nlohmann::json;

/// A node between bpgen and bpsink. `more`: keys of its outduct.
Json node_config(const std::string &in, const std::string &out, std::uint16_t port,
                 const Json &more = Json::object()) {
    Json outduct{
        {"url", loopback_url(out, port)}, {"nextHopNodeId", 2}, {"reconnectMaxMilliseconds", 100}};
    outduct.update(more);
    return {{"myNodeId", 10},
            {"inductsConfig", {{{"url", loopback_url(in, 0)}}}},
            {"outductsConfig", {outduct}}};
}

struct Way {
    const char *name;
    const char *in;
    const char *out;
    const char *sink_options;
    Json outduct;
    const char *bundle_bytes;
    const char *version;
};

class Fragments : public testing::TestWithParam<Way> {};

TEST_P(Fragments, AreCutByTheNodeAndJoinedByTheSink) {
    const Way &way = GetParam();
    const TempFolder folder;
    SinkProgram sink(loopback_url(way.out, 0, way.sink_options),
                     {"--until-complete", "--idle-exit", "20"});
    NodeProgram node(folder, node_config(way.in, way.out, sink.port(), way.outduct));
    GeneratorProgram generator(loopback_url(way.in, node.port()),
                               {"--bundles", "40", "--bundle-size", way.bundle_bytes,
                                "--may-fragment", "--bp-version", way.version});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const Json report = sink.report();
    EXPECT_TRUE(report["ok"]) << report;
    EXPECT_EQ(report["received"], 40) << report;
    EXPECT_EQ(report["joinedBundles"], 40) << report;
    EXPECT_EQ(report["incompleteBundles"], 0) << report;
    node.stop();
    EXPECT_EQ(node.value("egress_cut"), 40U);
    EXPECT_EQ(report["fragments"], node.value("egress_fragments"));
    EXPECT_EQ(node.value("egress_forwarded"), 40U);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Fragments,
    testing::Values(Way{"TransferMru", "tcpclv4", "tcpclv4", "?maxBundleSizeBytes=64000",
                        Json::object(), "1000000", "7"},
                    Way{"TransferMruBpv6", "stcp", "tcpclv4", "?maxBundleSizeBytes=64000",
                        Json::object(), "1000000", "6"},
                    Way{"Datagrams", "stcp", "udp", "",
                        Json{{"maxDatagramBytes", 1400}, {"rateLimitBitsPerSec", 50'000'000}},
                        "20000", "7"},
                    Way{"Policy", "stcp", "stcp", "",
                        Json{{"fragmentBundlesLargerThanBytes", 10'000}}, "100000", "7"}),
    [](const auto &way) { return std::string(way.param.name); });

TEST(FragmentsAlone, AreSentByTheGeneratorInEveryOrder) {
    for (const std::string order : {"forward", "reverse", "shuffled"})
        for (const std::string version : {"6", "7"}) {
            SinkProgram sink(loopback_url("stcp", 0), {"--until-complete", "--idle-exit", "20"});
            GeneratorProgram generator(
                loopback_url("stcp", sink.port()),
                {"--bundles", "100", "--bundle-size", "20000", "--fragment-bytes", "1500",
                 "--fragment-order", order, "--seed", "7", "--bp-version", version});
            EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
            EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
            const Json report = sink.report();
            EXPECT_EQ(report["received"], 100) << report;
            EXPECT_EQ(report["fragments"], 1400) << report;
            const Json sent = generator.report();
            EXPECT_EQ(sent["bundles"], 100) << sent;
            EXPECT_EQ(sent["fragments"], 1400) << sent;
        }
}

// The neighbour has the outduct, and its transfer MRU counts all the same.
TEST(FragmentsAlone, LeaveByASessionThatTheNeighbourHasOpened) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("stcp", 0), {"--until-complete", "--idle-exit", "20"});
    const Json listening{{"url", loopback_url("tcpclv4", 0)},
                         {"neighbours", {{{"nodeId", 20}, {"address", "127.0.0.1"}}}}};
    NodeProgram node(folder,
                     {{"myNodeId", 10},
                      {"inductsConfig", {{{"url", loopback_url("stcp", 0)}}, listening}},
                      {"outductsConfig", Json::array()},
                      {"routing", {{"defaultGateway", 20}}}},
                     "listening.json");
    const Json calling{{"url", loopback_url("tcpclv4", node.port(1))},
                       {"nextHopNodeId", 10},
                       {"maxBundleSizeBytes", 64'000},
                       {"reconnectMaxMilliseconds", 100}};
    NodeProgram neighbour(
        folder,
        {{"myNodeId", 20},
         {"inductsConfig", Json::array()},
         {"outductsConfig",
          {calling, {{"url", loopback_url("stcp", sink.port())}, {"nextHopNodeId", 2}}}}},
        "calling.json");
    GeneratorProgram generator(loopback_url("stcp", node.port()),
                               {"--bundles", "10", "--bundle-size", "200000", "--may-fragment"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const Json report = sink.report();
    EXPECT_EQ(report["joinedBundles"], 10) << report;
    EXPECT_EQ(report["fragments"], 40) << report;
    node.stop();
    neighbour.stop();
    EXPECT_EQ(node.value("egress_cut"), 10U);
    EXPECT_EQ(node.value("egress_refused") + node.value("egress_too_large_returns"), 0U);
}

// The bundles wait: their other ways end at the same limit.
TEST(FragmentsAlone, DoNotLeaveByAnOutductThatForbidsThem) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("tcpclv4", 0, "?maxBundleSizeBytes=64000"), {});
    NodeProgram node(folder,
                     node_config("stcp", "tcpclv4", sink.port(), Json{{"fragment", false}}));
    GeneratorProgram generator(loopback_url("stcp", node.port()),
                               {"--bundles", "3", "--bundle-size", "200000", "--may-fragment"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_too_large") >= 3; }));
    sink.signal(SIGTERM);
    (void)sink.wait();
    EXPECT_EQ(sink.report()["fragments"], 0);
    node.stop();
    EXPECT_EQ(node.value("egress_cut"), 0U);
    EXPECT_EQ(node.value("egress_forwarded"), 0U);
    EXPECT_EQ(node.value("egress_refused"), 0U) << "the sink was not asked";
}

// Contacts of a second, in which 1 MB leaves, every three seconds.
TEST(FragmentsAlone, CrossContactsThatAreTooShortForTheWhole) {
    for (const std::string scheme : {"tcpclv4", "stcp"}) {
        SCOPED_TRACE(scheme);
        const TempFolder folder;
        Json contacts = Json::array();
        for (int at = 0; at < 20; ++at)
            contacts.push_back({{"contact", at},
                                {"source", 10},
                                {"dest", 2},
                                {"startTime", 2 + 3 * at},
                                {"endTime", 3 + 3 * at},
                                {"rateBitsPerSec", 8'000'000}});
        folder.write("plan.json", Json{{"contacts", contacts}}.dump());
        SinkProgram sink(loopback_url(scheme, 0), {"--until-complete", "--idle-exit", "40"});
        Json config = node_config("stcp", scheme, sink.port(), Json{{"fragmentToContact", true}});
        config["contactPlanFile"] = "plan.json";
        NodeProgram node(folder, config);
        GeneratorProgram generator(
            loopback_url("stcp", node.port()),
            {"--bundles", "2", "--bundle-size", "1500000", "--may-fragment"});
        EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
        EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
        const Json report = sink.report();
        EXPECT_TRUE(report["ok"]) << report;
        EXPECT_EQ(report["joinedBundles"], 2) << report;
        EXPECT_EQ(report["incompleteBundles"], 0) << report;
        EXPECT_TRUE(node.wait_until([&] { return node.value("egress_forwarded") == 2; }));
        node.stop();
        EXPECT_GE(node.value("egress_part_returns"), 2U);
        EXPECT_EQ(node.value("ingress_fits_no_contact"), 0U);
        EXPECT_EQ(node.value("storage_stored_now"), 0U);
    }
}

// The neighbour gets whole bundles: nothing of them is left on the disks.
TEST(FragmentsAlone, AreJoinedInTransit) {
    for (const std::string order : {"forward", "reverse", "shuffled"})
        for (const std::string version : {"6", "7"}) {
            const TempFolder folder;
            SinkProgram sink(loopback_url("tcpclv4", 0), {"--until-complete", "--idle-exit", "20"});
            Json config = node_config("tcpclv4", "tcpclv4", sink.port());
            config["routing"]["reassembleInTransit"] = {"ipn:2.*"};
            NodeProgram node(folder, config);
            GeneratorProgram generator(
                loopback_url("tcpclv4", node.port()),
                {"--bundles", "100", "--bundle-size", "20000", "--fragment-bytes", "1500",
                 "--fragment-order", order, "--seed", "7", "--bp-version", version});
            EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
            EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
            const Json report = sink.report();
            EXPECT_EQ(report["received"], 100) << report;
            EXPECT_EQ(report["fragments"], 0) << report;
            node.stop();
            EXPECT_EQ(node.value("storage_joined"), 100U);
            EXPECT_EQ(node.value("storage_joined_fragments"), 1400U);
            EXPECT_EQ(node.value("storage_stored_now"), 0U);
        }
}

}  // namespace
}  // namespace farlink::test::fragment_test
