// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_ranges.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace farlink::config::ion_ranges_test {
namespace {

/// What holds at one moment, by looking at every range: the definition.
std::optional<Duration> owlt_at(const std::vector<IonRange> &ranges, NodeNumber from, NodeNumber to,
                                DtnTime time) {
    const auto find = [&](NodeNumber one, NodeNumber other) -> const IonRange * {
        for (const IonRange &range : ranges)
            if (range.from == one && range.to == other && range.start <= time && time < range.end)
                return &range;
        return nullptr;
    };
    const IonRange *range = find(from, to);
    if (range == nullptr && to < from) range = find(to, from);
    return range == nullptr ? std::nullopt : std::optional(range->owlt);
}

TEST(IonRanges, PiecesAreWhatEachMomentSays) {
    std::mt19937_64 random(11);
    int checked = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<IonRange> ranges;
        for (std::size_t i = 0; i < 1 + random() % 12; ++i) {
            const DtnTime start = random() % 50;
            const NodeNumber from{1 + random() % 3};
            ranges.push_back({from, NodeNumber{from.value() % 3 + 1}, start,
                              start + 1 + random() % 20, seconds(random() % 3), i});
        }
        const IonRanges made(ranges);
        if (!made.conflicts().empty()) continue;
        ++checked;
        for (std::uint64_t from = 1; from <= 3; ++from) {
            const NodeNumber source{from};
            const NodeNumber destination{from % 3 + 1};
            const auto pieces = made.pieces(source, destination, 5, 60);
            ASSERT_FALSE(pieces.empty());
            EXPECT_EQ(pieces.front().start, 5U);
            EXPECT_EQ(pieces.back().end, 60U);
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                const IonRanges::Piece &piece = pieces[i];
                for (DtnTime at = piece.start; at < piece.end; ++at) {
                    const auto expected = owlt_at(ranges, source, destination, at);
                    ASSERT_EQ(piece.known, expected.has_value()) << "round " << round;
                    ASSERT_EQ(piece.owlt, expected.value_or(Duration{})) << "round " << round;
                }
                if (i == 0) continue;
                EXPECT_EQ(pieces[i - 1].end, piece.start);
                EXPECT_TRUE(pieces[i - 1].known != piece.known || pieces[i - 1].owlt != piece.owlt);
            }
        }
    }
    EXPECT_GT(checked, 50);
}

TEST(IonRanges, ALongRangeHidesNoConflict) {
    const NodeNumber one{1};
    const NodeNumber two{2};
    const IonRanges ranges({{one, two, 0, 100, seconds(1), 1},
                            {one, two, 10, 20, seconds(1), 2},
                            {one, two, 30, 40, seconds(2), 3},
                            {two, one, 0, 100, seconds(9), 4}});
    ASSERT_EQ(ranges.conflicts().size(), 1U);
    EXPECT_EQ(ranges.conflicts()[0].earlier.line, 1U);
    EXPECT_EQ(ranges.conflicts()[0].later.line, 3U);
}

}  // namespace
}  // namespace farlink::config::ion_ranges_test
