// SPDX-License-Identifier: Apache-2.0
// A whole node beside peers with the deviations of other routers: writes in small pieces with
// Nagle's algorithm on, fragments without block numbers, records that share one identity.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/bp/parse.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/bundle.hpp"
#include "tests/support/caller.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/support/hand_sink.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/rude_nagle_sender.hpp"
#include "tests/support/tcpcl_words.hpp"

namespace farlink::test::rude_neighbours_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kNextHop = 2;

Json node_config(const std::string &in, const std::string &out, std::uint16_t out_port) {
    return {{"myNodeId", 10},
            {"storageConfig", {{"storeFilePath", "store"}}},
            {"inductsConfig", Json::array({{{"url", loopback_url(in, 0)}}})},
            {"outductsConfig", Json::array({{{"url", loopback_url(out, out_port)},
                                             {"nextHopNodeId", kNextHop},
                                             {"reconnectMaxMilliseconds", 100}}})}};
}

/// Waits briefly until one of these is readable.
void wait_for_any(std::initializer_list<int> descriptors) {
    constexpr int kMs = 20;
    std::vector<pollfd> polled;
    for (const int fd : descriptors) polled.push_back({fd, POLLIN, 0});
    (void)::poll(polled.data(), polled.size(), kMs);
}

// ---- small pieces

class RudeNagleNode : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Layers, RudeNagleNode, testing::Values("tcpclv4", "tcpclv3"));

// A sender without Nagle's algorithm is the reference: it sends the same bundles at the same time.
// Where the kernel delays acknowledgements of the pieces, the reference sends forty times as many.
TEST_P(RudeNagleNode, DoesNotWaitForDelayedAcknowledgements) {
    constexpr std::uint64_t kBundles = 3000;
    SinkProgram sink(loopback_url("stcp", 0), {});
    const TempFolder folder;
    NodeProgram node(folder, node_config(GetParam(), "stcp", sink.port()));
    const bool v3 = GetParam() == std::string("tcpclv3");
    const auto bundles_of = [created = read_wall_clock().dtn_ms](std::uint64_t source) {
        return [source, created](std::uint64_t number) {
            TestBundle bundle;
            bundle.from = bp::ipn_eid(source, 1);
            bundle.created_ms = created;
            bundle.sequence = number;
            bundle.payload_bytes = 100;
            return bundle.octets();
        };
    };
    RudeNagleSender polite(node.port(), kBundles, bundles_of(77), {.v3 = v3, .with_manners = true});
    RudeNagleSender rude(node.port(), kBundles, bundles_of(78), {.v3 = v3});
    const TimePoint give_up = monotonic_now() + seconds(50);
    const auto pump = [&] {
        const bool polite_is_done = polite.pump();
        const bool rude_is_done = rude.pump();
        wait_for_any({polite.fd(), rude.fd()});
        return std::pair{polite_is_done, rude_is_done};
    };
    while (!pump().first) ASSERT_LT(monotonic_now(), give_up) << polite.acknowledged();
    EXPECT_GT(rude.acknowledged(), kBundles / 8);
    RecordProperty("rude_meanwhile", std::to_string(rude.acknowledged()));
    while (!pump().second) ASSERT_LT(monotonic_now(), give_up) << rude.acknowledged();
    node.stop();
    RecordProperty("stored", std::to_string(node.value("storage_stored_total")));
    EXPECT_EQ(node.value("ingress_received"), 2 * kBundles);
}

// ---- the content of bundles

