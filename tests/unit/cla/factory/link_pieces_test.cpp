// SPDX-License-Identifier: Apache-2.0
// Bundles in pieces over every convergence layer that takes them, through real connections.
#include <gtest/gtest.h>

#include <deque>

#include "cla/factory/link_factory.hpp"
#include "tests/support/link_bench.hpp"

namespace farlink::cla::link_pieces_test {
namespace {

using test::octets_of;

constexpr std::uint64_t kAbove = 600'000;
constexpr std::size_t kPiece = 1'000'000;

/// No bundle begins with 0: in LTP, what is no bundle counts as one.
Bytes no_bundle(std::size_t size, std::uint64_t seed) {
    Bytes octets = octets_of(size, seed);
    octets[0] = 0;
    return octets;
}

/// What a configuration file has by default.
void fill_ltp(config::LinkOptions &link, std::uint64_t engine) {
    link.max_in_flight_bytes = link.max_unacknowledged_bytes = 16'000'000;
    link.max_in_flight_bundles = 1000;
    link.ltp.engine_id = engine;
    link.ltp.data_segment_mtu = link.ltp.report_segment_mtu = 1360;
    link.ltp.margin = milliseconds(200);
    link.ltp.max_retries = 5;
    link.ltp.random_number_bits = 32;
    link.ltp.receive_elements = 4096;
    link.ltp.max_receive_sessions = link.ltp.max_send_sessions = 100;
}

/// The host of one link, which joins what arrives.
class Host final : public LinkHost {
public:
    void on_upstream_opened(LinkId, UpstreamId, bool acknowledges) override {
        acknowledges_ = acknowledges;
    }
    void on_bundles(LinkId, UpstreamId from, ReceivedBundles &batch) override {
        std::uint32_t whole = 0;
        for (const ReceivedBundle &bundle : batch.bundles) {
            EXPECT_EQ(bundle.is_further, !begun_.empty());
            append(begun_, test::joined(batch.slices_of(bundle)));
            if (bundle.is_piece()) largest = std::max(largest, bundle.size);
            if (bundle.more) continue;
            received.push_back(std::exchange(begun_, Bytes()));
            ++whole;
        }
        EXPECT_EQ(whole, batch.completed());
        if (whole == 0 || !acknowledges_) return;
        source->acknowledge(from, batch.first_transfer, whole, TransferDisposition::kSafe);
        source->flush_acknowledgements();
    }
    void on_upstream_closed(LinkId, UpstreamId, LinkFault) override {
        given_up += begun_.empty() ? 0 : 1;
        begun_.clear();
    }
    void on_state(LinkId, LinkState to, LinkFault) override {
        state = to;
        times_connected += to == LinkState::kConnected ? 1 : 0;
    }
    void on_transmitted(LinkId, std::uint64_t token) override {
        transmitted = token;
        for (; !sent_.empty() && sent_.front().first < token; sent_.pop_front())
            std::ranges::fill(sent_.front().second, std::uint8_t{0xdd});
    }
    void on_writable(LinkId) override {}

    /// Octets [at, at + size) of a bundle that ends `left` octets behind them.
    void send(Outduct &link, ByteView piece, bool further, std::uint64_t left) {
        const Bytes octets(piece.begin(), piece.end());
        const Bytes &kept = sent_.emplace_back(next_token, octets).second;
        TxBundle tx;
        tx.head = ByteView(kept).first(100);
        tx.body = ByteView(kept).subspan(100);
        tx.size = kept.size();
        tx.token = next_token++;
        tx.is_further_piece = further;
        tx.left = left;
        link.transmit({&tx, 1});
        link.flush();
    }

