// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/input.hpp"

#include <gtest/gtest.h>

#include "tests/support/octets.hpp"

namespace farlink::cla::tcpclv3::input_test {
namespace {

constexpr std::uint32_t kSlab = 16 * 1024;

/// Reads `octets` into the space that there is; returns what then lies in one piece.
Input::Arrival arrive(Input &input, ReadBuffer &buffer, ByteView octets) {
    const MutableBytes space = input.prepare(buffer, kNoUpstream);
    EXPECT_GE(space.size(), octets.size());
    std::ranges::copy(octets, space.begin());
    return input.take(octets.size(), buffer);
}

TEST(Input, GoesOnInItsOwnMemoryWhereThereIsNoSlab) {
    SlabPool pool(kSlab, kSlab);
    ReadBuffer buffer(pool);
    Input input;
    const Bytes stream = test::octets_of(3000, 1);
    const ByteView octets(stream);

    Input::Arrival arrival = arrive(input, buffer, octets.first(1000));
    ASSERT_NE(arrival.slab, nullptr);
    input.hand_back(arrival.octets.subspan(10));
    EXPECT_TRUE(input.inside_message());
    buffer.rest();
    const SlabRef taken = pool.acquire();

    arrival = arrive(input, buffer, octets.subspan(1000, 1500));
    EXPECT_EQ(arrival.slab, nullptr);
    EXPECT_TRUE(std::ranges::equal(arrival.octets, octets.subspan(10, 2490)));
    input.hand_back(arrival.octets.subspan(2490 - StreamReader::kCarryBytes));
    EXPECT_FALSE(input.prepare(buffer, kNoUpstream).empty()) << "never empty";

    arrival = arrive(input, buffer, octets.subspan(2500, 100));
    EXPECT_TRUE(std::ranges::equal(
        arrival.octets,
        octets.subspan(2500 - StreamReader::kCarryBytes, StreamReader::kCarryBytes + 100)));
    EXPECT_FALSE(input.inside_message());
}

TEST(Input, TakesASlabAgainWhenThereIsOne) {
    SlabPool pool(kSlab, kSlab);
    ReadBuffer buffer(pool);
    Input input;
    const Bytes stream = test::octets_of(100, 1);
    const ByteView octets(stream);
    {
        const SlabRef taken = pool.acquire();
        const Input::Arrival arrival = arrive(input, buffer, octets.first(60));
        EXPECT_EQ(arrival.slab, nullptr);
        input.hand_back(arrival.octets.subspan(50));
    }
    const Input::Arrival arrival = arrive(input, buffer, octets.subspan(60));
    ASSERT_NE(arrival.slab, nullptr);
    EXPECT_TRUE(std::ranges::equal(arrival.octets, octets.subspan(50)));
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::input_test
