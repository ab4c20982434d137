// SPDX-License-Identifier: Apache-2.0
#include "common/base/siphash.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace farlink::siphash_test {
namespace {

// The first vectors of the reference implementation: key and data are the octets 0, 1, 2...
TEST(SipHash, ReferenceVectors) {
    SipKey key{};
    std::iota(key.begin(), key.end(), std::uint8_t{0});
    std::vector<std::uint8_t> data(15);
    std::iota(data.begin(), data.end(), std::uint8_t{0});
    const auto hash = [&](std::size_t size) { return siphash128(key, ByteView(data).first(size)); };
    EXPECT_EQ(hash(0), (Hash128{0xe6a825ba047f81a3, 0x930255c71472f66d}));
    EXPECT_EQ(hash(1), (Hash128{0x44af996bd8c187da, 0x45fc229b11597634}));
    EXPECT_EQ(hash(8), (Hash128{0x61f55862baa9623b, 0xb49714f364e2830f}));
    EXPECT_EQ(hash(15), (Hash128{0x11a8b03399e99354, 0xd9c3cf970fec087e}));
}

TEST(SipHash, TheKeyCounts) {
    SipKey key{};
    const Hash128 before = siphash128(key, {});
    key[15] = 1;
    EXPECT_NE(siphash128(key, {}), before);
}

}  // namespace
}  // namespace farlink::siphash_test
