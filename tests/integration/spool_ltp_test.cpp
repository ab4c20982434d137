// SPDX-License-Identifier: Apache-2.0
// Bundles larger than the memory of two nodes over LTP: segments are lost, and a node is killed in
// the midst. FARLINK_SPOOL_BYTES: the size, else 200 MB.
#include <cstdlib>

#include "tests/support/linkemu_program.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::spool_ltp_test {
namespace {

using Json = nlohmann::json;

std::uint64_t size_of_bundle() {
    const char *const wanted = std::getenv("FARLINK_SPOOL_BYTES");
    return wanted == nullptr ? 200'000'000 : std::stoull(wanted);
}
/// Of a process; code, stacks and queues are part of it.
constexpr std::uint64_t kMostMemory = 200'000'000;
/// A neighbour that is gone is lost after a second.
constexpr const char *kQuick = "?oneWayMarginTimeMs=100";

Json spooling_node(std::uint64_t number, std::uint16_t next_port, std::uint64_t next,
                   std::uint16_t port = 0) {
    return {{"myNodeId", number},
            {"inductsConfig", {{{"url", loopback_url("ltp", port)}, {"oneWayMarginTimeMs", 100}}}},
            {"outductsConfig",
             {{{"url", loopback_url("ltp", next_port)},
               {"nextHopNodeId", next},
               {"oneWayMarginTimeMs", 100},
               {"rateLimitBitsPerSec", 400'000'000},
               {"reconnectMinMilliseconds", 10},
               {"reconnectMaxMilliseconds", 100}}}},
            {"routing", {{"defaultGateway", next}}},
            {"bufferBytes", 64 << 20},
            {"storageConfig",
             {{"storeFilePath", "store" + std::to_string(number)},
              {"spoolAboveBytes", 4 << 20},
              {"totalStorageCapacityBytes", 3 * size_of_bundle() + (1ULL << 30)}}}};
}

std::vector<std::string> one_bundle() {
    return {"--bundles",
            "1",
            "--bundle-size",
            std::to_string(size_of_bundle()),
            "--acknowledge-timeout",
            "60"};
}

void expect_sent(GeneratorProgram &generator) {
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
}

/// The last report to the node before it may be lost, so the sink goes on until it is not needed.
void expect_arrived(SinkProgram &sink, NodeProgram &before) {
    EXPECT_TRUE(before.wait_until([&] { return before.value("egress_forwarded") == 1; }, 120));
    sink.signal(SIGTERM);
    const Json report = sink.report();
    EXPECT_EQ(report["received"], 1) << report;
    EXPECT_EQ(report["corrupt"], 0) << report;
}

void expect_empty(NodeProgram &node) {
    EXPECT_TRUE(kSanitized || node.peak_memory() < kMostMemory) << node.peak_memory();
    node.stop();
    EXPECT_EQ(node.value("storage_stored_now"), 0U) << node.counters();
}

TEST(SpoolOverLtp, PassesTwoNodesOverALinkWithLosses) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
    NodeProgram second(folder, spooling_node(20, sink.port(), 2), "second.json");
    LinkemuProgram link(udp_link(
        second.port(), {"--delay", "5ms", "--loss", "0.002", "--reorder", "0.002", "--seed", "7"}));
    NodeProgram first(folder, spooling_node(10, link.port(), 20), "first.json");
    GeneratorProgram generator(loopback_url("ltp", first.port(), kQuick), one_bundle());
    expect_sent(generator);
    expect_arrived(sink, second);
    expect_empty(first);
    expect_empty(second);
    EXPECT_GT(link.summary()["forth"]["lost"].get<int>(), 10);
}

// What was not acknowledged is sent again from its first octet.
TEST(SpoolOverLtp, SurvivesTheEndOfANode) {
    const TempFolder folder;
    SinkProgram sink(loopback_url("ltp", 0, kQuick), {});
    std::optional<NodeProgram> second;
    second.emplace(folder, spooling_node(20, sink.port(), 2), "second.json");
    const std::uint16_t port = second->port();
    NodeProgram first(folder, spooling_node(10, port, 20), "first.json");
    GeneratorProgram generator(loopback_url("ltp", first.port(), kQuick), one_bundle());
    EXPECT_TRUE(second->wait_until(
        [&] { return second->value("ingress_received_bytes") > size_of_bundle() / 4; }, 60));
    EXPECT_EQ(second->value("egress_forwarded"), 0U) << "it is killed within the bundle";
    second->signal(SIGKILL);
    (void)second->wait();
    second.emplace(folder, spooling_node(20, sink.port(), 2, port), "second.json");
    expect_sent(generator);
    expect_arrived(sink, *second);
    expect_empty(first);
    expect_empty(*second);
}

}  // namespace
}  // namespace farlink::test::spool_ltp_test
