// SPDX-License-Identifier: Apache-2.0
#include "module/egress/outduct_upstreams.hpp"

#include <gtest/gtest.h>

namespace farlink::egress::outduct_upstreams_test {
namespace {

constexpr LinkId kLink{1};
constexpr UpstreamId kSession{7};

/// An outduct that records pauses and dispositions.
class RecordingOutduct final : public cla::Outduct {
public:
    void open() override {}
    void close() override {}
    [[nodiscard]] std::uint64_t transmit_credit() const override { return 0; }
    void transmit(std::span<const TxBundle>) override {}
    void flush() override {}
    void pause(UpstreamId, bool paused) override { pauses.push_back(paused); }
    void acknowledge(UpstreamId session, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override {
        runs.push_back({session, first, count, disposition});
    }
    void flush_acknowledgements() override { ++flushes; }

    std::vector<bool> pauses;
    std::vector<bus::DispositionRun> runs;
    int flushes = 0;
};

class OutductUpstreamsTest : public testing::Test {
protected:
    void SetUp() override { links.add(kLink, NodeNumber{2}, {}); }
    void receive(std::size_t count, std::uint64_t first) {
        ReceivedBundles received;
        received.first_transfer = first;
        for (; count > 0; --count) {
            SlabRef slab = pool.acquire();
            received.add(slab, {slab->data, 10});
        }
        upstreams.handle_bundles(kLink, kSession, received);
    }
    template <class Kind>
    Kind *last() {
        return sent.empty() ? nullptr : std::get_if<Kind>(&sent.back());
    }
    std::uint64_t count_of(LinkCounter counter) {
        return telemetry::LinkTallies::counters(links.tallies().entry(kLink)).value(counter);
    }

    SlabPool pool{4096, 1 << 20};
    BatchPool batches{BatchOwner::kEgress, 0};
    LinkTable links;
    RecordingOutduct outduct;
    std::vector<bus::Message> sent;
    OutductUpstreams upstreams{
        links,
        batches,
        true,
        {[this](LinkId link) { return link == kLink ? &outduct : nullptr; },
         [this](bus::Message message) { sent.push_back(std::move(message)); }}};
};

TEST_F(OutductUpstreamsTest, AnnouncesSessionsToIngress) {
    upstreams.handle_opened(kLink, kSession, true);
    const auto *opened = last<bus::UpstreamChange>();
    ASSERT_NE(opened, nullptr);
    EXPECT_TRUE(opened->open && opened->acknowledges);
    EXPECT_EQ(opened->link, kLink);
    upstreams.handle_closed(kLink, kSession);
    ASSERT_NE(last<bus::UpstreamChange>(), nullptr);
    EXPECT_FALSE(last<bus::UpstreamChange>()->open);
}

TEST_F(OutductUpstreamsTest, LendsIngressTheBundles) {
    upstreams.handle_opened(kLink, kSession, true);
    receive(3, 5);
    auto *arrived = last<bus::ArrivedBatch>();
    ASSERT_NE(arrived, nullptr);
    EXPECT_EQ(arrived->batch->upstream, kSession);
    ASSERT_EQ(arrived->batch->bundles.size(), 3U);
    EXPECT_EQ(arrived->batch->bundles[2].transfer, 7U);
    EXPECT_EQ(arrived->batch->bytes, 30U);
    EXPECT_EQ(count_of(LinkCounter::kReceived), 3U);
    batches.recycle(std::move(arrived->batch));
}

TEST_F(OutductUpstreamsTest, APieceTravelsAloneAndABreakWithoutABundle) {
    upstreams.handle_opened(kLink, kSession, true);
    ReceivedBundles received;
    const SlabRef slab = pool.acquire();
    for (int count = 0; count < 2; ++count) received.add(slab, {slab->data, 10});
    received.bundles[1].more = true;
    received.bundles.push_back({.more = true, .is_further = true});
    received.has_pieces = true;
    upstreams.handle_bundles(kLink, kSession, received);
    ASSERT_EQ(sent.size(), 4U);
    const auto batch = [this](std::size_t place) -> const Batch & {
        return *std::get<bus::ArrivedBatch>(sent[place]).batch;
    };
    EXPECT_FALSE(batch(1).piece.present());
    EXPECT_EQ(batch(2).piece, BundlePiece::of_session(false, BundlePiece::kUnknown));
    EXPECT_EQ(batch(2).bundles.size(), 1U);
    EXPECT_EQ(batch(3).piece, BundlePiece::of_session(true, BundlePiece::kUnknown));
    EXPECT_TRUE(batch(3).bundles.empty());
    for (std::size_t place = 1; place < sent.size(); ++place)
        batches.recycle(std::move(std::get<bus::ArrivedBatch>(sent[place]).batch));
}

TEST_F(OutductUpstreamsTest, PassesPausesAndDispositionsToTheOutduct) {
    upstreams.handle_opened(kLink, kSession, true);
    upstreams.handle(bus::UpstreamPause{kSession, true});
    upstreams.handle(bus::UpstreamPause{UpstreamId{8}, true});
    EXPECT_EQ(outduct.pauses, std::vector<bool>{true});
    bus::TransferDispositions dispositions;
    dispositions.runs.push_back({kSession, 0, 2, TransferDisposition::kSafe});
    dispositions.runs.push_back({kSession, 2, 1, TransferDisposition::kNoResources});
    upstreams.handle(dispositions);
    ASSERT_EQ(outduct.runs.size(), 2U);
    EXPECT_EQ(outduct.runs[1].first, 2U);
    EXPECT_EQ(outduct.flushes, 1);
    EXPECT_EQ(count_of(LinkCounter::kRefused), 1U);
}

TEST_F(OutductUpstreamsTest, RefusesUnacknowledgedTransfersWhenIngressIsLost) {
    upstreams.handle_opened(kLink, kSession, true);
    receive(2, 0);
    batches.recycle(std::move(last<bus::ArrivedBatch>()->batch));
    upstreams.handle_ingress_lost();
    ASSERT_EQ(outduct.runs.size(), 2U);
    EXPECT_EQ(outduct.runs[0].disposition, TransferDisposition::kNoResources);
    EXPECT_EQ(outduct.pauses, std::vector<bool>{false});
    receive(1, 2);
    EXPECT_EQ(outduct.runs.size(), 3U) << "until ingress has restarted";
    upstreams.announce_all();
    ASSERT_NE(last<bus::UpstreamChange>(), nullptr);
    EXPECT_EQ(last<bus::UpstreamChange>()->next_transfer, 3U);
}

}  // namespace
}  // namespace farlink::egress::outduct_upstreams_test
