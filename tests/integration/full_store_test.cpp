// SPDX-License-Identifier: Apache-2.0
// A node with a full store, or on a full file system, is stopped: its bundles are still stored when
// it starts again.
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/runtime/clock.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/tcp_peer.hpp"
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

/// Several generators that send by one induct.
class Generators {
public:
    Generators(std::uint16_t port, int count) {
        for (int each = 0; each < count; ++each)
            programs_.emplace_back(std::vector<std::string>{
                program("bpgen"), "--from", "ipn:" + std::to_string(100 + each) + ".1", "--to",
                "ipn:2.1", "--via", loopback_url("stcp", port), "--json", "--bundles", "100000",
                "--bundle-size", "20000"});
    }
    /// The bundles that the node's kernel has acknowledged.
    [[nodiscard]] std::uint64_t stop() {
        std::uint64_t acknowledged = 0;
        for (ChildProcess &generator : programs_) {
            generator.signal(SIGTERM);
            (void)generator.wait();
            const Json report = Json::parse(generator.line(ChildProcess::kOut), nullptr, false);
            acknowledged += report["acknowledgedBundles"].get<std::uint64_t>();
        }
        return acknowledged;
    }

private:
    std::deque<ChildProcess> programs_;
};

/// The kernels hold more for their sessions than the reserve of the node.
Json small_node_with_large_sockets(std::uint16_t next_hop) {
    return {{"myNodeId", 10},
            {"bufferBytes", 1 << 20},
            {"storageConfig", {{"storeFilePath", "store"}, {"segmentBytes", 65'536}}},
            {"inductsConfig",
             Json::array({{{"url", loopback_url("stcp", 0)}, {"socketBufferBytes", 1 << 20}}})},
            {"outductsConfig",
             Json::array({{{"url", loopback_url("stcp", next_hop)}, {"nextHopNodeId", 2}}})}};
}

TEST(FullStore, AnOrderlyStopTakesWhatTheKernelsHoldBeyondTheCapacity) {
    constexpr int kGenerators = 6;
    const ReservedPort next_hop;
    Json config = small_node_with_large_sockets(next_hop.number());
    config["storageConfig"]["totalStorageCapacityBytes"] = 2 << 20;
    const TempFolder folder;
    NodeProgram node(folder, config);
    Generators generators(node.port(), kGenerators);
    ASSERT_TRUE(node.wait_until([&] { return node.value("ingress_without_room") > 0; }));
    node.stop();
    const std::uint64_t acknowledged = generators.stop();
    EXPECT_EQ(node.unread(ChildProcess::kErr).find(" lost"), std::string::npos);
    EXPECT_GE(node.value("storage_stored_now") + kGenerators, acknowledged);
}

// Small bundles take more than twice the room on disk that they take in memory.
class FullFileSystem : public testing::Test {
protected:
    void SetUp() override {
        if (!disk_.usable()) GTEST_SKIP() << "no mount namespaces";
    }
    /// A node whose file system becomes full gets bundles until it receives no more, and stops. The
    /// result is how many of them its kernel has acknowledged.
    std::uint64_t fill_and_stop() {
        NodeProgram node(folder_, config_);
        GeneratorProgram generator(loopback_url("stcp", node.port()),
                                   {"--bundles", "5000000", "--bundle-size", "100"});
        std::uint64_t received = 0;
        int unchanged = 0;
        EXPECT_TRUE(node.wait_until([&] {
            const std::uint64_t now = node.value("ingress_received");
            unchanged = now > 0 && now == std::exchange(received, now) ? unchanged + 1 : 0;
            return unchanged > 2;
        }));
        EXPECT_GT(node.value("ingress_without_room"), 0U);
        node.stop();
        generator.signal(SIGTERM);
        (void)generator.wait();
        EXPECT_EQ(node.unread(ChildProcess::kErr).find(" lost"), std::string::npos);
        stored_ = node.value("storage_stored_now");
        return generator.report()["acknowledgedBundles"].get<std::uint64_t>();
    }
    [[nodiscard]] std::string printed_by(const std::string &command) const {
        ChildProcess child({program("farlinkctl"), command, "--socket", folder_ / "control"});
        (void)child.wait();  // not 0 while a critical alarm is active
        return child.unread(ChildProcess::kOut);
    }
    /// A node that starts on the full disk, without room for a reserve: no kernel may acknowledge
    /// what it could not keep.
    void start_full_and_stop() {
        NodeProgram node(folder_, config_);
        EXPECT_THROW((void)TcpPeer::connect(node.port()), std::runtime_error);
        node.take_output();
        EXPECT_NE(node.unread(ChildProcess::kErr)
                      .find("ready: node 10 listens on no address yet; it will listen on " +
                            loopback_url("stcp", node.port()) +
                            " when the reserve of the store is complete"),
                  std::string::npos)
            << node.unread(ChildProcess::kErr);
        GeneratorProgram generator(loopback_url("stcp", node.port()),
                                   {"--bundles", "300", "--connect-timeout", "1"});
        EXPECT_NE(generator.wait(), 0) << "it cannot connect";
        EXPECT_TRUE(node.wait_until(
            [&] { return printed_by("alarms").find("storage-full") != std::string::npos; }));
        EXPECT_NE(printed_by("status").find("degraded: storage full"), std::string::npos);
        const TimePoint begin = monotonic_now();
        node.stop();
        EXPECT_LT(monotonic_now() - begin, seconds(5)) << "nothing waits for room";
        EXPECT_EQ(node.value("ingress_received"), 0U);
        EXPECT_EQ(node.unread(ChildProcess::kErr).find(" lost"), std::string::npos);
        EXPECT_EQ(node.value("storage_stored_now"), stored_);
    }

    TempFolder folder_;
    SmallDisk disk_{folder_ / "store", 64 << 20};
    const ReservedPort next_hop_;
    Json config_{
        {"myNodeId", 10},
        {"bufferBytes", 16 << 20},
        {"controlSocket", "control"},
        {"storageConfig", {{"storeFilePath", "store"}, {"segmentBytes", 1 << 20}}},
        {"inductsConfig", Json::array({{{"url", loopback_url("stcp", 0)}}})},
        {"outductsConfig",
         Json::array({{{"url", loopback_url("stcp", next_hop_.number())}, {"nextHopNodeId", 2}}})}};
    std::uint64_t stored_ = 0;
};

TEST_F(FullFileSystem, AnOrderlyStopLosesNoBundle) {
    const std::uint64_t acknowledged = fill_and_stop();
    EXPECT_GE(stored_ + 1, acknowledged);
    start_full_and_stop();
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
    EXPECT_GE(sink.report()["received"].get<std::uint64_t>() + 1, acknowledged + 100);
}

// What the kernels hold has no room on this disk; to wait would not change that.
TEST(FullSmallDisk, AStopThatCannotStoreEverythingIsShort) {
    const TempFolder folder;
    const SmallDisk disk(folder / "store", 8 << 20);
    if (!disk.usable()) GTEST_SKIP() << "no mount namespaces";
    const ReservedPort next_hop;
    NodeProgram node(folder, small_node_with_large_sockets(next_hop.number()));
    Generators generators(node.port(), 12);
    ASSERT_TRUE(node.wait_until([&] { return node.value("ingress_without_room") > 0; }));
    const TimePoint begin = monotonic_now();
    node.stop();
    EXPECT_LT(monotonic_now() - begin, seconds(6));
    EXPECT_NE(node.unread(ChildProcess::kErr).find(" bytes unread from "), std::string::npos);
    (void)generators.stop();
}

}  // namespace
}  // namespace farlink::test::full_store_test
