// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/content/payload.hpp"

#include <gtest/gtest.h>

namespace farlink::traffic::payload_test {
namespace {

PayloadHeader some_header() {
    PayloadHeader header;
    header.length_bytes = 100;
    header.run = 0x0102030405060708;
    header.sequence = 7;
    header.sent_unix_ns = 1'700'000'000'000'000'001;
    header.total = 9;
    header.seed = ~std::uint64_t{0};
    return header;
}

Bytes payload_of(const PayloadHeader &header) {
    Bytes payload(header.length_bytes);
    header.write(payload.data());
    return payload;
}

TEST(PayloadHeader, IsReadAsItWasWritten) {
    const PayloadHeader header = some_header();
    const Bytes payload = payload_of(header);
    const auto read = PayloadHeader::read(payload, payload.size());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->length_bytes, header.length_bytes);
    EXPECT_EQ(read->run, header.run);
    EXPECT_EQ(read->sequence, header.sequence);
    EXPECT_EQ(read->sent_unix_ns, header.sent_unix_ns);
    EXPECT_EQ(read->total, header.total);
    EXPECT_EQ(read->seed, header.seed);
}

TEST(PayloadHeader, OfBpgenIsWhatEarlierVersionsRead) {
    const Bytes payload = payload_of(some_header());
    EXPECT_EQ(load_be<std::uint32_t>(payload.data()), 0x666c7431U);
    EXPECT_FALSE(PayloadHeader::read(payload, payload.size())->is_ping);
}

TEST(PayloadHeader, OfBpingDiffersInEveryOctetOfItsMagic) {
    const Bytes other = payload_of(some_header());
    PayloadHeader header = some_header();
    header.is_ping = true;
    const Bytes payload = payload_of(header);
    const auto read = PayloadHeader::read(payload, payload.size());
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->is_ping);
    EXPECT_EQ(read->sequence, header.sequence);
    for (std::size_t at = 0; at < 4; ++at) EXPECT_NE(payload[at], other[at]);
}

TEST(PayloadHeader, OfAForeignPayloadIsRefused) {
    Bytes payload = payload_of(some_header());
    EXPECT_FALSE(PayloadHeader::read({}, 0));
    EXPECT_FALSE(PayloadHeader::read(ByteView(payload).first(PayloadHeader::kBytes - 1), 100));
    payload[0] ^= 1;
    EXPECT_FALSE(PayloadHeader::read(payload, payload.size()));
}

TEST(PayloadHeader, OfAPayloadThatWasCutOrGrewIsRefused) {
    const Bytes payload = payload_of(some_header());
    EXPECT_FALSE(PayloadHeader::read(payload, 99));
    EXPECT_FALSE(PayloadHeader::read(payload, 101));
}

TEST(PayloadHeader, OfAPayloadThatEndsInsideTheHeaderIsRefused) {
    PayloadHeader header = some_header();
    header.length_bytes = PayloadHeader::kBytes - 1;
    Bytes front(PayloadHeader::kBytes);
    header.write(front.data());
    EXPECT_FALSE(PayloadHeader::read(front, header.length_bytes));
}

TEST(Pattern, DependsOnTheSeedAndRepeats) {
    const Pattern pattern(1);
    const ByteView stretch = pattern.stretch();
    ASSERT_EQ(stretch.size(), Pattern::kStretch);
    for (std::size_t at = 0; at + Pattern::kPeriod < stretch.size(); ++at)
        ASSERT_EQ(stretch[at], stretch[at + Pattern::kPeriod]);
    EXPECT_FALSE(Pattern(2).matches(stretch.first(16)));
}

TEST(Pattern, MatchesEveryLengthAndNoChangedOctet) {
    const Pattern pattern(3);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, Pattern::kPeriod - 1, Pattern::kPeriod,
          Pattern::kPeriod + 1, 2 * Pattern::kPeriod + 5, Pattern::kStretch}) {
        const ByteView start = pattern.stretch().first(size);
        Bytes octets(start.begin(), start.end());
        EXPECT_TRUE(pattern.matches(octets));
        for (std::size_t at = 0; at < size; at += 97) {
            octets[at] ^= 0x80;
            EXPECT_FALSE(pattern.matches(octets)) << at << " of " << size;
            octets[at] ^= 0x80;
        }
    }
}

TEST(Pattern, MatchesFromEveryOffset) {
    const Pattern pattern(4);
    for (const std::size_t offset :
         {std::size_t{1}, std::size_t{100}, Pattern::kPeriod - 1, Pattern::kPeriod + 7}) {
        const ByteView rest = pattern.stretch().subspan(offset, 2 * Pattern::kPeriod);
        EXPECT_TRUE(pattern.matches(rest, offset));
        EXPECT_TRUE(pattern.matches(rest, offset + 10 * Pattern::kPeriod));
        EXPECT_FALSE(pattern.matches(rest, offset + 1));
    }
}

}  // namespace
}  // namespace farlink::traffic::payload_test
