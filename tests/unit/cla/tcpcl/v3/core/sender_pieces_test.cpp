// SPDX-License-Identifier: Apache-2.0
// Bundles that are handed over in pieces.
#include "tests/unit/cla/tcpcl/v3/core/sender_desk.hpp"

namespace farlink::cla::tcpclv3::sender_pieces_test {
namespace {

TEST(Sender, APieceIsDoneWhenThePeerHasIt) {
    Desk desk(kAll);
    desk.send_piece(250, false, 350);
    desk.write();
    EXPECT_TRUE(desk.sender.may_stall());
    EXPECT_EQ(desk.messages().size(), 4U) << "LENGTH, and segments of what is here";
    EXPECT_EQ(desk.messages().front().head.number, 600U);
    EXPECT_EQ(desk.messages().back().head.number, 50U);
    EXPECT_EQ(desk.acknowledge(200), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 0U);
    EXPECT_EQ(desk.acknowledge(250), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_FALSE(desk.sender.may_stall()) << "nothing is sent that has no answer";
    EXPECT_TRUE(desk.sender.inside_bundle());
    desk.send_piece(150, true, 200);
    desk.send_piece(200, true, 0);
    EXPECT_FALSE(desk.sender.inside_bundle());
    desk.send(10);
    desk.write();
    EXPECT_EQ(desk.acknowledge(400), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_EQ(desk.acknowledge(600), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 3U);
    Bytes whole;
    for (std::size_t i = 0; i < 3; ++i) append(whole, desk.sent[i]);
    EXPECT_EQ(desk.bundles(), (std::vector{whole, desk.sent[3]}));
    EXPECT_EQ(desk.acknowledge(10), LinkFault::kNone);
    EXPECT_TRUE(desk.sender.idle());
}

TEST(Sender, WithoutAcknowledgementsAPieceIsDoneWhenItIsWritten) {
    Desk desk({});
    desk.send_piece(250, false, 50);
    desk.write(200);
    EXPECT_EQ(desk.done(), 0U);
    desk.write();
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_FALSE(desk.sender.may_stall());
    desk.send_piece(50, true, 0);
    desk.write();
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_TRUE(desk.sender.idle());
}

TEST(Sender, ARefusalInTheMiddleNamesAPieceAndDropsTheRest) {
    Desk desk(kAll);
    desk.send_piece(250, false, 1000);
    desk.write();
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    desk.send_piece(250, true, 750);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_EQ(desk.refused.front().first, 0U);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone) << "one more segment had left";
    const std::size_t before = desk.stream.size();
    desk.send_piece(750, true, 0);
    desk.sender.report();
    desk.write();
    EXPECT_EQ(desk.stream.size(), before);
    EXPECT_EQ(desk.done(), 3U);
    desk.send(10);
    desk.write();
    EXPECT_GT(desk.stream.size(), before);
    EXPECT_EQ(desk.acknowledge(10), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 4U);
}

TEST(Sender, ARefusalBehindAllThatIsHereNamesTheNextPiece) {
    Desk desk(kAll);
    desk.send_piece(100, false, 100);
    desk.write();
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_TRUE(desk.refused.empty());
    desk.send_piece(100, true, 0);
    desk.sender.report();
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_EQ(desk.refused.front().first, 1U);
    EXPECT_TRUE(desk.sender.idle());
}

TEST(Sender, TheEndOfASessionKeepsThePiecesOfABundleThatHasBegun) {
    Desk desk(kAll);
    desk.send_piece(250, false, 250);
    desk.write(10);
    desk.send_piece(250, true, 0);
    desk.send(20);
    desk.sender.finish();
    desk.write();
    Bytes whole = desk.sent[0];
    append(whole, desk.sent[1]);
    EXPECT_EQ(desk.bundles(), std::vector<Bytes>{whole});
    EXPECT_EQ(desk.acknowledge(500), LinkFault::kNone);
    EXPECT_TRUE(desk.sender.idle());
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::sender_pieces_test
