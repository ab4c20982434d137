// SPDX-License-Identifier: Apache-2.0
#include "common/bus/wire/wire_hello.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::wire_hello_test {
namespace {

Bytes text(std::string_view words) {
    return {words.begin(), words.end()};
}

Hello sample() {
    Hello hello;
    hello.wire_version = 6;
    hello.module = AgentId::kEgress;
    hello.subscriptions = 8;
    hello.knows = 515;
    hello.software = text("0.1.0");
    hello.parts = {{text("bus"), 258}, {text("myNodeId"), 1}};
    return hello;
}

// This form is for ever: other versions must be able to say what they are.
TEST(WireHello, GoldenOctets) {
    const Bytes expected{'F', 'L', 0,   'H', 6,   1,   8,   3,   2, 0, 0, 0, 0, 0, 0, 5,
                         0,   0,   0,   '0', '.', '1', '.', '0', 2, 0, 0, 0, 3, 0, 0, 0,
                         'b', 'u', 's', 2,   1,   0,   0,   0,   0, 0, 0, 8, 0, 0, 0, 'm',
                         'y', 'N', 'o', 'd', 'e', 'I', 'd', 1,   0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(encode_hello(sample()), expected);
    const auto read = decode_hello(expected);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->module, AgentId::kEgress);
    EXPECT_TRUE(read->wants_events_of(AgentId::kScheduler));
    EXPECT_FALSE(read->wants_events_of(AgentId::kRouter));
    EXPECT_EQ(read->knows, 515U);
    EXPECT_EQ(read->parts, sample().parts);
}

TEST(WireHello, IsNoMessageAndAMessageIsNoHello) {
    const Bytes hello = encode_hello(sample());
    const auto message = decode_event(hello);
    ASSERT_FALSE(message.has_value());
    EXPECT_EQ(message.error(), WireError::kBadVersion);
    EXPECT_FALSE(is_hello(encode(Stop{}).header));
}

TEST(WireHello, RefusesWhatIsCutOrLongerOrOutOfRange) {
    const Bytes whole = encode_hello(sample());
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(decode_hello(ByteView(whole).first(length)).has_value()) << length;
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(decode_hello(longer).has_value());
    Bytes other = whole;
    other[5] = kAgentCount;  // no such module
    EXPECT_FALSE(decode_hello(other).has_value());
}

TEST(WireHello, TheSameFitEachOther) {
    Hello other = sample();
    other.module = AgentId::kStorage;
    other.subscriptions = 0;
    EXPECT_EQ(mismatch(sample(), other), "");
}

TEST(WireHello, NamesBothSidesOfAMismatch) {
    Hello other = sample();
    other.module = AgentId::kStorage;
    other.wire_version = 7;
    other.software = text("0.2.0\n");
    EXPECT_EQ(mismatch(sample(), other),
              "storage (farlink 0.2.0?) with bus version 7 and egress (farlink 0.1.0) with bus "
              "version 6: all processes of a node must have the same version of farlink");
    other = sample();
    other.module = AgentId::kStorage;
    other.parts = {{text("bus"), 259}, {text("routing"), 1}};
    EXPECT_EQ(mismatch(sample(), other),
              "the configurations of storage (farlink 0.1.0) and egress (farlink 0.1.0) differ in "
              "bus, myNodeId, routing: all processes of a node must have the same configuration");
}

}  // namespace
}  // namespace farlink::bus::wire_hello_test
