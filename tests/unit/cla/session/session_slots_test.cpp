// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_slots.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::session_slots_test {
namespace {

class SessionSlotsTest : public testing::Test {
protected:
    /// Takes a slot where there is one; a session that has to gives way. Its number, or nothing.
    std::optional<UpstreamId> come(const std::string &address, bool known = false) {
        const auto answer = slots.ask(address, known);
        left = answer.leaves;
        if (answer.leaves) slots.leave(*answer.leaves);
        if (!answer.admitted) return std::nullopt;
        const UpstreamId session{next++};
        slots.enter(session, address, known);
        return session;
    }

    SessionSlots slots{64};
    std::uint32_t next = 0;
    std::optional<UpstreamId> left;
};

TEST_F(SessionSlotsTest, OneAddressGetsAQuarterAndItsOldestSilentOneGivesWay) {
    for (int i = 0; i < 16; ++i) {
        ASSERT_TRUE(come("192.0.2.1"));
        EXPECT_FALSE(left);
    }
    EXPECT_TRUE(slots.share_is_used("192.0.2.1"));
    EXPECT_FALSE(slots.share_is_used("192.0.2.2"));
    EXPECT_TRUE(come("192.0.2.2"));
    slots.admit(UpstreamId{0});
    EXPECT_TRUE(come("192.0.2.1"));
    EXPECT_EQ(left, UpstreamId{1});
    EXPECT_EQ(slots.size(), 17U);
}

TEST_F(SessionSlotsTest, WhoHasBroughtABundleDoesNotGiveWay) {
    for (int i = 0; i < 16; ++i) slots.admit(*come("192.0.2.1"));
    EXPECT_FALSE(come("192.0.2.1"));
    EXPECT_TRUE(come("192.0.2.2"));
}

TEST_F(SessionSlotsTest, StrangersLeaveAnEighthToNeighboursAndToThisMachine) {
    for (int i = 0; i < 56; ++i) {
        const auto session = come("192.0.2." + std::to_string(i));
        ASSERT_TRUE(session);
        slots.admit(*session);
    }
    EXPECT_FALSE(come("198.51.100.1"));
    for (int i = 0; i < 7; ++i) EXPECT_TRUE(come("203.0.113.1", true));
    const auto own = come("127.0.0.1");
    ASSERT_TRUE(own);
    slots.admit(*own);
    EXPECT_FALSE(come("127.0.0.1")) << "all are taken";
    EXPECT_FALSE(come("203.0.113.1", true));
}

TEST_F(SessionSlotsTest, ANeighbourComesBeforeSilentStrangers) {
    for (int i = 0; i < 56; ++i) ASSERT_TRUE(come("192.0.2." + std::to_string(i)));
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(come("203.0.113.1", true));
    EXPECT_TRUE(come("203.0.113.2", true));
    EXPECT_EQ(left, UpstreamId{0});
    slots.leave(UpstreamId{1});
    EXPECT_TRUE(come("203.0.113.3", true));
    EXPECT_FALSE(left);
}

TEST_F(SessionSlotsTest, OneAddressOfThisMachineHasItsLimitToo) {
    for (int i = 0; i < 100; ++i) (void)come("127.0.0.1");
    EXPECT_EQ(slots.size(), 16U);
    EXPECT_TRUE(come("127.0.0.2"));
    EXPECT_TRUE(come("::1"));
}

TEST(SessionSlots, FewAreNotDivided) {
    SessionSlots slots(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(slots.ask("192.0.2.1", false).admitted);
        slots.enter(UpstreamId{i}, "192.0.2.1", false);
    }
    EXPECT_EQ(slots.ask("192.0.2.1", false).leaves, UpstreamId{0});
}

}  // namespace
}  // namespace farlink::cla::session_slots_test
