// SPDX-License-Identifier: Apache-2.0
// Bundles larger than the memory of two nodes, from bpgen to bpsink: the contact between the nodes
// ends in the midst, and a node is killed. FARLINK_SPOOL_BYTES: the size, else 200 MB.
#include <cstdlib>

#include "tests/support/cutting_proxy.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::spool_test {
namespace {

using Json = nlohmann::json;

std::uint64_t bundle_bytes() {
    const char *const wanted = std::getenv("FARLINK_SPOOL_BYTES");
    return wanted == nullptr ? 200'000'000 : std::stoull(wanted);
}
/// Of a process; code, stacks and queues are part of it.
constexpr std::uint64_t kMostMemory = 200'000'000;

Json config(std::uint64_t number, const std::string &scheme, std::uint16_t next_port,
            std::uint64_t next) {
    return {{"myNodeId", number},
            {"inductsConfig", {{{"url", loopback_url(scheme, 0)}}}},
            {"outductsConfig",
             {{{"url", loopback_url(scheme, next_port)},
               {"nextHopNodeId", next},
               {"reconnectMaxMilliseconds", 100}}}},
            {"routing", {{"defaultGateway", next}}},
            {"bufferBytes", 64 << 20},
            {"storageConfig",
             {{"storeFilePath", "store" + std::to_string(number)},
              {"totalStorageCapacityBytes", 3 * bundle_bytes() + (1ULL << 30)}}}};
}

class Spool : public testing::TestWithParam<const char *> {
protected:
    std::vector<std::string> sink_options() { return {"--until-complete", "--idle-exit", "120"}; }
    static std::vector<std::string> one_bundle() {
        return {"--bundles", "1", "--bundle-size", std::to_string(bundle_bytes())};
    }
    static void expect_arrived(SinkProgram &sink) {
        EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
        const Json report = sink.report();
        EXPECT_TRUE(report["ok"]) << report;
        EXPECT_EQ(report["received"], 1) << report;
    }
    static void expect_window_only(const NodeProgram &node) {
        EXPECT_TRUE(kSanitized || node.peak_memory() < kMostMemory) << node.peak_memory();
    }

    const std::string scheme = GetParam();
    const TempFolder folder;
};

TEST_P(Spool, PassesTwoNodesWhoseContactEndsTwice) {
    SinkProgram sink(loopback_url(scheme, 0), sink_options());
    NodeProgram second(folder, config(20, scheme, sink.port(), 2), "second.json");
    CuttingProxy proxy(second.port(), 7, 2, bundle_bytes());
    NodeProgram first(folder, config(10, scheme, proxy.port(), 20), "first.json");
    GeneratorProgram generator(loopback_url(scheme, first.port()), one_bundle());
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    expect_arrived(sink);
    for (NodeProgram *node : {&first, &second}) {
        expect_window_only(*node);
        node->stop();
        EXPECT_EQ(node->value("egress_forwarded"), 1U) << node->counters();
        EXPECT_EQ(node->value("storage_stored_now"), 0U) << node->counters();
    }
    EXPECT_GE(second.value("ingress_deleted_broken_off"), 1U) << second.counters();
}

// What was not acknowledged is sent again, what was is there.
TEST_P(Spool, SurvivesTheEndOfANode) {
    if (scheme == "stcp") GTEST_SKIP() << "it has no acknowledgements";
    SinkProgram sink(loopback_url(scheme, 0), sink_options());
    const std::uint16_t sink_port = sink.port();
    Json again = config(10, scheme, sink_port, 2);
    {
        NodeProgram node(folder, again, "node.json");
        again["inductsConfig"][0]["url"] = loopback_url(scheme, node.port());
        // The node is killed within the bundle, however fast it is.
        CuttingProxy proxy(node.port(),
                           [] { return std::make_unique<LoseAfterOctets>(bundle_bytes() / 2); });
        GeneratorProgram cut(loopback_url(scheme, proxy.port()), one_bundle());
        EXPECT_TRUE(node.wait_until(
            [&] { return node.value("ingress_received_bytes") > bundle_bytes() / 4; }));
        node.signal(SIGKILL);
        (void)node.wait();
        cut.signal(SIGKILL);
        (void)cut.wait();
    }
    NodeProgram node(folder, again, "node.json");
    GeneratorProgram generator(loopback_url(scheme, node.port()), one_bundle());
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    expect_arrived(sink);
    node.stop();
    EXPECT_EQ(node.value("storage_stored_now"), 0U) << node.counters();
}

INSTANTIATE_TEST_SUITE_P(Layers, Spool, testing::Values("tcpclv4", "tcpclv3", "stcp"),
                         [](const auto &layer) { return std::string(layer.param); });

}  // namespace
}  // namespace farlink::test::spool_test
