// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_outbox.hpp"

#include <gtest/gtest.h>

#include <list>

#include "cla/ltp/core/bundle_inbox.hpp"
#include "common/codec/cbor.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::bundle_outbox_test {
namespace {

using test::LtpPair;

/// Bundles from an outbox of one engine to an inbox of the other.
struct BundleOutboxTest : testing::Test {
    BundleOutboxTest() { pair.b.keep_octets = true; }
    void send(std::size_t size) {
        Bytes &bundle = bundles.emplace_back(1, 0x9f);
        codec::append_cbor_head(bundle, codec::CborMajor::kBytes, size);
        bundle.resize(bundle.size() + size, static_cast<std::uint8_t>(bundles.size()));
        bundle.push_back(codec::kCborBreak);
        const std::size_t head = bundle.size() / 2;
        Bytes transient(bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(head));
        TxBundle tx;
        tx.head = transient;
        tx.body = ByteView(bundle).subspan(head);
        tx.size = bundle.size();
        tx.token = next_token++;
        box().handle_send({&tx, 1}, pair.now);
        std::ranges::fill(transient, 0);
    }
    BundleOutbox &box() {
        if (!made) made = std::make_unique<BundleOutbox>(pair.a.engine, pair.a.peer, config);
        return *made;
    }
    void run() {
        pair.run(kNever);
        for (const Event &event : pair.a.events) box().handle_event(event);
        pair.a.events.clear();
    }
    LtpPair pair{LtpPair::Settings{}};
    OutboxConfig config;
    std::unique_ptr<BundleOutbox> made;
    std::list<Bytes> bundles;
    std::uint64_t next_token = 1000;
};

TEST_F(BundleOutboxTest, EveryBundleHasABlock) {
    for (const std::size_t size : {10, 5000, 300}) send(size);
    EXPECT_EQ(box().next_timeout(), kNever);
    run();
    EXPECT_EQ(pair.b.blocks.size(), 3U);
    EXPECT_TRUE(std::ranges::equal(pair.b.blocks, bundles));
    EXPECT_EQ(box().done_below(), 1003U);
    EXPECT_FALSE(box().poll_refusal().has_value());
}

TEST_F(BundleOutboxTest, SmallBundlesShareABlock) {
    config.aggregate_bytes = 1000;
    static ReceivedBundles received;
    static BundleInbox inbox;
    received.clear();
    pair.b.check = [](const Bytes &, const ReceivedBlock &block) { inbox.take(block, received); };
    for (int i = 0; i < 25; ++i) send(90);
    send(3000);
    const std::size_t blocks_now = pair.a.engine.sessions_out();
    EXPECT_EQ(blocks_now, 4U) << "two full ones, the rest before the large one, the large one";
    run();
    EXPECT_EQ(received.bundles.size(), 26U);
    std::size_t index = 0;
    for (const Bytes &bundle : bundles) {
        Bytes octets;
        for (const ByteView slice : received.slices_of(received.bundles[index]))
            append(octets, slice);
        EXPECT_EQ(octets, bundle) << index;
        ++index;
    }
    EXPECT_EQ(box().done_below(), 1026U);
    received.clear();
    inbox.reset();  // it refers to the memory of `pair` until its bundles are acknowledged
}

TEST_F(BundleOutboxTest, NoBundleWaitsLong) {
    config.aggregate_bytes = 1000;
    config.service_data_aggregation = false;
    send(100);
    EXPECT_EQ(pair.a.engine.sessions_out(), 0U);
    EXPECT_EQ(box().next_timeout(), pair.now + config.aggregate_delay);
    box().handle_timeout(pair.now);
    EXPECT_EQ(pair.a.engine.sessions_out(), 0U);
    box().handle_timeout(pair.now + config.aggregate_delay);
    EXPECT_EQ(pair.a.engine.sessions_out(), 1U);
    run();
    ASSERT_EQ(pair.b.blocks.size(), 1U);
    EXPECT_EQ(pair.b.blocks[0], bundles.front()) << "a single bundle is not an aggregate";
}

// Bundles that were too late for their contact leave gaps in the tokens.
TEST_F(BundleOutboxTest, OmittedTokensCountAsEnded) {
    for (const std::uint64_t aggregate : {0, 1000}) {
        LtpPair fresh{LtpPair::Settings{}};
        OutboxConfig options;
        options.aggregate_bytes = aggregate;
        BundleOutbox outbox(fresh.a.engine, fresh.a.peer, options);
        const Bytes octets(100, 0x55);
        std::uint64_t last = 0;
        for (const std::uint64_t token : {3, 4, 7, 8, 9, 20, 21, 40}) {
            TxBundle tx;
            tx.head = octets;
            tx.size = octets.size();
            tx.token = last = token;
            outbox.handle_send({&tx, 1}, fresh.now);
        }
        EXPECT_EQ(outbox.done_below(), 3U);
        outbox.flush(fresh.now);
        fresh.run(kNever);
        for (const Event &event : fresh.a.events) outbox.handle_event(event);
        EXPECT_EQ(outbox.done_below(), last + 1) << aggregate;
        EXPECT_FALSE(outbox.poll_refusal().has_value());
    }
}

TEST_F(BundleOutboxTest, RefusedBundlesAreDoneInOrder) {
    for (int i = 0; i < 3; ++i) send(10);
    const auto event = [this](EventType type, std::uint64_t token) {
        box().handle_event({type, pair.a.peer, CancelReason::kSystemCancelled, token, 1});
    };
    event(EventType::kDelivered, 1002);
    event(EventType::kCancelledByPeer, 1000);
    EXPECT_EQ(box().done_below(), 1001U);
    const auto refusal = box().poll_refusal();
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->token, 1000U);
    EXPECT_TRUE(refusal->by_peer);
    event(EventType::kDelivered, 1001);
    EXPECT_EQ(box().done_below(), 1003U);
}

