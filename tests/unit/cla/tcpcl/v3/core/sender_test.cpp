// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/sender.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v3/core/sender_desk.hpp"

namespace farlink::cla::tcpclv3::sender_test {
namespace {

using test::octets_of;
using Kind = SessionEvent::Kind;

TEST(Sender, FramesBundlesOfAllSizes) {
    for (const std::uint64_t max_segment : {0U, 1U, 100U, 4000U, 1'000'000U}) {
        Desk desk(kAll, max_segment, 500'000);
        std::vector<Bytes> expected;
        for (const std::size_t size : {1U, 99U, 100U, 101U, 2048U, 2049U, 9000U}) {
            desk.send(size);
            expected.push_back(desk.sent.back());
        }
        desk.write();
        EXPECT_EQ(desk.bundles(), expected);
        for (const Message &message : desk.messages())
            EXPECT_LE(message.data.size(), max_segment > 0 ? max_segment : 9000);
    }
}

TEST(Sender, SaysHowLongABundleOfSeveralSegmentsIs) {
    Desk desk(kAll);
    desk.send(100);
    desk.send(250);
    desk.write();
    const std::vector<Message> messages = desk.messages();
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[0].head.flags, kSegmentFlags);
    EXPECT_EQ(messages[1].head.type, MessageType::kLength);
    EXPECT_EQ(messages[1].head.number, 250U);
    EXPECT_EQ(messages[2].head.flags, kStartFlag);
    EXPECT_EQ(messages[3].head.flags, 0U);
    EXPECT_EQ(messages[4].head.flags, kEndFlag);

    Desk unasked({.acknowledgements = true});
    unasked.send(250);
    unasked.write();
    EXPECT_EQ(unasked.messages().size(), 3U);
}

TEST(Sender, BundlesAreDoneWhenTheyAreAcknowledgedToTheirEnd) {
    Desk desk(kAll);
    desk.send(250);
    desk.send(30);
    desk.write();
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    EXPECT_EQ(desk.acknowledge(200), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 0U);
    EXPECT_EQ(desk.acknowledge(250), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_EQ(desk.acknowledge(30), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_TRUE(desk.sender.idle());
    EXPECT_EQ(desk.acknowledge(30), LinkFault::kProtocolError) << "nothing is left";
}

TEST(Sender, OnlyWhatIsWrittenCanBeAcknowledged) {
    Desk desk(kAll);
    desk.send(250);
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kProtocolError);
    desk.write(3 + 2 + 100);  // LENGTH and the first segment
    EXPECT_EQ(desk.acknowledge(200), LinkFault::kProtocolError);
    EXPECT_EQ(desk.acknowledge(250), LinkFault::kProtocolError);
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kProtocolError) << "no more than before";
    desk.write();
    desk.sender.handle_written();
    EXPECT_EQ(desk.acknowledge(1000), LinkFault::kNone) << "more than there is: all of it";
    EXPECT_EQ(desk.done(), 1U);
}

TEST(Sender, WithoutAcknowledgementsWhatIsWrittenIsDone) {
    Desk desk({});
    desk.send(250);
    desk.send(30);
    desk.write(250);
    EXPECT_EQ(desk.done(), 0U);
    desk.write(3 * 2 + 2);  // the heads; the last two lengths have one octet
    EXPECT_EQ(desk.done(), 1U);
    desk.write();
    EXPECT_EQ(desk.done(), 2U);
    EXPECT_EQ(desk.acknowledge(5), LinkFault::kNone);
    EXPECT_EQ(desk.refuse(), LinkFault::kProtocolError);
}

TEST(Sender, QueuesNoMoreThanItMay) {
    Desk desk(kAll, 100, 1000);
    desk.send(100'000);
    desk.send(50);
    EXPECT_LE(desk.queue.pending(), 1000U + 102);
    EXPECT_EQ(desk.sender.credit(), 0U);
    desk.write();
    EXPECT_EQ(desk.bundles(), (std::vector<Bytes>{desk.sent[0], desk.sent[1]}));
    EXPECT_EQ(desk.sender.credit(), 1000U);
}

TEST(Sender, BeginsOnlySoManyBundlesBeforeTheyAreAnswered) {
    Desk desk(kAll, 100, 1000, 2);
    for (int i = 0; i < 4; ++i) desk.send(50);
    EXPECT_EQ(desk.sender.credit(), 0U);
    desk.write();
    EXPECT_EQ(desk.bundles().size(), 2U);
    EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
    desk.write();
    EXPECT_EQ(desk.bundles().size(), 3U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
        desk.write();
    }
    EXPECT_EQ(desk.done(), 4U);
    EXPECT_EQ(desk.sender.credit(), 1000U);
}

// At every octet that the kernel may have reached: the segment begun is finished and no other one
// of the bundle begins, what is behind it stays as it is.
TEST(Sender, ARefusalStopsABundleAtTheNextSegment) {
    Desk model(kAll);
    model.send(20);
    model.send(330);
    model.send(40);
    model.write();
    const std::size_t first = 22;         // octets of the first bundle's message
    const std::size_t begin = first + 3;  // behind the LENGTH
    const std::size_t all = model.stream.size();
    for (std::size_t written = begin + 1; written <= all; ++written) {
        Desk desk(kAll);
        desk.send(20);
        desk.send(330);
        desk.send(40);
        desk.write(written);
        ASSERT_EQ(desk.acknowledge(20), LinkFault::kNone);
        ASSERT_EQ(desk.refuse(), LinkFault::kNone) << written;
        desk.write();
        const std::size_t begun = std::min<std::size_t>(4, (written - begin + 101) / 102);
        const std::vector<Message> messages = desk.messages();
        ASSERT_EQ(messages.size(), 2 + begun + 1) << written;
        for (std::size_t i = 2; i + 1 < messages.size(); ++i)
            ASSERT_EQ(messages[i].data.size(), messages[i].head.number);
        ASSERT_EQ(messages.back().data, desk.sent[2]);
        ASSERT_EQ(desk.done(), 2U);
        ASSERT_EQ(desk.refused,
                  (std::vector<std::pair<std::uint64_t, Refusal>>{{1, Refusal::kNoResources}}));
        ASSERT_EQ(desk.acknowledge(40), LinkFault::kNone);
        ASSERT_EQ(desk.done(), 3U);
        ASSERT_TRUE(desk.sender.idle());
    }
}

TEST(Sender, ARefusedBundleIsKeptUntilItsSegmentIsWritten) {
    Desk desk(kAll, 10'000, 100'000);
    desk.send(8000);
    desk.write(5000);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 0U);
    EXPECT_EQ(desk.acknowledge(8000), LinkFault::kProtocolError) << "it is refused";
    desk.write();
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_EQ(desk.bundles(), std::vector<Bytes>{desk.sent[0]});
}

TEST(Sender, ARefusalIsForTheOldestBundleThatIsNotAnswered) {
    Desk desk(kAll);
    for (int i = 0; i < 4; ++i) desk.send(50 + i);
    desk.write();
    EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
    EXPECT_EQ(desk.refuse(1), LinkFault::kNone);
    EXPECT_EQ(desk.refuse(3), LinkFault::kNone);
    EXPECT_EQ(desk.acknowledge(53), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 4U);
    EXPECT_EQ(desk.refused, (std::vector<std::pair<std::uint64_t, Refusal>>{
                                {1, Refusal::kCompleted}, {2, Refusal::kRetransmit}}));
    EXPECT_EQ(desk.refuse(), LinkFault::kProtocolError) << "nothing is left to refuse";
}

TEST(Sender, WhatIsNotBegunCannotBeRefused) {
    Desk desk(kAll);
    desk.send(50);
    EXPECT_EQ(desk.refuse(), LinkFault::kProtocolError);
    desk.write(1);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
}

TEST(Sender, AnUnknownReasonIsNoReason) {
    Desk desk(kAll);
    desk.send(50);
    desk.write();
    EXPECT_EQ(desk.refuse(9), LinkFault::kNone);
    desk.done();
    EXPECT_EQ(desk.refused.front().second, Refusal::kUnknown);
    Desk strict(kAll, 100, 1000, 100, true);
    strict.send(50);
    strict.write();
    EXPECT_EQ(strict.refuse(9), LinkFault::kProtocolError);
}

// A peer that answers every segment refuses those of the bundle that were on their way.
TEST(Sender, SegmentsThatCrossedTheRefusalAreRefusedToo) {
    Desk desk(kAll);
    desk.send(330);
    desk.write();
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 1U);
    EXPECT_EQ(desk.refuse(), LinkFault::kProtocolError) << "one more than there were segments";

