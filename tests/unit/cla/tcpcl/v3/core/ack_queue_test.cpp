// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/ack_queue.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

constexpr SessionTerms kAll{.acknowledgements = true, .refusal = true};
constexpr SessionTerms kAcksOnly{.acknowledgements = true};

struct Desk {
    explicit Desk(const SessionTerms &terms) : answers(queue) { answers.agree(terms); }

    std::string written() {
        std::array<iovec, 8> pieces;
        std::string text;
        while (queue.pending() > 0) {
            const std::size_t count = queue.gather(pieces, ~std::size_t{0});
            for (std::size_t i = 0; i < count; ++i) {
                text += test::to_hex(
                    {static_cast<const std::uint8_t *>(pieces[i].iov_base), pieces[i].iov_len});
                queue.written(pieces[i].iov_len);
            }
        }
        return text;
    }
    TxQueue queue;
    Answers answers;
};

TEST(Answers, GoAtOnceWhileNothingIsHeld) {
    Desk desk(kAll);
    desk.answers.acknowledge(100);
    desk.answers.refuse(RefusalCode::kNoResources);
    EXPECT_EQ(desk.written(), "206432");
}

TEST(Answers, WaitForTheBundleBeforeThem) {
    Desk desk(kAll);
    desk.answers.acknowledge(1);
    desk.answers.hold(2);  // bundle 0
    desk.answers.acknowledge(3);
    desk.answers.refuse(RefusalCode::kNoResources);
    desk.answers.hold(4);  // bundle 1
    desk.answers.hold(5);  // bundle 2
    desk.answers.acknowledge(6);
    EXPECT_EQ(desk.written(), "2001");
    EXPECT_EQ(desk.answers.unsettled_bytes(),
              Answers::cost(2) + Answers::cost(4) + Answers::cost(5));

    EXPECT_TRUE(desk.answers.settle(1, 1, Settlement::kSafe));
    EXPECT_EQ(desk.written(), "");
    EXPECT_TRUE(desk.answers.settle(0, 1, Settlement::kSafe));
    EXPECT_EQ(desk.written(),
              "2002"
              "2003"
              "32"
              "2004");
    EXPECT_FALSE(desk.answers.all_settled());
    EXPECT_TRUE(desk.answers.settle(2, 1, Settlement::kNotAcceptable));
    EXPECT_EQ(desk.written(),
              "30"
              "2006");
    EXPECT_TRUE(desk.answers.all_settled());
    EXPECT_EQ(desk.answers.unsettled_bytes(), 0U);
    desk.answers.acknowledge(7);
    EXPECT_EQ(desk.written(), "2007");
}

// A bundle that is bad has arrived all the same: told so, its sender goes on with the next one.
TEST(Answers, WithoutRefusalsABadBundleIsAcknowledged) {
    Desk desk(kAcksOnly);
    desk.answers.hold(2);
    desk.answers.hold(3);
    EXPECT_TRUE(desk.answers.settle(0, 1, Settlement::kNotAcceptable));
    EXPECT_EQ(desk.written(), "2002");
    EXPECT_FALSE(desk.answers.settle(1, 1, Settlement::kNoResources));
}

TEST(Answers, NamesAreGoneForGood) {
    Desk desk(kAll);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        desk.answers.hold(i % 100);
        desk.answers.hold(i % 100);
        EXPECT_TRUE(desk.answers.settle(2 * i, 2, Settlement::kSafe));
    }
    EXPECT_EQ(desk.written().size(), 2000U * 4);
}

TEST(Answers, WithoutRefusalsThereIsNoWayToSayNo) {
    Desk desk(kAcksOnly);
    desk.answers.hold(2);
    EXPECT_FALSE(desk.answers.settle(0, 1, Settlement::kNoResources));
    EXPECT_EQ(desk.written(), "");
}

TEST(Answers, WithoutAcknowledgementsThereAreNone) {
    Desk desk({});
    desk.answers.acknowledge(1);
    desk.answers.hold(2);
    EXPECT_TRUE(desk.answers.all_settled());
    EXPECT_TRUE(desk.answers.settle(0, 1, Settlement::kNoResources));
    EXPECT_EQ(desk.written(), "");
    EXPECT_FALSE(desk.answers.can_refuse());
}

TEST(Answers, ManyThatWaitAreACrowd) {
    Desk desk(kAll);
    desk.answers.hold(2);
    std::uint64_t count = 0;
    while (!desk.answers.crowded()) desk.answers.acknowledge(++count);
    EXPECT_LE(count, 64U * 1024);
    EXPECT_TRUE(desk.answers.settle(0, 1, Settlement::kSafe));
    EXPECT_FALSE(desk.answers.crowded());
}

using AnswersDeathTest = testing::Test;

TEST(AnswersDeathTest, ABundleIsSettledOnce) {
    Desk desk(kAll);
    desk.answers.hold(2);
    desk.answers.hold(2);
    EXPECT_DEATH((void)desk.answers.settle(1, 2, Settlement::kSafe), "broken invariant");
    EXPECT_TRUE(desk.answers.settle(1, 1, Settlement::kSafe));
    EXPECT_DEATH((void)desk.answers.settle(1, 1, Settlement::kSafe), "broken invariant");
    EXPECT_TRUE(desk.answers.settle(0, 1, Settlement::kSafe));
    EXPECT_DEATH((void)desk.answers.settle(0, 1, Settlement::kSafe), "broken invariant");
}

}  // namespace
}  // namespace farlink::cla::tcpclv3
