// SPDX-License-Identifier: Apache-2.0
// The rules between a link and its host, for every convergence layer: opening, closing, and
// destruction while bundles are under way.
#include "cla/factory/link_handles.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "cla/factory/link_factory.hpp"
#include "tests/support/link_bench.hpp"

namespace farlink::cla::link_handles_test {
namespace {

using test::octets_of;

/// The host of one link: counts what is reported, and acknowledges bundles. After abandon()
/// nothing may be reported.
class Host final : public LinkHost {
public:
    void on_upstream_opened(LinkId, UpstreamId from, bool acknowledges) override {
        check();
        EXPECT_TRUE(open_.insert(from).second);
        acknowledges_ = acknowledges;
    }
    void on_bundles(LinkId, UpstreamId from, ReceivedBundles &batch) override {
        check();
        EXPECT_TRUE(open_.contains(from));
        received += batch.bundles.size();
        if (!acknowledges_ || source == nullptr) return;
        source->acknowledge(from, batch.first_transfer,
                            static_cast<std::uint32_t>(batch.bundles.size()),
                            TransferDisposition::kSafe);
        source->flush_acknowledgements();
    }
    void on_upstream_closed(LinkId, UpstreamId from, LinkFault) override {
        check();
        EXPECT_EQ(open_.erase(from), 1U);
    }
    void on_state(LinkId, LinkState to, LinkFault) override {
        check();
        state = to;
    }
    void on_transmitted(LinkId, std::uint64_t token) override {
        check();
        EXPECT_GT(token, transmitted);
        EXPECT_LE(token, next_token);
        transmitted = token;
    }
    void on_refused(LinkId, std::uint64_t, Refusal) override { check(); }
    void on_writable(LinkId) override { check(); }
    void on_datagrams_lost(LinkId, std::uint64_t) override { check(); }
    void on_too_large(LinkId, std::uint64_t) override { check(); }
    void on_counted(LinkId, const PeerIdentity &, std::span<const std::uint64_t>) override {
        check();
    }
    void on_peer(LinkId, UpstreamId, const PeerIdentity &) override { check(); }
    void on_ending(LinkId, const PeerIdentity &, std::string_view) override { check(); }
    void on_unreachable(LinkId, std::string_view) override { check(); }
    void on_deviation(LinkId, const PeerIdentity &, ProtocolDeviation) override { check(); }

