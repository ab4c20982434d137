// SPDX-License-Identifier: Apache-2.0
#include "common/codec/cbor.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/hex.hpp"

namespace farlink::codec::cbor_test {
namespace {

using test::from_hex;
using Fault = CborReader::Fault;

TEST(Cbor, WritesTheShortestHead) {
    const std::pair<std::uint64_t, const char *> cases[] = {
        {0, "00"},
        {23, "17"},
        {24, "1818"},
        {255, "18ff"},
        {256, "190100"},
        {65535, "19ffff"},
        {65536, "1a00010000"},
        {0xffffffff, "1affffffff"},
        {0x100000000, "1b0000000100000000"},
        {std::numeric_limits<std::uint64_t>::max(), "1bffffffffffffffff"},
    };
    for (const auto &[value, hex] : cases) {
        std::uint8_t head[kMaxCborHeadBytes];
        const ByteView written(head, write_cbor_uint(head, value));
        EXPECT_EQ(test::to_hex(written), hex);
        EXPECT_EQ(cbor_head_size(value), written.size());
        CborReader reader(written);
        std::uint64_t read = 0;
        EXPECT_TRUE(reader.uint(read));
        EXPECT_EQ(read, value);
        EXPECT_TRUE(reader.done());
        for (std::size_t size = 0; size < written.size(); ++size) {
            const Bytes prefix(written.begin(), written.begin() + static_cast<long>(size));
            CborReader cut(prefix);
            EXPECT_FALSE(cut.uint(read));
            EXPECT_EQ(cut.fault(), Fault::kTruncated);
        }
    }
}

TEST(Cbor, ReadsLongerThanShortestHeads) {
    for (const char *hex : {"05", "1805", "190005", "1a00000005", "1b0000000000000005"}) {
        const Bytes octets = from_hex(hex);
        CborReader reader(octets);
        std::uint64_t value = 0;
        EXPECT_TRUE(reader.uint(value)) << hex;
        EXPECT_EQ(value, 5U);
    }
}

TEST(Cbor, RefusesOtherTypesAndReservedHeads) {
    for (const char *hex : {"20", "40", "60", "80", "a0", "c0", "e0", "1c", "1d", "1e", "1f"}) {
        const Bytes octets = from_hex(hex);
        CborReader reader(octets);
        std::uint64_t value = 0;
        EXPECT_FALSE(reader.uint(value)) << hex;
        EXPECT_EQ(reader.fault(), Fault::kUnexpected) << hex;
        EXPECT_EQ(reader.at(), octets.data()) << "a failed read moves nothing";
    }
}

TEST(Cbor, ReadsArraysOfBothForms) {
    const Bytes octets = from_hex("83981f9f9bffffffffffffffff");
    CborReader reader(octets);
    std::uint64_t count = 0;
    EXPECT_TRUE(reader.array(count));
    EXPECT_EQ(count, 3U);
    EXPECT_TRUE(reader.array(count));
    EXPECT_EQ(count, 31U);
    EXPECT_TRUE(reader.array(count));
    EXPECT_EQ(count, CborReader::kIndefinite);
    EXPECT_FALSE(reader.array(count)) << "a count that means indefinite is not taken for one";
}

TEST(Cbor, ReadsStringsThatAreThere) {
    const Bytes octets = from_hex("43010203626869");
    CborReader reader(octets);
    ByteView string;
    EXPECT_TRUE(reader.string(CborMajor::kBytes, string));
    EXPECT_EQ(test::to_hex(string), "010203");
    EXPECT_TRUE(reader.string(CborMajor::kText, string));
    EXPECT_EQ(as_text(string), "hi");
    EXPECT_TRUE(reader.done());
    for (const char *hex : {"4401", "5bffffffffffffffff00"}) {
        const Bytes cut = from_hex(hex);
        CborReader short_reader(cut);
        EXPECT_FALSE(short_reader.string(CborMajor::kBytes, string));
        EXPECT_EQ(short_reader.fault(), Fault::kTruncated);
    }
    const Bytes chunks = from_hex("5f4101ff");
    CborReader indefinite(chunks);
    EXPECT_FALSE(indefinite.string(CborMajor::kBytes, string));
    EXPECT_EQ(indefinite.fault(), Fault::kUnexpected);
}

TEST(Cbor, ReadsAnExpectedOctet) {
    const Bytes octets = from_hex("ff");
    CborReader reader(octets);
    EXPECT_FALSE(reader.octet(0xf5));
    EXPECT_EQ(reader.fault(), Fault::kUnexpected);
    EXPECT_TRUE(reader.octet(kCborBreak));
    EXPECT_FALSE(reader.octet(kCborBreak));
    EXPECT_EQ(reader.fault(), Fault::kTruncated);
}

}  // namespace
}  // namespace farlink::codec::cbor_test