/// The next hop by STCP: it records the octets of each bundle. It listens from its construction on.
class PlainSink {
public:
    [[nodiscard]] std::uint16_t port() const { return port_.number(); }
    void come() { listener_.emplace(port()); }
    /// The bundles received so far.
    const std::vector<Bytes> &take() {
        if (auto peer = listener_->accept()) peers_.push_back(std::move(*peer));
        for (TcpPeer &peer : peers_) append(stream_, peer.receive());
        for (Bytes &bundle : take_frames(stream_)) bundles_.push_back(std::move(bundle));
        return bundles_;
    }
    bool handle_link() {
        const TimePoint give_up = monotonic_now() + seconds(20);
        while (take().empty() && peers_.empty() && monotonic_now() < give_up)
            wait_for_any({listener_->fd()});
        return !peers_.empty();
    }
    bool handle(std::size_t bundles) {
        const TimePoint give_up = monotonic_now() + seconds(20);
        while (take().size() < bundles && monotonic_now() < give_up)
            wait_for_any({peers_.empty() ? listener_->fd() : peers_.back().fd()});
        return bundles_.size() >= bundles;
    }
    /// Closes the connection, so that the node does not wait for its end.
    void leave() { peers_.clear(); }

private:
    ReservedPort port_;
    std::optional<TcpListener> listener_;
    std::vector<TcpPeer> peers_;
    Bytes stream_;
    std::vector<Bytes> bundles_;
};

/// A fragment as ION makes it: each extension block has block number 0.
Bytes ion_fragment(DtnTime created) {
    bp::v7::PrimaryFields primary;
    primary.flags = bp::v7::kIsFragment;
    primary.destination = bp::ipn_eid(kNextHop, 1);
    primary.source = bp::ipn_eid(77, 1);
    primary.creation_time_ms = created;
    primary.sequence = 1;
    primary.lifetime_ms = 3'600'000;
    primary.fragment_offset = 40;
    primary.total_adu_length = 100;
    using bp::v7::CrcType;
    bp::v7::Builder builder(primary);
    builder.add_block(bp::v7::kPreviousNodeBlock, 0, 0, CrcType::kCrc16, from_hex("820282184d00"));
    builder.add_block(bp::v7::kBundleAgeBlock, 0, 0, CrcType::kCrc16, Bytes{0x05});
    builder.add_block(200, 0, bp::v7::kReplicateBlock, CrcType::kNone, Bytes{0x08});
    return std::move(builder).finish(octets_of(20, 1));
}

/// The convergence layer, and whether the bundles are stored before they are forwarded.
using RudeCase = std::tuple<const char *, bool>;

class RudeBundles : public testing::TestWithParam<RudeCase> {
protected:
    [[nodiscard]] bool v3() const { return std::get<0>(GetParam()) == std::string("tcpclv3"); }
    [[nodiscard]] static bool stored() { return std::get<1>(GetParam()); }
    void SetUp() override {
        if (stored()) return;
        sink.come();
        ASSERT_TRUE(sink.handle_link());
    }
    [[nodiscard]] std::string words() const {
        return v3() ? tcpclv3_words(peer.received()) : tcpclv4_words(peer.received());
    }
    bool handles(const std::string &wanted) {
        const bool so = peer.handle_until([&](ByteView) { return words() == wanted; });
        EXPECT_EQ(words(), wanted);
        return so;
    }
    void say(const Bytes &bundle) {
        constexpr unsigned kStartAndEnd = 3;
        const Bytes head = v3() ? v3::segment_head(kStartAndEnd, bundle.size())
                                : v4::segment_head(kStartAndEnd, next_++, bundle.size());
        EXPECT_TRUE(peer.say(head + bundle));
    }
    [[nodiscard]] bool log_has(const std::string &words) const {
        return node.unread(ChildProcess::kErr).find(words) != std::string::npos;
    }

    const TempFolder folder;
    PlainSink sink;
    NodeProgram node{folder, node_config(std::get<0>(GetParam()), "stcp", sink.port())};
    Caller peer{node.port()};
    DtnTime now = read_wall_clock().dtn_ms;

private:
    std::uint64_t next_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Layers, RudeBundles,
                         testing::Combine(testing::Values("tcpclv4", "tcpclv3"), testing::Bool()));

