// SPDX-License-Identifier: Apache-2.0
// A node with a full store is stopped: its bundles are still stored when it starts again.
#include <gtest/gtest.h>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::full_store_test {
namespace {

using Json = nlohmann::json;

// The generator counts bundles that the node's kernel has acknowledged: STCP has no other answers.
TEST(FullStore, AnOrderlyStopLosesNoBundle) {
    const ReservedPort next_hop;
    const Json config{
        {"myNodeId", 10},
        {"bufferBytes", 16 * 1024 * 1024},
        {"storageConfig",
         {{"storeFilePath", "store"},
          {"totalStorageCapacityBytes", 1024 * 1024},
          {"segmentBytes", 65'536}}},
        {"inductsConfig", Json::array({{{"url", loopback_url("stcp", 0)}}})},
        {"outductsConfig",
         Json::array({{{"url", loopback_url("stcp", next_hop.number())}, {"nextHopNodeId", 2}}})}};
    const TempFolder folder;
    std::uint64_t acknowledged = 0;
    {
        NodeProgram node(folder, config);
        GeneratorProgram generator(loopback_url("stcp", node.port()),
                                   {"--bundles", "100000", "--bundle-size", "2000"});
        ASSERT_TRUE(node.wait_until([&] {
            return node.value("ingress_without_room") > 1000 && node.value("ingress_pauses") > 0;
        }));
        node.stop();
        generator.signal(SIGTERM);
        (void)generator.wait();
        acknowledged = generator.report()["acknowledgedBundles"].get<std::uint64_t>();
        EXPECT_EQ(node.unread(ChildProcess::kErr).find(" lost: "), std::string::npos);
        EXPECT_GE(node.value("storage_stored_now") + 1, acknowledged);
    }
    EXPECT_GT(acknowledged, 1000U);
    SinkProgram sink(loopback_url("stcp", next_hop.number()), {});
    NodeProgram node(folder, config);
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_stored_now") == 0; }));
    sink.signal(SIGTERM);
    EXPECT_GE(sink.report()["received"].get<std::uint64_t>() + 1, acknowledged);
    node.stop();
}

}  // namespace
}  // namespace farlink::test::full_store_test
