// SPDX-License-Identifier: Apache-2.0
#include "common/bp/base/slices.hpp"

#include <gtest/gtest.h>

#include "tests/support/slicing.hpp"

namespace farlink::bp::slices_test {
namespace {

TEST(Slices, GivesThePiecesOfEveryRange) {
    const Bytes octets{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const test::Sliced sliced(octets, {3, 3, 7});
    EXPECT_EQ(total_size(sliced.slices()), octets.size());
    for (std::size_t from = 0; from <= octets.size(); ++from)
        for (std::size_t to = from; to <= octets.size(); ++to) {
            Bytes joined;
            for_each_piece(sliced.slices(), from, to, [&](ByteView piece) {
                EXPECT_FALSE(piece.empty());
                append(joined, piece);
            });
            const ByteView wanted = ByteView(octets).subspan(from, to - from);
            EXPECT_TRUE(std::ranges::equal(joined, wanted)) << from << ".." << to;
        }
}

TEST(Slices, PeeksWithoutCopyingWhereItCan) {
    const Bytes octets{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const test::Sliced sliced(octets, {3, 7});
    std::uint8_t buffer[4];
    EXPECT_EQ(peek(sliced.slices(), 3, buffer).data(), sliced.slices()[1].data());
    const ByteView across = peek(sliced.slices(), 2, buffer);
    EXPECT_EQ(across.data(), buffer);
    EXPECT_TRUE(std::ranges::equal(across, ByteView(octets).subspan(2, 4)));
    EXPECT_EQ(peek(sliced.slices(), 8, buffer).size(), 2U);
    EXPECT_TRUE(peek(sliced.slices(), 10, buffer).empty());
}

}  // namespace
}  // namespace farlink::bp::slices_test