TEST_F(BundleOutboxTest, WithoutPeerBundlesAreRefused) {
    pair.a.engine.remove_peer(pair.a.peer);
    send(10);
    EXPECT_TRUE(box().poll_refusal().has_value());
    EXPECT_EQ(box().done_below(), 1001U);
    EXPECT_EQ(box().credit(), 0U);
}

/// A bundle of four pieces.
struct OutboxPiecesTest : BundleOutboxTest {
    static constexpr std::size_t kPiece = 2000;

    void piece(std::size_t number) {
        TxBundle tx;
        tx.body = ByteView(octets).subspan(number * kPiece, kPiece);
        tx.size = kPiece;
        tx.token = next_token++;
        tx.is_further_piece = number > 0;
        tx.left = octets.size() - (number + 1) * kPiece;
        box().handle_send({&tx, 1}, pair.now);
    }
    /// Shorter than the peer waits for the next piece.
    void run_briefly() {
        pair.run(pair.now + milliseconds(100));
        for (const Event &event : pair.a.events) box().handle_event(event);
        pair.a.events.clear();
    }
    const Bytes octets = test::numbered_block(0, 4 * kPiece);
};

TEST_F(OutboxPiecesTest, PiecesEndAsThePeerHasThem) {
    piece(0);
    run_briefly();
    EXPECT_EQ(box().done_below(), 1001U);
    EXPECT_TRUE(pair.b.blocks.empty());
    piece(1);
    piece(2);
    run_briefly();
    EXPECT_EQ(box().done_below(), 1003U);
    pair.b.acknowledge_at_once = false;
    piece(3);
    run_briefly();
    EXPECT_EQ(box().done_below(), 1003U) << "the bundle is not safe";
    pair.b.engine.block_safe(pair.b.unacknowledged.at(0), pair.now);
    run();
    EXPECT_EQ(box().done_below(), 1004U);
    ASSERT_EQ(pair.b.blocks.size(), 1U);
    EXPECT_EQ(pair.b.blocks[0], octets);
    EXPECT_FALSE(box().poll_refusal().has_value());
}

TEST_F(OutboxPiecesTest, ABreakCancelsTheBlock) {
    piece(0);
    piece(1);
    box().break_off(pair.now);
    run();
    const auto refusal = box().poll_refusal();
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->token, 1000U);
    EXPECT_TRUE(refusal->broken_off);
    EXPECT_EQ(box().done_below(), 1002U);
    EXPECT_FALSE(box().poll_refusal().has_value());
    box().break_off(pair.now);
    send(100);
    run();
    EXPECT_EQ(box().done_below(), 1003U);
    EXPECT_EQ(pair.b.blocks.size(), 1U);
}

TEST_F(OutboxPiecesTest, ARefusalWithoutAPieceOnItsWayIsReportedWithTheNext) {
    piece(0);
    run_briefly();
    pair.a.engine.cancel_blocks(pair.a.peer, CancelReason::kRetransmitLimit, pair.now);
    run_briefly();
    EXPECT_FALSE(box().poll_refusal().has_value());
    piece(1);
    auto refusal = box().poll_refusal();
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->token, 1001U);
    EXPECT_EQ(refusal->reason, CancelReason::kRetransmitLimit);
    piece(2);
    EXPECT_FALSE(box().poll_refusal().has_value());
    piece(3);
    refusal = box().poll_refusal();
    ASSERT_TRUE(refusal.has_value()) << "the bundle must not count as sent";
    EXPECT_EQ(refusal->token, 1003U);
    EXPECT_TRUE(refusal->broken_off);
    EXPECT_EQ(box().done_below(), 1004U);
}

// The event of its end has not been polled.
TEST_F(OutboxPiecesTest, TheLastPieceOfABlockThatHasJustEndedIsRefused) {
    for (std::size_t number = 0; number < 3; ++number) piece(number);
    run_briefly();
    pair.a.engine.cancel_blocks(pair.a.peer, CancelReason::kRetransmitLimit, pair.now);
    piece(3);
    run();
    const auto refusal = box().poll_refusal();
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->token, 1003U);
    EXPECT_EQ(box().done_below(), 1004U);
}

}  // namespace
}  // namespace farlink::cla::ltp::bundle_outbox_test
