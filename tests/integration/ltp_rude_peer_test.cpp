// SPDX-License-Identifier: Apache-2.0
// A node with the default settings of LTP beside a peer with ION's deviations: it answers from
// another port, keeps 32 bits of numbers, appends octets to its reports, and has a small buffer.
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "common/runtime/clock.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/rude_ltp.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test_bundle.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::ltp_rude_peer_test {
namespace {

using Json = nlohmann::json;

class LtpBesideARudePeer : public testing::Test {
protected:
    /// Node 10, whose LTP induct has a reserved port. The peer is node 2.
    LtpBesideARudePeer() { peer.send_to({boost::asio::ip::address_v4::loopback(), port.number()}); }
    [[nodiscard]] Json node_config(const Json &outducts) const {
        return {{"myNodeId", 10},
                {"controlSocket", "control"},
                {"storageConfig", {{"storeFilePath", "store"}}},
                {"inductsConfig", Json::array({{{"url", loopback_url("ltp", port.number())}},
                                               {{"url", loopback_url("stcp", 0)}}})},
                {"outductsConfig", outducts}};
    }
    [[nodiscard]] Json towards_peer() const {
        return {{"url", loopback_url("ltp", peer.port())},
                {"nextHopNodeId", 2},
                {"ltpSenderBoundPort", port.number()}};
    }
    /// Runs the peer until `done`; false at the limit.
    template <class Done>
    [[nodiscard]] bool work_until(NodeProgram &node, Done done) {
        const TimePoint begin = monotonic_now();
        while (!done()) {
            if (monotonic_now() - begin > seconds(40)) return false;
            peer.work();
            node.look();
            io.restart();
            io.run_one_for(milliseconds(1));
        }
        return true;
    }
    /// Requests of node 2 to the echo service of node 10, and their replies.
    void request_echoes(std::uint64_t count) {
        for (std::uint64_t number = 1; number <= count; ++number) {
            TestBundle request;
            request.to = bp::ipn_eid(10, 2047);
            request.from = request.report_to = bp::ipn_eid(2, 1);
            request.created_ms = read_wall_clock().dtn_ms;
            request.sequence = number;
            EXPECT_TRUE(
                peer.side.send(number, request.octets(), ~std::uint64_t{0}, monotonic_now()));
        }
    }
    [[nodiscard]] Json control(const TempFolder &folder, std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", folder / "node.json", "--json"});
        ChildProcess child(std::move(words));
        EXPECT_EQ(child.wait(), 0);
        return Json::parse(child.unread(ChildProcess::kOut), nullptr, false);
    }
    /// Bundles both ways, each once.
    void exchange(NodeProgram &node) {
        GeneratorProgram generator(loopback_url("stcp", node.port(1)),
                                   {"--bundles", "20", "--bundle-size", "5000"});
        request_echoes(10);
        EXPECT_TRUE(work_until(
            node,
            [&] {
                return peer.side.blocks.size() >= 30 && peer.side.delivered.size() == 10 &&
                       node.value("egress_forwarded") + node.value("ingress_forwarded") >= 30;
            }))
            << peer.side.blocks.size() << ' ' << peer.side.delivered.size() << node.counters();
        EXPECT_EQ(generator.wait(), 0);
        EXPECT_EQ(peer.side.blocks.size(), 30U) << "each once";
        EXPECT_TRUE(peer.side.cancelled.empty());
    }

    const ReservedPort port{SOCK_DGRAM};
    boost::asio::io_context io;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
        io.get_executor()};
    RudeLtp peer{io, 2, 10};
};

TEST_F(LtpBesideARudePeer, BundlesGoBothWaysByOnePort) {
    const TempFolder folder;
    NodeProgram node(folder, node_config(Json::array({towards_peer()})));
    exchange(node);
    node.stop();
}

TEST_F(LtpBesideARudePeer, AnOutductByTheInductsPortIsAddedAndRemovedWhileTheNodeRuns) {
    const TempFolder folder;
    folder.write("link.json", towards_peer().dump());
    NodeProgram node(folder, node_config(Json::array()));
    const Json added = control(folder, {"link", "add", "outduct", folder / "link.json"});
    EXPECT_EQ(added["link"]["neighbour"], 2) << added;
    exchange(node);
    const std::string number = std::to_string(added["link"]["link"].get<int>());
    EXPECT_EQ(control(folder, {"link", "remove", number})["link"]["direction"], "outduct");
    GeneratorProgram more(loopback_url("stcp", node.port(1)), {"--bundles", "5"});
    EXPECT_TRUE(work_until(node, [&] { return node.value("storage_stored_now") >= 5; }))
        << node.counters();
    EXPECT_EQ(more.wait(), 0);
    EXPECT_EQ(peer.side.blocks.size(), 30U) << "there is no way to it any more";
    EXPECT_FALSE(control(folder, {"link", "add", "outduct", folder / "link.json"}).is_null());
    EXPECT_TRUE(work_until(node, [&] { return peer.side.blocks.size() >= 35; })) << node.counters();
    node.stop();
}

TEST_F(LtpBesideARudePeer, AConfiguredOutductIsRemovedAndAddedByItsNumber) {
    const TempFolder folder;
    folder.write("link.json", towards_peer().dump());
    NodeProgram node(folder, node_config(Json::array({towards_peer()})));
    const Json carried = control(folder, {"status"})["carriedOutducts"];
    ASSERT_EQ(carried.size(), 1U) << carried;
    EXPECT_EQ(carried[0]["carrier"], 0);
    EXPECT_EQ(carried[0]["configured"], true);
    const std::string number = std::to_string(carried[0]["link"].get<int>());
    exchange(node);
    EXPECT_EQ(control(folder, {"link", "remove", number})["link"]["neighbour"], 2);
    EXPECT_TRUE(control(folder, {"status"})["carriedOutducts"].empty());
    GeneratorProgram more(loopback_url("stcp", node.port(1)), {"--bundles", "5"});
    EXPECT_TRUE(work_until(node, [&] { return node.value("storage_stored_now") >= 5; }))
        << node.counters();
    EXPECT_EQ(more.wait(), 0);
    EXPECT_EQ(peer.side.blocks.size(), 30U) << "there is no way to it any more";
    const Json again =
        control(folder, {"link", "add", "outduct", folder / "link.json", "--link", number});
    EXPECT_EQ(std::to_string(again["link"]["link"].get<int>()), number);
    EXPECT_TRUE(work_until(node, [&] { return peer.side.blocks.size() >= 35; })) << node.counters();
    node.stop();
}

// It reads fast, and its kernel buffers about ninety datagrams.
TEST_F(LtpBesideARudePeer, LargeBundlesArriveAlthoughItsBufferIsSmall) {
    peer.set_receive_buffer(65'000);
    const TempFolder folder;
    NodeProgram node(folder, node_config(Json::array({towards_peer()})));
    for (const std::size_t size : {1'000'000U, 10'000'000U}) {
        const std::size_t before = peer.side.blocks.size();
        const std::uint64_t datagrams = peer.datagrams;
        GeneratorProgram generator(loopback_url("stcp", node.port(1)),
                                   {"--bundles", "1", "--bundle-size", std::to_string(size)});
        EXPECT_TRUE(work_until(node, [&] { return peer.side.blocks.size() > before; }))
            << size << node.counters();
        EXPECT_EQ(generator.wait(), 0);
        EXPECT_GE(peer.datagrams - datagrams, size / 1360);
    }
    EXPECT_EQ(peer.side.blocks.size(), 2U);
    node.stop();
}

}  // namespace
}  // namespace farlink::test::ltp_rude_peer_test
