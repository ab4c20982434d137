// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/custody_ranges.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/random.hpp"

namespace farlink::bp::v6::custody_ranges_test {
namespace {

CustodyRanges of(const std::vector<std::uint64_t> &ids) {
    CustodyRanges ranges;
    for (const std::uint64_t id : ids) ranges.add(id);
    return ranges;
}

TEST(V6CustodyRanges, NeighboursAreOneRange) {
    EXPECT_EQ(of({1, 2, 3}).ranges(), (std::vector<CustodyRange>{{1, 3}}));
    EXPECT_EQ(of({3, 2, 1}).ranges(), (std::vector<CustodyRange>{{1, 3}}));
    EXPECT_EQ(of({1, 3}).ranges(), (std::vector<CustodyRange>{{1, 1}, {3, 3}}));
    EXPECT_EQ(of({1, 3, 2}).ranges(), (std::vector<CustodyRange>{{1, 3}}));
    EXPECT_EQ(of({7, 7, 7}).ranges(), (std::vector<CustodyRange>{{7, 7}}));
    EXPECT_EQ(of({5, 9, 0}).fills(), 3U);
}

TEST(V6CustodyRanges, TheEndsOfTheNumbers) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(of({kMost, 0, kMost - 1, 1}).ranges(),
              (std::vector<CustodyRange>{{0, 1}, {kMost - 1, kMost}}));
}

TEST(V6CustodyRanges, AnyOrderGivesTheSameSet) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::set<std::uint64_t> ids;
        CustodyRanges ranges;
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t id = random.below(300);
            ids.insert(id);
            ranges.add(id);
        }
        std::set<std::uint64_t> covered;
        std::uint64_t last = 0;
        for (const CustodyRange &range : ranges.ranges()) {
            if (!covered.empty()) {
                EXPECT_GT(range.first, last + 1) << "ranges are apart";
            }
            for (std::uint64_t id = range.first; id <= range.last; ++id) covered.insert(id);
            last = range.last;
        }
        EXPECT_EQ(covered, ids);
    }
}

}  // namespace
}  // namespace farlink::bp::v6::custody_ranges_test