    Desk once(kAll);
    once.send(330);
    once.write();
    EXPECT_EQ(once.refuse(), LinkFault::kNone);
    once.send(50);
    once.write();
    EXPECT_EQ(once.acknowledge(50), LinkFault::kNone) << "one refusal a bundle is fine as well";
    EXPECT_EQ(once.done(), 2U);
    EXPECT_EQ(once.refused.size(), 1U);
}

// Whether a second refusal is for the same bundle or for the next one cannot be known, so that an
// acknowledgement behind it may be for another bundle than it seems.
TEST(Sender, InDoubtABundleIsSentAgainAndNoOtherOneBegins) {
    Desk desk(kAll);
    desk.send(330);
    for (int i = 0; i < 3; ++i) desk.send(50);
    desk.write();
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.refuse(), LinkFault::kNone);
    EXPECT_EQ(desk.sender.credit(), 0U);
    desk.send(60);
    desk.write();
    EXPECT_EQ(desk.bundles().size(), 4U);
    EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
    EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
    desk.write();
    EXPECT_EQ(desk.bundles().size(), 4U) << "one answer is missing";
    EXPECT_EQ(desk.acknowledge(50), LinkFault::kNone);
    desk.write();
    EXPECT_EQ(desk.bundles().size(), 5U);
    EXPECT_EQ(desk.acknowledge(60), LinkFault::kNone);
    EXPECT_EQ(desk.done(), 5U);
    const std::vector<std::pair<std::uint64_t, Refusal>> expected{{0, Refusal::kNoResources},
                                                                  {1, Refusal::kRetransmit},
                                                                  {2, Refusal::kRetransmit},
                                                                  {3, Refusal::kRetransmit}};
    EXPECT_EQ(desk.refused, expected);
}

