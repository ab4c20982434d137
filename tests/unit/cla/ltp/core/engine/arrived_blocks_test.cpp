// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/arrived_blocks.hpp"

#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::arrived_blocks_test {
namespace {

/// Blocks above 2000 octets are passed on in parts.
struct LtpPartsTest : LtpEngineTest {
    LtpPartsTest() {
        config.spool_above = 2000;
        config.part_bytes = 1000;
        config.max_block_bytes = 3000;
    }
    /// Not by LtpSide, which joins the parts.
    void arrive(ByteView datagram) {
        side();
        arrive(made->peer, datagram);
    }
    void arrive(PeerId peer, ByteView datagram) {
        engine().handle_datagram(peer, datagram, now);
        poll_parts();
    }
    void poll_parts() {
        ReceivedBlock block;
        while (engine().poll_block(block)) {
            parts.push_back(block);
            if (block.in_parts()) last = block.session;
        }
    }
    void expect_part(std::size_t place, std::uint64_t offset, std::uint64_t size, bool more) {
        ASSERT_GT(parts.size(), place);
        EXPECT_EQ(parts[place].offset, offset);
        EXPECT_EQ(parts[place].size, size);
        EXPECT_EQ(parts[place].more, more);
    }
    std::vector<BlockInfo> parts;
    SessionHandle last;
};

TEST_F(LtpPartsTest, ALargeBlockIsPassedOnInOrder) {
    arrive(data(SegmentType::kRed, 1, 1400, 1400));
    EXPECT_TRUE(parts.empty());
    arrive(data(SegmentType::kRed, 1, 0, 1400));
    expect_part(0, 0, 2000, true);
    arrive(data(SegmentType::kEndOfRedBlock, 1, 2800, 900, 5));
    ASSERT_EQ(parts.size(), 3U);
    expect_part(1, 2000, 1000, true);
    expect_part(2, 3000, 700, false);
    EXPECT_TRUE(parts[2].whole);
    EXPECT_TRUE(poll().empty()) << "held until it is safe";
    engine().block_safe(last, now);
    EXPECT_EQ(poll().size(), 1U);
    EXPECT_EQ(counters().blocks_received, 1U);
    EXPECT_EQ(engine().held_bytes(), 0U);
}

TEST_F(LtpPartsTest, TheEndOfASessionIsPassedOnBehindItsParts) {
    arrive(data(SegmentType::kRed, 1, 0, 2500));
    arrive(from_hex("0c0a010002"));
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(parts[1].breaks_off());
    EXPECT_EQ(parts[1].session, parts[0].session);
    arrive(data(SegmentType::kRed, 2, 0, 1500));
    arrive(from_hex("0c0a020002"));
    EXPECT_EQ(parts.size(), 2U) << "nothing of it was passed on";
}

TEST_F(LtpPartsTest, ABlockOfAnUnknownPeerThatLosesItsPlaceIsBrokenOff) {
    made = std::make_unique<LtpSide>(
        EngineConfig{.engine = EngineId{20}, .max_unknown_sessions = 1}, config, 7);
    config.unknown = true;
    const PeerId stopped = engine().add_peer(config);
    const PeerId newcomer = engine().add_peer(config);
    for (const PeerId peer : {stopped, newcomer}) engine().contact_opened(peer, now);
    arrive(stopped, data(SegmentType::kRed, 1, 0, 2500));
    ASSERT_EQ(parts.size(), 1U);
    now += seconds(3);
    arrive(newcomer, data(SegmentType::kRed, 1, 0, 10));
    EXPECT_EQ(engine().sessions_in(newcomer), 1U);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(parts[1].breaks_off());
    EXPECT_EQ(parts[1].session, parts[0].session);
}

TEST_F(LtpPartsTest, ABlockMayBeRefusedBeforeItIsComplete) {
    arrive(data(SegmentType::kRed, 1, 0, 2500));
    ASSERT_EQ(parts.size(), 1U);
    engine().block_refused(last, now);
    EXPECT_EQ(only(), "0e0a010004");
    arrive(data(SegmentType::kRed, 1, 2500, 2500));
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(parts[1].breaks_off());
}

TEST_F(LtpPartsTest, PartsWaitWhileTheyAreHeld) {
    side();
    engine().hold_parts(made->peer, true, now);
    arrive(data(SegmentType::kRed, 1, 0, 2500));
    arrive(data(SegmentType::kEndOfRedBlock, 2, 0, 100, 5));
    ASSERT_EQ(parts.size(), 1U) << "small blocks do not wait";
    EXPECT_FALSE(parts[0].in_parts());
    engine().hold_parts(made->peer, false, now);
    poll_parts();
    ASSERT_EQ(parts.size(), 2U);
    expect_part(1, 0, 2000, true);
}

TEST_F(LtpPartsTest, WithoutMemoryALargeBlockGoesOnLater) {
    made = std::make_unique<LtpSide>(
        EngineConfig{.engine = EngineId{20}, .max_receive_bytes = 3000}, config, 7);
    made->engine.contact_opened(made->peer, now);
    arrive(data(SegmentType::kRed, 1, 1400, 1400));
    EXPECT_EQ(counters().no_memory, 1U) << "it would take the room of the octets before it";
    arrive(data(SegmentType::kRed, 1, 0, 1400));
    arrive(data(SegmentType::kRed, 1, 1400, 1400));
    expect_part(0, 0, 2000, true);
    EXPECT_EQ(engine().sessions_in(), 1U);
    EXPECT_TRUE(poll().empty());
}

}  // namespace
}  // namespace farlink::cla::ltp::arrived_blocks_test
