// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/codec/segment.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"

namespace farlink::cla::ltp::segment_test {
namespace {

using test::from_hex;

SegmentError error_of(const std::string &hex) {
    const auto segment = decode_segment(from_hex(hex));
    EXPECT_FALSE(segment.has_value()) << hex;
    return segment ? SegmentError::kCount_ : segment.error();
}

TEST(LtpSegment, DataHasItsFields) {
    const Bytes octets = from_hex("030a895200010005010001020304ff");
    const auto segment = decode_segment(octets);
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->type, SegmentType::kEndOfRedBlock);
    EXPECT_EQ(segment->originator, 10U);
    EXPECT_EQ(segment->session, 1234U);
    EXPECT_EQ(segment->data.service, 1U);
    EXPECT_EQ(segment->data.checkpoint_serial, 1U);
    EXPECT_EQ(segment->data.report_serial, 0U);
    EXPECT_EQ(segment->data.data.size(), 5U);
    EXPECT_EQ(segment->octets.size(), octets.size());
}

TEST(LtpSegment, DecodingStopsAtTheEndOfASegment) {
    const Bytes octets = from_hex(
        "090a895200a708"
        "0d0a895200");
    const auto first = decode_segment(octets);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->acked_report, 5000U);
    const auto second = decode_segment(ByteView(octets).subspan(first->octets.size()));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->type, SegmentType::kCancelAckToSender);
}

TEST(LtpSegment, EveryTruncationIsAnError) {
    for (const char *const hex : {"000a8952000100140104070a0d101316191c1f2225282b2e3134373a",
                                  "020a895211c003686472010005010001040a0d07c107747261696c6572",
                                  "080a895200a7094dae70876802008f5097388374", "090a895200a708",
                                  "0c0a89520004", "0d0a895200"}) {
        const Bytes octets = from_hex(hex);
        ASSERT_TRUE(decode_segment(octets).has_value()) << hex;
        for (std::size_t size = 0; size < octets.size(); ++size) {
            const Bytes cut(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
            const auto segment = decode_segment(cut);
            ASSERT_FALSE(segment.has_value()) << hex << " cut to " << size;
            EXPECT_EQ(segment.error(), SegmentError::kTruncated);
        }
    }
}

TEST(LtpSegment, MalformedSegmentsHaveAReason) {
    EXPECT_EQ(error_of("100a0100"), SegmentError::kVersion);
    for (const char *const type : {"05", "06", "0a", "0b"})
        EXPECT_EQ(error_of(std::string(type) + "0a0100010000"), SegmentError::kUndefined);
    // serial numbers of 0
    EXPECT_EQ(error_of("010a010001000100007a"), SegmentError::kNumber);
    EXPECT_EQ(error_of("090a010000"), SegmentError::kNumber);
    EXPECT_EQ(error_of("080a01000001640000"), SegmentError::kNumber);
    // an offset that overflows with its length
    EXPECT_EQ(error_of("000a01000181ffffffffffffffff7f0200"), SegmentError::kBounds);
    // a number above 64 bits
    EXPECT_EQ(error_of("00ffffffffffffffffffff7f0100"), SegmentError::kNumber);
    // a report without scope
    EXPECT_EQ(error_of("080a010005070a0a00"), SegmentError::kBounds);
}

TEST(LtpSegment, ClaimsAreInOrderAndInScope) {
    EXPECT_TRUE(decode_segment(from_hex("080a010005076400020005065e")).has_value());
    EXPECT_EQ(error_of("080a010005076400020005050a"), SegmentError::kClaims);  // adjacent
    EXPECT_EQ(error_of("080a0100050764000100"
                       "00"),
              SegmentError::kClaims);                                             // empty
    EXPECT_EQ(error_of("080a010005076400010065"), SegmentError::kClaims);         // too long
    EXPECT_TRUE(decode_segment(from_hex("080a010005076400016301")).has_value());  // the last one
}

TEST(LtpSegment, ReportsAreReadAsTheyWereWritten) {
    Bytes octets(200);
    std::uint8_t *to = encode_prefix(octets.data(), SegmentType::kReport, 7, 1ULL << 62);
    const ReportFields fields{99, 12, 70'000, 1000, 2, {}};
    to = encode_report_fields(to, fields);
    to = encode_claim(to, {1000, 2000}, 1000);
    to = encode_claim(to, {40'000, 70'000}, 1000);
    octets.resize(static_cast<std::size_t>(to - octets.data()));
    const auto segment = decode_segment(octets);
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->session, 1ULL << 62);
    EXPECT_EQ(segment->report.upper, 70'000U);
    ClaimReader claims(segment->report);
    EXPECT_EQ(claims.next(), (Interval{1000, 2000}));
    EXPECT_EQ(claims.next(), (Interval{40'000, 70'000}));
    EXPECT_EQ(claims.next(), std::nullopt);
}

TEST(LtpSegment, TheOriginatorIsReadWithoutDecodingTheRest) {
    EXPECT_EQ(peek_originator(from_hex("008952")), EngineId{1234});
    EXPECT_EQ(peek_originator(from_hex("00")), std::nullopt);
    EXPECT_EQ(peek_originator(from_hex("0089")), std::nullopt);
    EXPECT_EQ(peek_originator(from_hex("1001")), std::nullopt);
}

}  // namespace
}  // namespace farlink::cla::ltp::segment_test