// At every octet that the kernel may have reached: what has begun is finished, no other one is.
TEST(Sender, FinishesTheBundleBegun) {
    Desk model(kAll);
    const std::vector<std::size_t> sizes{20, 2330, 40};
    for (const std::size_t size : sizes) model.send(size);
    std::vector<std::size_t> ends;
    model.write();
    for (std::size_t written = 0; written <= model.stream.size(); written += 7) {
        Desk desk(kAll);
        for (const std::size_t size : sizes) desk.send(size);
        desk.write(written);
        desk.sender.finish();
        desk.send(10);
        desk.write();
        const std::vector<Bytes> bundles = desk.bundles();
        ASSERT_LE(bundles.size(), 3U);
        for (std::size_t i = 0; i < bundles.size(); ++i) {
            ASSERT_EQ(bundles[i], desk.sent[i]) << written;
            ASSERT_EQ(desk.sender.handle_acknowledgement(sizes[i]), LinkFault::kNone);
        }
        ASSERT_TRUE(desk.sender.idle()) << written;
        ASSERT_EQ(desk.sender.credit(), 0U);
    }
}

TEST(Sender, WithdrawsAllOctetsOfBundles) {
    Desk model(kAll);
    for (const std::size_t size : {20U, 2330U, 40U}) model.send(size);
    model.write();
    const Bytes foreign{0x40, 0x21, 0x05};
    for (std::size_t written = 0; written <= model.stream.size(); ++written) {
        Desk desk(kAll);
        for (const std::size_t size : {20U, 2330U, 40U}) desk.send(size);
        desk.write(written);
        desk.queue.copy(foreign);
        Bytes before = desk.stream;
        const bool at_boundary = desk.sender.withdraw();
        desk.sent.clear();
        ASSERT_TRUE(desk.sender.idle());
        if (!at_boundary) continue;
        desk.write();
        append(before, foreign);
        ASSERT_EQ(desk.stream, before) << written;
    }
}

TEST(Sender, ProgressIsWhatAnswersBring) {
    Desk desk(kAll);
    desk.send(250);
    desk.send(50);
    std::uint64_t before = desk.sender.progress();
    desk.write(100);
    EXPECT_NE(desk.sender.progress(), before);
    desk.write(200);
    before = desk.sender.progress();
    desk.queue.copy(Bytes(100, 0x40));
    desk.write();
    EXPECT_EQ(desk.sender.progress(), before) << "the oldest one is written already";
    EXPECT_EQ(desk.acknowledge(100), LinkFault::kNone);
    EXPECT_NE(desk.sender.progress(), before);
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::sender_test
