// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/engine_context.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::engine_context_test {
namespace {

struct Counting final : RandomSource {
    [[nodiscard]] std::uint64_t next() override { return ++last; }
    std::uint64_t last = 0;
};

struct LtpEngineContext : testing::Test {
    LtpEngineContext() {
        context.timers.reserve(4);
        context.peers[PeerId{1}] =
            std::make_unique<Peer>(PeerConfig{}, PeerId{1}, slabs, context.room);
    }
    Peer &peer() { return context.peer_of(PeerId{1}); }

    Counting random;
    SlabPool slabs{64 * 1024, 1U << 20U};
    EngineContext context{EngineConfig{}, slabs, random};
    MemoryPool memory;
};

TEST_F(LtpEngineContext, ATimerMovesToALaterTimeOnlyExactly) {
    const std::uint32_t timer = EngineContext::receiver_timer(1);
    context.arm(peer(), timer, TimePoint(seconds(1)));
    context.arm(peer(), timer, TimePoint(seconds(2)));
    EXPECT_TRUE(peer().wheel.fires_by(context.timers, timer, TimePoint(seconds(1))));
    context.arm(peer(), timer, kNever);
    EXPECT_TRUE(peer().wheel.fires_by(context.timers, timer, TimePoint(seconds(1))));
    context.arm(peer(), timer, TimePoint(seconds(2)), true);
    EXPECT_FALSE(peer().wheel.fires_by(context.timers, timer, TimePoint(seconds(1))));
    context.arm(peer(), timer, TimePoint(milliseconds(500)));
    EXPECT_TRUE(peer().wheel.fires_by(context.timers, timer, TimePoint(seconds(1))));
}

TEST_F(LtpEngineContext, CutNumbersArePublishedOnce) {
    peer().numbers = NumberSize::k64Bits;
    context.note_cut_number(peer());
    context.note_cut_number(peer());
    EXPECT_EQ(peer().numbers, NumberSize::k32Bits);
    const auto event = context.events.poll(memory);
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type, EventType::kNumbersCut);
    EXPECT_FALSE(context.events.poll(memory).has_value());
}

TEST_F(LtpEngineContext, ARemovedPeerIsNotFound) {
    EXPECT_EQ(context.find_peer(PeerId{1}), &peer());
    context.peers.erase(PeerId{1});
    EXPECT_EQ(context.find_peer(PeerId{1}), nullptr);
}

}  // namespace
}  // namespace farlink::cla::ltp::engine_context_test
