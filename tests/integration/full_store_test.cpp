// SPDX-License-Identifier: Apache-2.0
// A node with a full store, or on a full file system, is stopped: its bundles are still stored when
// it starts again.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/small_disk.hpp"
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

// Small bundles take more than twice the room on disk that they take in memory.
class FullFileSystem : public testing::Test {
protected:
    void SetUp() override {
        if (!disk_.usable()) GTEST_SKIP() << "no mount namespaces";
    }
    /// A node whose file system becomes full, or is full, gets bundles until it receives no more,
    /// and stops. The result is how many of them its kernel has acknowledged.
    std::uint64_t fill_and_stop(bool full) {
        NodeProgram node(folder_, config_);
        GeneratorProgram generator(loopback_url("stcp", node.port()),
                                   {"--bundles", "5000000", "--bundle-size", "100"});
        std::uint64_t received = 0;
        int unchanged = 0;
        EXPECT_TRUE(node.wait_until([&] {
            const std::uint64_t now = node.value("ingress_received");
            unchanged =
                (full || now > 0) && now == std::exchange(received, now) ? unchanged + 1 : 0;
            return unchanged > 2;
        }));
        EXPECT_EQ(received == 0, full) << "what is not safe on disk is not taken";
        EXPECT_EQ(node.value("ingress_without_room") == 0, full);
        node.stop();
        generator.signal(SIGTERM);
        (void)generator.wait();
        EXPECT_EQ(node.unread(ChildProcess::kErr).find(" lost"), std::string::npos);
        stored_ = node.value("storage_stored_now");
        return generator.report()["acknowledgedBundles"].get<std::uint64_t>();
    }

    TempFolder folder_;
    SmallDisk disk_{folder_ / "store", 64 << 20};
    const ReservedPort next_hop_;
    Json config_{
        {"myNodeId", 10},
        {"bufferBytes", 16 << 20},
        {"storageConfig", {{"storeFilePath", "store"}, {"segmentBytes", 1 << 20}}},
        {"inductsConfig", Json::array({{{"url", loopback_url("stcp", 0)}}})},
        {"outductsConfig",
         Json::array({{{"url", loopback_url("stcp", next_hop_.number())}, {"nextHopNodeId", 2}}})}};
    std::uint64_t stored_ = 0;
};

TEST_F(FullFileSystem, AnOrderlyStopLosesNoBundle) {
    std::uint64_t acknowledged = fill_and_stop(false);
    EXPECT_GE(stored_ + 1, acknowledged);
    // The second run starts on the full disk, without room for a reserve.
    acknowledged += fill_and_stop(true);
    EXPECT_GE(stored_ + 2, acknowledged);
    SinkProgram sink(loopback_url("stcp", next_hop_.number()), {});
    NodeProgram node(folder_, config_);
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_stored_now") == 0; }));
    GeneratorProgram generator(loopback_url("stcp", node.port()), {"--bundles", "100"});
    EXPECT_EQ(generator.wait(), 0) << "with room for the reserve bundles are received";
    EXPECT_TRUE(node.wait_until([&] {
        return node.value("ingress_received") == 100 && node.value("ingress_in_flight") == 0 &&
               node.value("storage_stored_now") == 0;
    }));
    node.stop();
    sink.signal(SIGTERM);
    EXPECT_GE(sink.report()["received"].get<std::uint64_t>() + 2, acknowledged + 100);
}

}  // namespace
}  // namespace farlink::test::full_store_test