// Between the fragment and a valid bundle is a damaged bundle in a valid frame.
TEST_P(RudeBundles, WithoutBlockNumbersAreAcceptedAndMalformedOnesEndNoSession) {
    TestBundle good;
    good.from = bp::ipn_eid(77, 1);
    good.created_ms = now;
    good.sequence = 3;
    Bytes damaged = good.octets();
    damaged[damaged.size() - 10] ^= 0x55;  // of the payload
    ASSERT_TRUE(peer.say(v3() ? v3::contact() : v4::opening()));
    const std::string open = v3() ? "CONTACT" : "CONTACT SESS_INIT";
    ASSERT_TRUE(handles(open));
    say(ion_fragment(now));
    say(damaged);
    say(good.octets());
    const std::string ack = v3() ? " ACK_SEGMENT" : " XFER_ACK(3)";
    EXPECT_TRUE(handles(open + ack + (v3() ? " REFUSE_BUNDLE(0)" : " XFER_REFUSE(4)") + ack));
    EXPECT_FALSE(peer.ended());

    if (stored()) sink.come();
    ASSERT_TRUE(sink.handle(2));
    const auto fragment = bp::v7::decode(sink.take()[0]);
    ASSERT_TRUE(fragment);
    EXPECT_EQ(fragment->fragment_offset, 40U);
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> types;
    for (const auto &block : fragment->blocks) {
        numbers.push_back(block.number);
        types.push_back(block.type);
    }
    std::ranges::sort(numbers);
    std::ranges::sort(types);
    // A node that has just started may not have the routes of its neighbours yet.
    std::erase(types, bp::v7::kHopCountBlock);
    EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end()) << "one number twice";
    EXPECT_EQ(numbers.front(), 1U) << "only the primary block is 0";
    EXPECT_EQ(types, (std::vector<std::uint64_t>{1, 6, 7, 200}));
    const auto second = bp::v7::decode(sink.take()[1]);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->sequence, good.sequence);

    peer.half_close();
    EXPECT_TRUE(peer.handle_end());
    sink.leave();
    node.stop();
    EXPECT_EQ(node.value("ingress_departure_unnumbered_blocks"), 1U) << node.counters();
    EXPECT_TRUE(
        log_has("deleted a bundle received from ipn:77.0: the CRC of a block does not match"))
        << node.unread(ChildProcess::kErr);
}

// ---- records

/// A custodian by STCP whose signals all have the same creation time and sequence number.
TEST(RudeCustodian, SignalsThatShareAnIdentityAllCount) {
    constexpr std::uint64_t kBundles = 200;
    PlainSink custodian;
    custodian.come();
    const TempFolder folder;
    Json config = node_config("stcp", "stcp", custodian.port());
    config["retransmitBundleAfterNoCustodySignalMilliseconds"] = 60'000;
    NodeProgram node(folder, config);
    CustodyBundle bundle;
    bundle.to = bp::ipn_eid(kNextHop, 1);
    bundle.from = bp::ipn_eid(77, 1);
    bundle.custodian = bp::ipn_eid(77, 0);
    bundle.created_s = read_wall_clock().dtn_ms / bp::v6::kMsPerSecond;
    Bytes frames;
    for (bundle.sequence = 0; bundle.sequence < kBundles; ++bundle.sequence)
        append_frame(frames, bundle.octets());
    Caller source(node.port());
    ASSERT_TRUE(source.say(frames));
    ASSERT_TRUE(custodian.handle(kBundles));

    bp::v6::PrimaryFields primary;
    primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord;
    primary.destination = bp::ipn_eid(10, 0);
    primary.source = bp::ipn_eid(kNextHop, 0);
    primary.creation_time_s = bundle.created_s;
    primary.lifetime_s = 3600;
    Bytes signals;
    for (const Bytes &octets : custodian.take()) {
        const ByteView whole = octets;
        const auto view = bp::parse({&whole, 1});
        ASSERT_TRUE(view);
        bundle.sequence = view->sequence;
        bp::v6::Builder builder(primary);
        builder.add_block(bp::v6::kPayloadBlock, 0, encode(bundle.signal(true)));
        append_frame(signals, std::move(builder).finish());
    }
    Caller answers(node.port());
    ASSERT_TRUE(answers.say(signals));
    EXPECT_TRUE(
        node.wait_until([&] { return node.value("storage_custody_released") == kBundles; }));
    EXPECT_EQ(node.value("storage_custody_held"), 0U) << node.counters();
    EXPECT_EQ(node.value("storage_custody_retransmissions"), 0U) << node.counters();
    EXPECT_EQ(node.value("storage_custody_signals_received"), kBundles) << node.counters();
    custodian.leave();
    node.stop();
}

}  // namespace
}  // namespace farlink::test::rude_neighbours_test
