// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/event_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::event_queue_test {
namespace {

TEST(LtpEventQueue, ABlockIsReleasedByThePollAfterItsEvent) {
    MemoryPool memory;
    EventQueue events;
    const Bytes octets(100, 1);
    const BlockPiece piece{octets, true};
    events.push({EventType::kDelivered, PeerId{1}, {}, 7, 1}, OutBlock::make(memory, {&piece, 1}));
    events.push({EventType::kPeerSilent, PeerId{2}, {}, 0, 0});
    const std::size_t used = memory.used_bytes();
    ASSERT_GT(used, 0U);
    auto event = events.poll(memory);
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type, EventType::kDelivered);
    EXPECT_EQ(event->token, 7U);
    EXPECT_EQ(memory.used_bytes(), used) << "segments may still refer to the block";
    event = events.poll(memory);
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->peer, PeerId{2});
    EXPECT_EQ(memory.used_bytes(), 0U);
    EXPECT_FALSE(events.poll(memory).has_value());
}

}  // namespace
}  // namespace farlink::cla::ltp::event_queue_test
