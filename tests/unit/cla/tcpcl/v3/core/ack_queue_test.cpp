// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/ack_queue.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3::ack_queue_test {
namespace {

constexpr SessionTerms kAll{.acknowledgements = true, .refusal = true};
constexpr SessionTerms kAcksOnly{.acknowledgements = true};

struct Desk {
    explicit Desk(const SessionTerms &terms) : ack_queue(queue) { ack_queue.agree(terms); }

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
    AckQueue ack_queue;
};

TEST(AckQueue, GoAtOnceWhileNothingIsHeld) {
    Desk desk(kAll);
    desk.ack_queue.acknowledge(100);
    desk.ack_queue.handle_refused(RefusalCode::kNoResources);
    EXPECT_EQ(desk.written(), "206432");
}

TEST(AckQueue, WaitForTheBundleBeforeThem) {
    Desk desk(kAll);
    desk.ack_queue.acknowledge(1);
    desk.ack_queue.handle_delivered(2);  // bundle 0
    desk.ack_queue.acknowledge(3);
    desk.ack_queue.handle_refused(RefusalCode::kNoResources);
    desk.ack_queue.handle_delivered(4);  // bundle 1
    desk.ack_queue.handle_delivered(5);  // bundle 2
    desk.ack_queue.acknowledge(6);
    EXPECT_EQ(desk.written(), "2001");
    EXPECT_EQ(desk.ack_queue.unacknowledged_bytes(),
              AckQueue::cost(2) + AckQueue::cost(4) + AckQueue::cost(5));

    EXPECT_TRUE(desk.ack_queue.handle_disposition(1, 1, TransferDisposition::kSafe));
    EXPECT_EQ(desk.written(), "");
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_EQ(desk.written(),
              "2002"
              "2003"
              "32"
              "2004");
    EXPECT_FALSE(desk.ack_queue.all_acknowledged());
    EXPECT_TRUE(desk.ack_queue.handle_disposition(2, 1, TransferDisposition::kNotAcceptable));
    EXPECT_EQ(desk.written(),
              "30"
              "2006");
    EXPECT_TRUE(desk.ack_queue.all_acknowledged());
    EXPECT_EQ(desk.ack_queue.unacknowledged_bytes(), 0U);
    desk.ack_queue.acknowledge(7);
    EXPECT_EQ(desk.written(), "2007");
}

// An unacceptable bundle has arrived whole: acknowledged, its sender goes on with the next one.
TEST(AckQueue, WithoutRefusalsABadBundleIsAcknowledged) {
    Desk desk(kAcksOnly);
    desk.ack_queue.handle_delivered(2);
    desk.ack_queue.handle_delivered(3);
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kNotAcceptable));
    EXPECT_EQ(desk.written(), "2002");
    EXPECT_FALSE(desk.ack_queue.handle_disposition(1, 1, TransferDisposition::kNoResources));
}

TEST(AckQueue, NamesAreGoneForGood) {
    Desk desk(kAll);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        desk.ack_queue.handle_delivered(i % 100);
        desk.ack_queue.handle_delivered(i % 100);
        EXPECT_TRUE(desk.ack_queue.handle_disposition(2 * i, 2, TransferDisposition::kSafe));
    }
    EXPECT_EQ(desk.written().size(), 2000U * 4);
}

TEST(AckQueue, WithoutRefusalsThereIsNoWayToSayNo) {
    Desk desk(kAcksOnly);
    desk.ack_queue.handle_delivered(2);
    EXPECT_FALSE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kNoResources));
    EXPECT_EQ(desk.written(), "");
}

TEST(AckQueue, WithoutAcknowledgementsThereAreNone) {
    Desk desk({});
    desk.ack_queue.acknowledge(1);
    desk.ack_queue.handle_delivered(2);
    EXPECT_TRUE(desk.ack_queue.all_acknowledged());
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kNoResources));
    EXPECT_EQ(desk.written(), "");
    EXPECT_FALSE(desk.ack_queue.can_refuse());
}

TEST(AckQueue, ManyThatWaitAreACrowd) {
    Desk desk(kAll);
    desk.ack_queue.handle_delivered(2);
    std::uint64_t count = 0;
    while (!desk.ack_queue.overfull()) desk.ack_queue.acknowledge(++count);
    EXPECT_LE(count, 64U * 1024);
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_FALSE(desk.ack_queue.overfull());
}

using AnswersDeathTest = testing::Test;

TEST(AnswersDeathTest, ABundleIsSettledOnce) {
    Desk desk(kAll);
    desk.ack_queue.handle_delivered(2);
    desk.ack_queue.handle_delivered(2);
    EXPECT_DEATH((void)desk.ack_queue.handle_disposition(1, 2, TransferDisposition::kSafe),
                 "broken invariant");
    EXPECT_TRUE(desk.ack_queue.handle_disposition(1, 1, TransferDisposition::kSafe));
    EXPECT_DEATH((void)desk.ack_queue.handle_disposition(1, 1, TransferDisposition::kSafe),
                 "broken invariant");
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_DEATH((void)desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe),
                 "broken invariant");
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::ack_queue_test