    /// Sends as long as there is credit, until `most` bundles have been sent in all.
    void send_up_to(Outduct &link, std::size_t most) {
        while (next_token < most && link.transmit_credit() > 0) {
            Bytes &bundle = *sent_.emplace_back(std::make_unique<Bytes>(octets_of(5'000, 1)));
            bundle[0] = 0;  // no bundle of either version
            TxBundle tx;
            tx.head = ByteView(bundle).first(100);
            tx.body = ByteView(bundle).subspan(100);
            tx.size = bundle.size();
            tx.token = next_token++;
            link.transmit({&tx, 1});
        }
        link.flush();
    }
    /// The link has been destroyed: its bundles are overwritten.
    void abandon() {
        gone_ = true;
        source = nullptr;
        for (const auto &bundle : sent_) std::ranges::fill(*bundle, std::uint8_t{0xdd});
        sent_.clear();
    }

    BundleSource *source = nullptr;
    LinkState state = LinkState::kClosed;
    std::size_t received = 0;
    std::uint64_t next_token = 0;
    std::uint64_t transmitted = 0;

private:
    void check() const { EXPECT_FALSE(gone_) << "a report after the link was destroyed"; }

    std::set<UpstreamId> open_;
    std::deque<std::unique_ptr<Bytes>> sent_;
    bool acknowledges_ = false;
    bool gone_ = false;
};

class LinkConformance : public testing::TestWithParam<const char *> {
protected:
    static constexpr std::size_t kForever = ~std::size_t{0};

    LinkConformance() {
        bench.drive_clock();
        in.id = LinkId{3};
        in.node_id = "ipn:20.0";
        in.max_sessions = 16;
        out.id = LinkId{5};
        out.node_id = "ipn:10.0";
        out.peer_node_id = "ipn:20.0";
        out.next_hop = NodeNumber{20};
        out.reconnect_min = milliseconds(1);
        out.reconnect_max = milliseconds(20);
        limit(in, 20);
        limit(out, 10);
    }
    template <class Config>
    static void limit(Config &config, std::uint64_t engine) {
        config.url = {GetParam(), "127.0.0.1", 0, {}};
        config.max_in_flight_bytes = 4'000'000;
        config.max_in_flight_bundles = 1'000;
        config.max_unacknowledged_bytes = 4'000'000;
        config.max_bundle_size_bytes = 4'000'000;
        config.ltp.engine_id = engine;
        config.ltp.data_segment_mtu = 1360;
        config.ltp.report_segment_mtu = 1360;
        config.ltp.margin = milliseconds(50);
        config.ltp.max_retries = 3;
        config.ltp.random_number_bits = 64;
        config.ltp.receive_elements = 4096;
        config.ltp.max_receive_sessions = 1000;
        config.ltp.max_send_sessions = 1000;
    }
    [[nodiscard]] LinkResources resources(LinkHost &host) {
        return {bench.io, bench.buffer, host, bench.next_upstream};
    }
    void listen() {
        receiving = std::make_unique<Host>();
        induct = make_induct(resources(*receiving), in);
        receiving->source = induct.get();
        ASSERT_TRUE(induct->open());
        out.url.port = induct->port();
    }
    void connect() {
        sending = std::make_unique<Host>();
        outduct = make_outduct(resources(*sending), out, 1);
        sending->source = outduct.get();
        outduct->open();
    }
    /// Sends without pause for so many slices of the loop.
    void load(int slices) {
        for (int slice = 0; slice < slices; ++slice) {
            if (outduct) sending->send_up_to(*outduct, kForever);
            bench.run_slice(milliseconds(1));
        }
    }
    [[nodiscard]] bool loaded_until(const std::function<bool()> &done) {
        return bench.run_until([&] {
            if (outduct) sending->send_up_to(*outduct, kForever);
            return done();
        });
    }
    void destroy_outduct() {
        outduct.reset();
        sending->abandon();
    }
    void destroy_induct() {
        induct.reset();
        receiving->abandon();
    }

    test::LinkBench bench;
    config::InductConfig in;
    config::OutductConfig out;
    std::unique_ptr<Host> receiving;
    std::unique_ptr<Host> sending;
    std::unique_ptr<Induct> induct;
    std::unique_ptr<Outduct> outduct;
};

TEST_P(LinkConformance, CarriesBundlesAndCloses) {
    listen();
    EXPECT_EQ(receiving->state, LinkState::kConnected);
    EXPECT_NE(induct->port(), 0);
    connect();
    ASSERT_TRUE(bench.run_until([&] {
        sending->send_up_to(*outduct, 50);
        return sending->transmitted == 50 && receiving->received == 50;
    }));
    outduct->close();
    EXPECT_TRUE(bench.run_until([&] { return sending->state == LinkState::kClosed; }));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
    outduct->open();
    ASSERT_TRUE(bench.run_until([&] { return outduct->transmit_credit() > 0; }));
    destroy_outduct();
    induct->close();
    bench.run_idle();
    destroy_induct();
    bench.run_idle();
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_P(LinkConformance, AnOutductMayBeClosedUnderLoad) {
    listen();
    for (int slices = 0; slices < 30; slices += 3) {
        connect();
        load(slices);
        outduct->close();
        EXPECT_TRUE(bench.run_until([&] { return sending->state == LinkState::kClosed; }));
        destroy_outduct();
        bench.run_idle();
    }
}

TEST_P(LinkConformance, AnOutductMayBeDestroyedUnderLoad) {
    listen();
    for (int slices = 0; slices < 30; ++slices) {
        connect();
        load(slices);
        destroy_outduct();
        bench.run_idle();
    }
    connect();
    EXPECT_TRUE(loaded_until([&] { return sending->transmitted > 100; }));
}

TEST_P(LinkConformance, AnOutductMayBeDestroyedWhileItCloses) {
    listen();
    for (int slices = 0; slices < 10; ++slices) {
        connect();
        EXPECT_TRUE(loaded_until([&] { return sending->next_token > 20; }));
        outduct->close();
        for (int slice = 0; slice < slices; ++slice) bench.run_slice(milliseconds(1));
        destroy_outduct();
        bench.run_idle();
    }
}

TEST_P(LinkConformance, AnInductMayBeDestroyedUnderLoad) {
    for (int slices = 0; slices < 20; ++slices) {
        listen();
        connect();
        load(slices);
        destroy_induct();
        load(5);
        destroy_outduct();
        bench.run_idle();
    }
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_P(LinkConformance, AnInductMayBeClosedUnderLoad) {
    for (int slices = 1; slices < 20; slices += 3) {
        listen();
        connect();
        EXPECT_TRUE(loaded_until([&] { return receiving->received > 0; }));
        load(slices);
        induct->close();
        load(slices);
        destroy_induct();
        destroy_outduct();
        bench.run_idle();
    }
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_P(LinkConformance, BothEndsMayGoAtOnce) {
    listen();
    connect();
    EXPECT_TRUE(loaded_until([&] { return receiving->received > 100; }));
    destroy_outduct();
    destroy_induct();
    bench.run_idle();
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(ConvergenceLayers, LinkConformance,
                         testing::Values("stcp", "mtcp", "udp", "tcpclv3", "tcpclv4", "ltp"),
                         [](const auto &layer) { return std::string(layer.param); });

}  // namespace
}  // namespace farlink::cla::link_handles_test
