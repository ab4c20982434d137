// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/protocol/protobuf.hpp"

#include <gtest/gtest.h>

namespace farlink::applications::protobuf_test {
namespace {

TEST(Protobuf, ReadsWhatItWrites) {
    Bytes octets;
    ProtobufWriter out(octets);
    out.number(1, 300);
    out.text(2, "abc");
    out.message(7, {});
    out.number(3, ~std::uint64_t{0});
    out.number(4, 0);
    ProtobufReader in(octets);
    const auto first = in.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->number, 1U);
    EXPECT_EQ(first->value, 300U);
    EXPECT_EQ(in.next()->text(), "abc");
    EXPECT_TRUE(in.next()->octets.empty());
    EXPECT_EQ(in.next()->value, ~std::uint64_t{0});
    EXPECT_FALSE(in.next()) << "a number of no value is left out";
    EXPECT_FALSE(in.failed());
}

TEST(Protobuf, VarintsAreOfTenOctetsAtMost) {
    const Bytes most(9, 0xff);
    Bytes octets = most;
    EXPECT_EQ(read_varint(octets).size, 0U) << "there may be more";
    EXPECT_FALSE(read_varint(octets).invalid);
    octets.push_back(1);
    EXPECT_EQ(read_varint(octets).value, ~std::uint64_t{0});
    octets.back() = 2;
    EXPECT_TRUE(read_varint(octets).invalid) << "more than 64 bits";
    octets.back() = 0x80;
    EXPECT_TRUE(read_varint(octets).invalid);
}

TEST(Protobuf, FixedNumbersAreRead) {
    const Bytes octets{0x09, 1, 2, 0, 0, 0, 0, 0, 0, 0x15, 3, 0, 0, 1};
    ProtobufReader in(octets);
    EXPECT_EQ(in.next()->value, 0x201U);
    EXPECT_EQ(in.next()->value, 0x1000003U);
    EXPECT_FALSE(in.next());
    EXPECT_FALSE(in.failed());
}

TEST(Protobuf, FailsWhereItIsCutOrWrong) {
    const std::vector<Bytes> wrong{{0x08}, {0x0a, 5, 'a'}, {0x09, 1}, {0x0b}, {0x00, 1}, {0x0d, 1}};
    for (const Bytes &octets : wrong) {
        ProtobufReader in(octets);
        while (in.next()) {
        }
        EXPECT_TRUE(in.failed());
    }
}

}  // namespace
}  // namespace farlink::applications::protobuf_test
