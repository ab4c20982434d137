// SPDX-License-Identifier: Apache-2.0
// LTP with a one-way light time of seconds, through nodes with the memory and processors of the
// gateway: an upstream that waits for acknowledgements fills the link, and as many sessions are
// open at once as fit into it. FARLINK_MATRIX=all uses the light time and the rate of a link in
// space.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/linkemu_program.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::far_link_test {
namespace {

using Json = nlohmann::json;

struct FarLink {
    int one_way_ms;
    std::uint64_t bits_per_second;

    /// The octets in flight in a round trip, and a quarter more.
    [[nodiscard]] std::uint64_t window_bytes() const {
        return bits_per_second / 8 * 2 * static_cast<std::uint64_t>(one_way_ms) / 1000 * 5 / 4;
    }
    [[nodiscard]] std::vector<std::string> profile() const {
        return {"--delay", std::to_string(one_way_ms) + "ms", "--rate",
                std::to_string(bits_per_second)};
    }
    [[nodiscard]] std::string options() const {
        return "?oneWayLightTimeMs=" + std::to_string(one_way_ms) +
               "&maxUnsettledBytes=" + std::to_string(window_bytes());
    }
    /// An outduct to node `next_hop` with the guide's settings for this rate and one-way light
    /// time.
    [[nodiscard]] Json outduct(std::uint16_t port, int next_hop) const {
        return {{"url", loopback_url("ltp", port)},
                {"nextHopNodeId", next_hop},
                {"oneWayLightTimeMs", one_way_ms},
                {"oneWayMarginTimeMs", 1000},
                {"rateLimitBitsPerSec", bits_per_second},
                {"maxSumOfBundleBytesInPipeline", window_bytes()}};
    }
};

/// From node 10 over the far link to node 20, and on to node 2.
Json contact_plan(const FarLink &far) {
    const Json there{{"contact", 0},   {"source", 10},       {"dest", 20},
                     {"startTime", 0}, {"endTime", 100'000}, {"owlt", far.one_way_ms / 1000.0}};
    const Json on{
        {"contact", 1}, {"source", 20}, {"dest", 2}, {"startTime", 0}, {"endTime", 100'000}};
    return {{"contacts", Json::array({there, on})}};
}

Json node_config(int number, const Json &induct, const Json &outduct) {
    return {{"myNodeId", number},
            {"bufferBytes", 512 * 1024 * 1024},
            {"storageConfig", {{"storeFilePath", "store" + std::to_string(number)}}},
            {"inductsConfig", Json::array({induct})},
            {"outductsConfig", Json::array({outduct})}};
}

std::string megabytes(const NodeProgram &node) {
    return std::to_string(node.peak_memory() / 1'000'000) + " MB";
}

struct Upstream {
    FarLink far;
    std::uint64_t bundles;
    std::uint64_t bundle_bytes;
};

TEST(FarLinkTest, AnUpstreamWithFiveTransfersInFlightFillsIt) {
    const Upstream upstream = whole_matrix() ? Upstream{{2000, 500'000'000}, 10'000, 100'000}
                                             : Upstream{{500, 100'000'000}, 600, 100'000};
    const FarLink &far = upstream.far;
    SinkProgram sink(loopback_url("ltp", 0, far.options()), {});
    LinkemuProgram link(udp_link(sink.port(), far.profile()));
    const TempFolder folder;
    NodeProgram node(folder, node_config(10, {{"url", loopback_url("tcpclv4", 0)}},
                                         far.outduct(link.port(), 2)));
    GeneratorProgram generator(
        loopback_url("tcpclv4", node.port(), "?maxNumberOfBundlesInPipeline=5"),
        {"--bundles", std::to_string(upstream.bundles), "--bundle-size",
         std::to_string(upstream.bundle_bytes)});
    EXPECT_TRUE(
        node.wait_until([&] { return node.value("egress_forwarded") >= upstream.bundles; }, 120));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    sink.signal(SIGTERM);
    const Json report = sink.report();
    EXPECT_EQ(report["received"], upstream.bundles) << report;
    EXPECT_EQ(report["lost"], 0) << report;
    EXPECT_EQ(report["duplicates"], 0) << report;
    const double share =
        report["goodputBitsPerSec"].get<double>() / static_cast<double>(far.bits_per_second);
    std::cout << "matrix: five transfers in flight, " << far.one_way_ms << " ms one way: " << share
              << " of " << far.bits_per_second << " bit/s, node " << megabytes(node) << '\n'
              << std::flush;
    if (!kSanitized) {
        EXPECT_GE(share, 0.8) << report << node.counters();
    }
    node.stop();
}

// One block for each bundle: the sessions of both nodes stay open until the reports arrive.
TEST(FarLinkTest, AsManySessionsAreOpenAsFitIntoIt) {
    const std::uint64_t bundles = kSanitized ? 3'000 : 84'000;
    const FarLink far{2500, 500'000'000};
    SinkProgram sink(loopback_url("stcp", 0), {});
    const TempFolder folder;
    folder.write("plan.json", contact_plan(far).dump());
    const Json last_outduct{{"url", loopback_url("stcp", sink.port())}, {"nextHopNodeId", 2}};
    const Json last_induct{
        {"url", loopback_url("ltp", 0)},
        {"oneWayLightTimeMs", far.one_way_ms},
        {"oneWayMarginTimeMs", 1000},
        {"maxUnsettledBytes", far.window_bytes()},
        // Other peers may not have so many sessions.
        {"neighbours", Json::array({{{"nodeId", 10}, {"address", "127.0.0.1"}}})}};
    Json config = node_config(20, last_induct, last_outduct);
    config["contactPlanFile"] = "plan.json";
    NodeProgram last(folder, config, "last.json");
    LinkemuProgram link(udp_link(last.port(), far.profile()));
    Json first_outduct = far.outduct(link.port(), 20);
    first_outduct["bundlePipelineLimit"] = bundles;
    first_outduct["maxNumberOfBundlesInPipeline"] = bundles;
    config = node_config(10, {{"url", loopback_url("stcp", 0)}}, first_outduct);
    config["contactPlanFile"] = "plan.json";
    NodeProgram first(folder, config, "first.json");
    GeneratorProgram generator(loopback_url("stcp", first.port()),
                               {"--bundles", std::to_string(bundles), "--bundle-size", "400"});
    std::uint64_t most_open = 0;
    EXPECT_TRUE(first.wait_until(
        [&] {
            last.look();
            const std::uint64_t forwarded = first.value("egress_forwarded");
            most_open = std::max(most_open, first.value("ingress_received") - forwarded);
            return forwarded >= bundles;
        },
        60));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    sink.signal(SIGTERM);
    const Json report = sink.report();
    EXPECT_EQ(report["received"], bundles) << report;
    EXPECT_EQ(report["duplicates"], 0) << report;
    if (!kSanitized) {
        EXPECT_EQ(most_open, bundles) << "they were not all open at once";
    }
    std::cout << "matrix: " << most_open << " sessions open at once, the sender "
              << megabytes(first) << ", the receiver " << megabytes(last) << '\n'
              << std::flush;
    first.stop();
    last.stop();
}

}  // namespace
}  // namespace farlink::test::far_link_test
