// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/tcp_streams.hpp"

#include <gtest/gtest.h>

namespace farlink::inspect::tcp_streams_test {
namespace {

Transport segment(std::uint32_t sequence, std::string_view octets, bool syn = false) {
    Transport each;
    each.protocol = Transport::kTcp;
    each.source = "a:1";
    each.destination = "b:2";
    each.sequence = sequence;
    each.syn = syn;
    each.payload = as_bytes(octets);
    return each;
}

std::string text_of(const TcpStream &stream) {
    return std::string(as_text(stream.octets));
}

TEST(TcpStreams, JoinsWhatComesTwiceAndInAnyOrder) {
    TcpStreams streams;
    const std::uint32_t start = 0xfffffffd;  // it wraps
    streams.add(segment(start, "", true), 1);
    streams.add(segment(start + 7, "ghi"), 2);
    streams.add(segment(start + 1, "abc"), 3);
    streams.add(segment(start + 1, "abc"), 4);
    streams.add(segment(start + 3, "cdefg"), 5);
    const auto all = streams.take();
    ASSERT_EQ(all.size(), 1);
    EXPECT_EQ(text_of(all[0]), "abcdefghi");
    EXPECT_TRUE(all[0].from_start);
    EXPECT_EQ(all[0].missing, 0);
    EXPECT_EQ(all[0].packet_of(0), 3);
    EXPECT_EQ(all[0].packet_of(4), 5);
    EXPECT_EQ(all[0].packet_of(8), 2);
}

TEST(TcpStreams, EndsAtAGap) {
    TcpStreams streams;
    streams.add(segment(1, "abc"), 1);
    streams.add(segment(10, "xyz"), 2);
    const auto all = streams.take();
    ASSERT_EQ(all.size(), 1);
    EXPECT_EQ(text_of(all[0]), "abc");
    EXPECT_EQ(all[0].missing, 3);
    EXPECT_FALSE(all[0].from_start);
}

TEST(TcpStreams, PortsThatAreUsedAgainAreAnotherStream) {
    TcpStreams streams;
    streams.add(segment(0, "", true), 1);
    streams.add(segment(1, "abc"), 2);
    streams.add(segment(5000, "", true), 3);
    streams.add(segment(5001, "xyz"), 4);
    const auto all = streams.take();
    ASSERT_EQ(all.size(), 2);
    EXPECT_EQ(text_of(all[0]), "abc");
    EXPECT_EQ(text_of(all[1]), "xyz");
}

}  // namespace
}  // namespace farlink::inspect::tcp_streams_test