    BundleSource *source = nullptr;
    LinkState state = LinkState::kClosed;
    int times_connected = 0;
    std::vector<Bytes> received;
    std::uint64_t largest = 0;  ///< of the pieces
    int given_up = 0;
    std::uint64_t next_token = 0;
    std::uint64_t transmitted = 0;

private:
    std::deque<std::pair<std::uint64_t, Bytes>> sent_;
    Bytes begun_;
    bool acknowledges_ = false;
};

class LinkPieces : public testing::TestWithParam<const char *> {
protected:
    LinkPieces() {
        bench.buffer.set_spool_above(kAbove);
        in.id = LinkId{3};
        in.node_id = "ipn:20.0";
        in.max_sessions = 16;
        in.max_handshakes = 16;
        in.url = {GetParam(), "127.0.0.1", 0, {}};
        in.max_bundle_size_bytes = 1'000'000;  // not given: it is the default
        out.id = LinkId{5};
        out.node_id = "ipn:10.0";
        out.peer_node_id = "ipn:20.0";
        out.next_hop = NodeNumber{20};
        out.reconnect_min = milliseconds(1);
        out.reconnect_max = milliseconds(20);
        if (is_ltp()) fill_ltp(in, 20);
        if (is_ltp()) fill_ltp(out, 10);
        induct = make_induct(resources(server), in);
        server.source = induct.get();
        EXPECT_TRUE(induct->open());
        out.url = {GetParam(), "127.0.0.1", induct->port(), {}};
        outduct = make_outduct(resources(client), out, 1);
        client.source = outduct.get();
        outduct->open();
        EXPECT_TRUE(bench.run_until([&] { return client.state == LinkState::kConnected; }));
    }
    [[nodiscard]] LinkResources resources(LinkHost &host) {
        return {bench.io, bench.buffer, host, bench.next_upstream};
    }
    [[nodiscard]] static bool is_ltp() { return GetParam() == std::string_view("ltp"); }
    /// In pieces, of which two at most have no report.
    void deliver(const Bytes &bundle) {
        std::size_t sent = 0;
        ASSERT_TRUE(bench.run_until([&] {
            if (sent == bundle.size()) return client.transmitted == client.next_token;
            if (client.next_token - client.transmitted >= 2) return false;
            if (outduct->transmit_credit() == 0) return false;
            const std::size_t size = std::min(kPiece, bundle.size() - sent);
            client.send(*outduct, ByteView(bundle).subspan(sent, size), sent > 0,
                        bundle.size() - sent - size);
            sent += size;
            return false;
        }));
    }

    test::LinkBench bench;
    config::InductConfig in;
    config::OutductConfig out;
    Host server;
    Host client;
    std::unique_ptr<Induct> induct;
    std::unique_ptr<Outduct> outduct;
};

TEST_P(LinkPieces, ALargeBundleArrivesInPieces) {
    EXPECT_TRUE(outduct->takes_pieces());
    const Bytes bundle = no_bundle(is_ltp() ? 5'300'000 : 20'300'000, 1);
    deliver(bundle);
    deliver(no_bundle(5000, 2));
    ASSERT_TRUE(bench.run_until([&] { return server.received.size() == 2; }));
    EXPECT_TRUE(server.received[0] == bundle);
    EXPECT_EQ(server.received[1], no_bundle(5000, 2));
    EXPECT_GT(server.largest, kAbove / 2);
    EXPECT_LE(server.largest, kAbove);
    EXPECT_TRUE(bench.run_until([&] {
        bench.buffer.rest();
        return bench.pool.pinned_bytes() == 0;
    }));
}

TEST_P(LinkPieces, AfterABreakTheNextSessionBringsAnother) {
    if (is_ltp()) GTEST_SKIP() << "a break ends the block only";
    client.send(*outduct, octets_of(3'000'000, 1), false, 5'000'000);
    ASSERT_TRUE(bench.run_until([&] { return client.transmitted == 1; }));
    ASSERT_TRUE(bench.run_until([&] { return server.largest > 0; }));
    outduct->break_off();
    ASSERT_TRUE(
        bench.run_until([&] { return server.given_up == 1 && client.times_connected == 2; }));
    const Bytes bundle = octets_of(2'000'000, 2);
    deliver(bundle);
    ASSERT_TRUE(bench.run_until([&] { return server.received.size() == 1; }));
    EXPECT_TRUE(server.received[0] == bundle);
}

TEST_P(LinkPieces, TheEndDoesNotWaitForFurtherPieces) {
    if (is_ltp()) GTEST_SKIP() << "the sessions of an induct outlast the outduct";
    client.send(*outduct, octets_of(3'000'000, 1), false, 5'000'000);
    ASSERT_TRUE(bench.run_until([&] { return server.largest > 0; }));
    outduct->close();
    ASSERT_TRUE(bench.run_until(
        [&] { return client.state == LinkState::kClosed && server.given_up == 1; }));
    EXPECT_TRUE(server.received.empty());
    EXPECT_EQ(client.times_connected, 1);
}

TEST_P(LinkPieces, WithoutABundleBegunThereIsNothingToBreakOff) {
    deliver(no_bundle(2'000'000, 1));
    outduct->break_off();
    bench.run_idle();
    EXPECT_EQ(client.state, LinkState::kConnected);
    EXPECT_EQ(client.times_connected, 1);
}

INSTANTIATE_TEST_SUITE_P(Layers, LinkPieces,
                         testing::Values("tcpclv4", "tcpclv3", "stcp", "mtcp", "ltp"),
                         [](const auto &layer) { return std::string(layer.param); });

TEST(LinkPiecesOfOtherLayers, AreNotTaken) {
    test::LinkBench bench;
    config::OutductConfig out;
    out.url = {"udp", "127.0.0.1", 9, {}};
    const auto outduct = make_outduct(bench.resources(), out, 1);
    EXPECT_FALSE(outduct->takes_pieces());
}

}  // namespace
}  // namespace farlink::cla::link_pieces_test
