// SPDX-License-Identifier: Apache-2.0
// A node without room, and a peer that does not handle refusals: after five of them in a session it
// stops sending for good, like another DTN router. `onNoResources` decides what the node does.
#include <gtest/gtest.h>

#include "tests/support/hand_sender.hpp"
#include "tests/support/hand_sink.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::no_resources_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kNextHop = 2;
/// Transfers that the peer has in flight, and refusals that it tolerates in a session.
constexpr std::uint64_t kWindow = 5;
constexpr std::uint64_t kFreezesAfter = 5;

class NoResources : public testing::Test {
protected:
    void begin(const char *on_no_resources, std::uint64_t max_unsettled_bytes = 64 << 20) {
        const Json config{
            {"myNodeId", 10},
            {"storageConfig",
             {{"storeFilePath", "store"},
              {"totalStorageCapacityBytes", 4 * 1024 * 1024},
              {"segmentBytes", 1024 * 1024}}},
            {"inductsConfig", Json::array({{{"url", loopback_url("tcpclv4", 0)},
                                            {"onNoResources", on_no_resources},
                                            {"maxUnsettledBytes", max_unsettled_bytes}}})},
            {"outductsConfig", Json::array({{{"url", loopback_url("tcpclv4", sink.port())},
                                             {"nextHopNodeId", kNextHop},
                                             {"reconnectMaxMilliseconds", 100}}})}};
        node.emplace(folder, config);
        sender.set_window(kWindow);
        sender.freeze_after(kFreezesAfter);
        ASSERT_TRUE(sender.connect(node->port()));
    }
    /// Runs the peers, which connect again when their session has ended; false at the limit.
    template <class Done>
    bool run_until(Done done, seconds limit) {
        constexpr int kTickMs = 20;
        const TimePoint give_up = monotonic_now() + limit;
        while (!done()) {
            if (monotonic_now() >= give_up) return false;
            if (!sender.connected()) {
                ++reconnects;
                if (!sender.connect(node->port())) return false;
            }
            std::vector<pollfd> polled;
            if (!sender.frozen()) polled.push_back({sender.fd(), sender.events(), 0});
            sink.add_descriptors(polled);
            (void)::poll(polled.data(), polled.size(), kTickMs);
            sender.step();
            sink.step();
            node->look();
        }
        return true;
    }
    /// The next hop connects, and gets all bundles of the peer.
    void expect_recovery() {
        sender.set_making(false);
        sink.come();
        EXPECT_TRUE(run_until([this] { return sender.done() && book.waiting() == 0; }, seconds(40)))
            << book.acknowledged() << " of " << book.made() << ", " << book.waiting() << " missing";
        EXPECT_EQ(book.delivered(), book.made());
        EXPECT_EQ(book.faults(), "");
        node->stop();
    }
    /// No bundle has been acknowledged for a while, although the peer sends.
    [[nodiscard]] bool is_full() {
        const std::uint64_t now = node->value("ingress_received") + book.acknowledged();
        still_ = now == seen_ ? still_ + 1 : 0;
        seen_ = now;
        return node->value("storage_refused") > 0 && still_ > 20;
    }

    TempFolder folder;
    CrashBook book{entropy_seed(), kNextHop, kNextHop, 1};
    HandSender sender{book, entropy_seed()};
    HandSink sink{book, kNextHop, true};
    std::optional<NodeProgram> node;
    std::uint64_t reconnects = 0;

private:
    std::uint64_t seen_ = 0;
    int still_ = 0;
};

TEST_F(NoResources, APausedPeerContinuesWhenThereIsRoomAgain) {
    begin("pause");
    ASSERT_TRUE(run_until([this] { return is_full(); }, seconds(40))) << node->counters();
    expect_recovery();
    EXPECT_EQ(sender.refusals(), 0U);
    EXPECT_EQ(reconnects, 0U);
}

// A peer whose window is larger is refused beyond the limit, and the operator sees it.
TEST_F(NoResources, APausedPeerWithALargeWindowIsRefusedBeyondTheLimit) {
    constexpr std::uint64_t kLimit = 1024 * 1024;
    constexpr std::uint64_t kLargestBundle = 3'100'000;
    begin("pause", kLimit);
    sender.set_window(200);
    sender.freeze_after(0);
    std::uint64_t most = 0;
    ASSERT_TRUE(run_until(
        [&] {
            if (node->value("storage_refused") > 0)
                most = std::max(most, node->value("ingress_in_flight_bytes"));
            return node->value("ingress_refused_unread") >= 20 && sender.refusals() >= 20;
        },
        seconds(40)))
        << node->counters();
    EXPECT_LE(most, kLimit + kLargestBundle);
    EXPECT_GT(node->counters().at("links").at(0).value("refused", 0), 0) << node->counters();
    expect_recovery();
    EXPECT_EQ(reconnects, 0U);
    EXPECT_NE(node->unread(NodeProgram::kErr).find("for lack of memory"), std::string::npos);
}

TEST_F(NoResources, ADisconnectedPeerReconnectsAndContinues) {
    begin("disconnect");
    ASSERT_TRUE(run_until([this] { return reconnects >= 3; }, seconds(40))) << node->counters();
    expect_recovery();
    EXPECT_EQ(sender.refusals(), 0U);
    EXPECT_GT(node->value("ingress_link_fault_no_room"), 0U) << node->counters();
}

// What the log says of it after a minute of silence is in the test of the ingress agent.
TEST_F(NoResources, RefusedItStandsStillAndLosesNothingThatWasAcknowledged) {
    begin("refuse");
    ASSERT_TRUE(run_until([this] { return sender.frozen(); }, seconds(40))) << node->counters();
    sink.come();
    EXPECT_TRUE(run_until([this] { return book.waiting() == 0; }, seconds(40)))
        << book.waiting() << " missing";
    node->stop();
}

}  // namespace
}  // namespace farlink::test::no_resources_test
