// SPDX-License-Identifier: Apache-2.0
#include "common/files/extents.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "common/base/random.hpp"

namespace farlink::files::extents_test {
namespace {

using List = std::vector<Extent>;

TEST(FileExtents, NeighboursAreJoined) {
    Extents extents;
    EXPECT_EQ(extents.add({10, 20}), 10U);
    EXPECT_EQ(extents.add({30, 40}), 10U);
    EXPECT_EQ(extents.first_gap(), 0U);
    EXPECT_EQ(extents.missing({0, 50}), (List{{0, 10}, {20, 30}, {40, 50}}));
    EXPECT_EQ(extents.missing({12, 35}), (List{{20, 30}}));
    EXPECT_TRUE(extents.covers({30, 40}));
    EXPECT_EQ(extents.add({20, 30}), 10U);
    EXPECT_EQ(extents.count(), 1U);
    EXPECT_EQ(extents.add({0, 50}), 20U);
    EXPECT_EQ(extents.first_gap(), 50U);
    EXPECT_EQ(extents.add({5, 45}), 0U);
    EXPECT_EQ(extents.add({7, 7}), 0U);
    EXPECT_EQ(extents.all(), (List{{0, 50}}));
}

/// The same as a flag for each octet.
TEST(FileExtents, AnyOrder) {
    std::mt19937 random(1);
    for (int run = 0; run < 200; ++run) {
        Extents extents;
        std::array<bool, 64> there{};
        for (int step = 0; step < 30; ++step) {
            const std::uint64_t begin = random() % there.size();
            const Extent extent{begin, begin + random() % (there.size() - begin + 1)};
            std::uint64_t added = 0;
            for (const Extent &gap : extents.missing(extent)) added += gap.size();
            std::uint64_t expected = 0;
            for (std::uint64_t at = extent.begin; at < extent.end; ++at) {
                if (!there[at]) ++expected;
                there[at] = true;
            }
            EXPECT_EQ(added, expected);
            EXPECT_EQ(extents.add(extent), expected);
            EXPECT_TRUE(extents.covers(extent));
        }
        std::size_t runs = 0;
        for (std::size_t at = 0; at < there.size(); ++at)
            if (there[at] && (at == 0 || !there[at - 1])) ++runs;
        EXPECT_EQ(extents.count(), runs);
    }
}

TEST(Extents, RemovingGivesWhatASetOfOctetsGives) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        Extents extents;
        std::vector<bool> there(64);
        for (int step = 0; step < 40; ++step) {
            const std::uint64_t begin = random.below(64);
            const Extent extent{begin, begin + random.below(65 - begin)};
            const bool add = random.chance(1, 2);
            if (add)
                extents.add(extent);
            else
                extents.remove(extent);
            for (std::uint64_t i = extent.begin; i < extent.end; ++i) there[i] = add;
            std::uint64_t octets = 0;
            for (std::uint64_t i = 0; i < 64; ++i) {
                EXPECT_EQ(extents.covers({i, i + 1}), there[i]) << "seed " << seed;
                octets += there[i] ? 1 : 0;
            }
            EXPECT_EQ(extents.octets(), octets) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace farlink::files::extents_test
