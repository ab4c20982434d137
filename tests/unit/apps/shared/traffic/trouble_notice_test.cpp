// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/trouble_notice.hpp"

#include <gtest/gtest.h>

namespace farlink::traffic::trouble_notice_test {
namespace {

TimePoint at(int ms) {
    return TimePoint{} + milliseconds(ms);
}

TEST(TroubleNotice, PrintsAfterASecondAndWhenTheReasonChanges) {
    TroubleNotice notice;
    LinkTrouble trouble;
    EXPECT_EQ(notice.next_timeout(), kNever);
    EXPECT_FALSE(notice.look(false, trouble, at(0)));
    EXPECT_EQ(notice.next_timeout(), at(1000));
    trouble.handle_unreachable("Connection refused");
    EXPECT_FALSE(notice.look(false, trouble, at(999)));
    EXPECT_TRUE(notice.look(false, trouble, at(1000)));
    EXPECT_EQ(notice.next_timeout(), kNever);
    trouble.handle_unreachable("Connection refused");
    EXPECT_FALSE(notice.look(false, trouble, at(9000)));
    trouble.handle_unreachable("No route to host");
    EXPECT_TRUE(notice.look(false, trouble, at(9001)));
    EXPECT_FALSE(notice.look(false, trouble, at(9002)));
}

TEST(TroubleNotice, PrintsWithoutAReasonAndAnewAfterAConnection) {
    TroubleNotice notice;
    const LinkTrouble trouble;
    EXPECT_FALSE(notice.look(false, trouble, at(0)));
    EXPECT_TRUE(notice.look(false, trouble, at(1000))) << "the peer does not respond";
    EXPECT_FALSE(notice.look(true, trouble, at(1001)));
    EXPECT_EQ(notice.next_timeout(), kNever);
    EXPECT_FALSE(notice.look(false, trouble, at(5000)));
    EXPECT_TRUE(notice.look(false, trouble, at(6000)));
}

}  // namespace
}  // namespace farlink::traffic::trouble_notice_test
