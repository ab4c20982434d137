// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/message.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3::message_test {
namespace {

using test::from_hex;
using test::to_hex;

TEST(Message, ReadsWhatItWrites) {
    for (const MessageType type :
         {MessageType::kDataSegment, MessageType::kAckSegment, MessageType::kLength}) {
        for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                           std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
            std::array<std::uint8_t, kMaxHeadBytes> octets;
            const std::size_t size = encode_head(type, kSegmentFlags, number, octets.data());
            const auto head = decode_head(ByteView(octets).first(size));
            ASSERT_TRUE(head);
            EXPECT_EQ(head->type, type);
            EXPECT_EQ(head->flags, kSegmentFlags);
            EXPECT_EQ(head->number, number);
            EXPECT_EQ(head->size, size);
            for (std::size_t cut = 1; cut < size; ++cut) {
                const auto part = decode_head(ByteView(octets).first(cut));
                ASSERT_FALSE(part);
                EXPECT_EQ(part.error(), MessageError::kTruncated);
            }
        }
    }
}

TEST(Message, ARefusalHasItsReasonInTheFirstOctet) {
    const auto head = decode_head(from_hex("32"));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->type, MessageType::kRefuseBundle);
    EXPECT_EQ(head->flags, static_cast<std::uint8_t>(RefusalCode::kNoResources));
    EXPECT_EQ(head->size, 1U);
    EXPECT_EQ(one_octet(MessageType::kRefuseBundle, 2), 0x32);
    EXPECT_EQ(one_octet(MessageType::kKeepAlive), 0x40);
}

TEST(Message, KnowsNoOtherTypes) {
    for (const unsigned type : {0U, 7U, 8U, 15U}) {
        const Bytes octets{static_cast<std::uint8_t>(type << 4), 1};
        const auto head = decode_head(octets);
        ASSERT_FALSE(head);
        EXPECT_EQ(head.error(), MessageError::kUnknownType);
    }
}

TEST(Message, ANumberBeyond64BitsIsNone) {
    for (const char *text : {"13ffffffffffffffffff7f", "2080808080808080808080808001"}) {
        const auto head = decode_head(from_hex(text));
        ASSERT_FALSE(head);
        EXPECT_EQ(head.error(), MessageError::kBadNumber);
    }
}

TEST(Shutdown, SaysAsMuchAsItIsGiven) {
    struct Case {
        ShutdownMessage message;
        const char *octets;
    };
    for (const Case &item : {Case{{}, "50"}, Case{{.reason = 1}, "5201"},
                             Case{{.reconnection_delay_s = 300}, "51822c"},
                             Case{{.reason = 2, .reconnection_delay_s = 0}, "530200"}}) {
        std::array<std::uint8_t, kMaxShutdownBytes> octets;
        const std::size_t size = encode_shutdown(item.message, octets.data());
        EXPECT_EQ(to_hex(ByteView(octets).first(size)), item.octets);
        const auto read = decode_shutdown(ByteView(octets).first(size));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->reason, item.message.reason);
        EXPECT_EQ(read->reconnection_delay_s, item.message.reconnection_delay_s);
        EXPECT_EQ(read->size, size);
        for (std::size_t cut = 1; cut < size; ++cut) {
            const auto part = decode_shutdown(ByteView(octets).first(cut));
            ASSERT_FALSE(part);
            EXPECT_EQ(part.error(), MessageError::kTruncated);
        }
    }
}

TEST(Shutdown, ADelayBeyond64BitsIsNone) {
    const auto read = decode_shutdown(from_hex("51ffffffffffffffffff7f"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), MessageError::kBadNumber);
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::message_test
