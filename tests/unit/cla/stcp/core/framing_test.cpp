// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/core/framing.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hex.hpp"

namespace farlink::cla::stcp::framing_test {
namespace {

using test::from_hex;
using test::to_hex;

std::string head_of(Framing framing, std::uint64_t length) {
    std::array<std::uint8_t, kMaxFrameHeadBytes> octets;
    return to_hex(ByteView(octets).first(encode_frame_head(framing, length, octets.data())));
}

TEST(Framing, TheSchemeNamesIt) {
    EXPECT_EQ(framing_of("mtcp"), Framing::kMtcp);
    EXPECT_EQ(framing_of("stcp"), Framing::kStcp);
}

TEST(Framing, HeadsAreShort) {
    EXPECT_EQ(head_of(Framing::kStcp, 0), "00000000");
    EXPECT_EQ(head_of(Framing::kStcp, 0x12345678), "12345678");
    EXPECT_EQ(head_of(Framing::kMtcp, 0), "40");
    EXPECT_EQ(head_of(Framing::kMtcp, 23), "57");
    EXPECT_EQ(head_of(Framing::kMtcp, 24), "5818");
    EXPECT_EQ(head_of(Framing::kMtcp, 255), "58ff");
    EXPECT_EQ(head_of(Framing::kMtcp, 256), "590100");
    EXPECT_EQ(head_of(Framing::kMtcp, 65536), "5a00010000");
    EXPECT_EQ(head_of(Framing::kMtcp, std::uint64_t{1} << 32), "5b0000000100000000");
}

TEST(Framing, HeadsOfAnyWidthAreRead) {
    for (const char *text : {"45", "5805", "590005", "5a00000005", "5b0000000000000005"}) {
        const Bytes octets = from_hex(text);
        const auto head = decode_frame_head(Framing::kMtcp, octets);
        ASSERT_TRUE(head) << text;
        EXPECT_EQ(head->length, 5U);
        EXPECT_EQ(head->size, octets.size());
        for (std::size_t cut = 0; cut < octets.size(); ++cut) {
            const auto part = decode_frame_head(Framing::kMtcp, ByteView(octets).first(cut));
            ASSERT_FALSE(part);
            EXPECT_EQ(part.error(), FrameError::kTruncated);
        }
    }
    for (std::size_t cut = 0; cut < 4; ++cut)
        EXPECT_EQ(decode_frame_head(Framing::kStcp, Bytes(cut)).error(), FrameError::kTruncated);
}

TEST(Framing, OnlyAByteStringOfKnownLengthIsAFrame) {
    for (unsigned initial = 0; initial < 256; ++initial) {
        Bytes octets(9);
        octets[0] = static_cast<std::uint8_t>(initial);
        const bool frame = initial >= 0x40 && initial <= 0x5b;
        const auto head = decode_frame_head(Framing::kMtcp, octets);
        ASSERT_EQ(head.has_value(), frame) << initial;
        if (!frame) {
            EXPECT_EQ(head.error(), FrameError::kNotAFrame);
        }
        EXPECT_TRUE(decode_frame_head(Framing::kStcp, octets));
    }
}

}  // namespace
}  // namespace farlink::cla::stcp::framing_test
