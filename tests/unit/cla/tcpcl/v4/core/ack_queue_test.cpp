// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/ack_queue.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::ack_queue_test {
namespace {

using test::to_hex;

struct Fixture {
    std::string said() {
        std::array<iovec, 64> pieces;
        Bytes octets;
        const std::size_t count = out.queue().gather(pieces, ~std::size_t{0});
        for (std::size_t i = 0; i < count; ++i)
            append(octets,
                   {static_cast<const std::uint8_t *>(pieces[i].iov_base), pieces[i].iov_len});
        out.queue().written(octets.size());
        return to_hex(octets);
    }
    WireOut out;
    AckQueue ack_queue{out};
};

TEST(Tcpclv4Answers, AreGivenInTheOrderOfTheTransfers) {
    Fixture fixture;
    AckQueue &ack_queue = fixture.ack_queue;
    for (std::uint64_t id = 10; id < 14; ++id) ack_queue.handle_delivered(id, 100, 3);
    EXPECT_EQ(ack_queue.next_number(), 4U);
    ack_queue.handle_disposition(1, 2, TransferDisposition::kSafe);
    EXPECT_EQ(fixture.said(), "");
    ack_queue.handle_disposition(0, 1, TransferDisposition::kNoResources);
    EXPECT_EQ(fixture.said(), to_hex(refuse_octets(Refusal::kNoResources, 10) +
                                     ack_octets(3, 11, 100) + ack_octets(3, 12, 100)));
    EXPECT_FALSE(ack_queue.all_acknowledged());
    ack_queue.handle_disposition(3, 1, TransferDisposition::kNotAcceptable);
    EXPECT_EQ(fixture.said(), to_hex(refuse_octets(Refusal::kNotAcceptable, 13)));
    EXPECT_TRUE(ack_queue.all_acknowledged());
    EXPECT_EQ(ack_queue.unacknowledged_bytes(), 0U);
}

TEST(Tcpclv4Answers, RefusalsWaitForTheBundlesBeforeThem) {
    Fixture fixture;
    AckQueue &ack_queue = fixture.ack_queue;
    ack_queue.handle_refused(0, Refusal::kExtensionFailure);
    EXPECT_EQ(fixture.said(), to_hex(refuse_octets(Refusal::kExtensionFailure, 0)));
    ack_queue.handle_refused_again();
    EXPECT_EQ(fixture.said(), to_hex(refuse_octets(Refusal::kExtensionFailure, 0)));
    ack_queue.handle_delivered(1, 5, 1);
    ack_queue.handle_refused(2, Refusal::kNoResources);
    ack_queue.handle_refused(3, Refusal::kNoResources);
    ack_queue.handle_refused_again();  // covered by the one that waits
    ack_queue.handle_empty(4, 3);
    ack_queue.handle_delivered(5, 6, 1);
    ack_queue.handle_refused(6, Refusal::kNotAcceptable);
    ack_queue.handle_disposition(1, 1, TransferDisposition::kSafe);
    EXPECT_EQ(fixture.said(), "");
    ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe);
    EXPECT_EQ(fixture.said(),
              to_hex(ack_octets(1, 1, 5) + refuse_octets(Refusal::kNoResources, 2) +
                     refuse_octets(Refusal::kNoResources, 3) + ack_octets(3, 4, 0) +
                     ack_octets(1, 5, 6) + refuse_octets(Refusal::kNotAcceptable, 6)));
    EXPECT_TRUE(ack_queue.all_acknowledged());
}

TEST(Tcpclv4Answers, LongRunsAreGivenWhole) {
    Fixture fixture;
    std::string expected;
    constexpr std::uint32_t kMany = 5000;
    for (std::uint64_t id = 0; id < kMany; ++id) {
        fixture.ack_queue.handle_delivered(id, id, 3);
        expected += to_hex(ack_octets(3, id, id));
    }
    fixture.ack_queue.handle_disposition(0, kMany, TransferDisposition::kSafe);
    EXPECT_EQ(fixture.said(), expected);
}

TEST(Tcpclv4Answers, AFloodOfRefusalsBehindOneBundleTakesNoMemoryAndHasAnEnd) {
    Fixture fixture;
    fixture.ack_queue.handle_delivered(0, 5, 3);
    std::uint64_t id = 1;
    while (!fixture.ack_queue.overfull() && id < 2 * AckQueue::kMaxAside)
        fixture.ack_queue.handle_refused(id++, Refusal::kNoResources);
    EXPECT_EQ(id, AckQueue::kMaxAside + 2);
    EXPECT_EQ(fixture.said(), "");
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::ack_queue_test
