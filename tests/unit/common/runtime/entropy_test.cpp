// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/entropy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace farlink::entropy_test {
namespace {

TEST(Entropy, SeedsDiffer) {
    std::set<std::uint64_t> seeds;
    for (int i = 0; i < 100; ++i) seeds.insert(entropy_seed());
    EXPECT_EQ(seeds.size(), 100U);
}

TEST(Entropy, FillsEveryOctet) {
    // An octet that stays 0 in 64 fills has not been filled (one chance in 2^512 a position).
    Bytes seen(1000, 0);
    for (int i = 0; i < 64; ++i) {
        Bytes octets(seen.size(), 0);
        fill_random(octets);
        std::ranges::transform(seen, octets, seen.begin(), std::bit_or<>{});
    }
    EXPECT_EQ(std::ranges::count(seen, 0), 0);
}

TEST(Entropy, AnEmptySpanIsFine) {
    fill_random({});
}

}  // namespace
}  // namespace farlink::entropy_test
