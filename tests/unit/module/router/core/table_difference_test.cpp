// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/table_difference.hpp"

#include <gtest/gtest.h>

namespace farlink::router::table_difference_test {
namespace {

TableRow row(std::uint64_t destination, const std::vector<std::uint64_t> &next_hops,
             std::uint64_t contact = 0) {
    TableRow made{NodeNumber{destination}, {}};
    for (const std::uint64_t next_hop : next_hops)
        made.candidates.push_back(
            {{NodeNumber{next_hop}, LinkId{static_cast<std::uint32_t>(next_hop)}, 7 + contact},
             {contact}});
    return made;
}

/// "4: 2 3 -> 3" for each destination.
std::vector<std::string> words(const RouteTable &before, const RouteTable &after) {
    std::vector<std::string> lines;
    for (const bus::RouteDifference &each : difference(before, after)) {
        std::string line = std::to_string(each.destination.value()) + ":";
        for (const bus::RouteCandidate &way : each.before)
            line += " " + std::to_string(way.next_hop.value());
        line += " ->";
        for (const bus::RouteCandidate &way : each.after)
            line += " " + std::to_string(way.next_hop.value());
        lines.push_back(line);
    }
    return lines;
}

using Lines = std::vector<std::string>;

TEST(TableDifference, TheSameTableDiffersNowhere) {
    const RouteTable table{{row(2, {2}), row(4, {2, 3})}};
    EXPECT_EQ(words(table, table), Lines{});
    EXPECT_EQ(words({}, {}), Lines{});
}

TEST(TableDifference, OtherContactsAndTimesOfTheSameWayAreNoDifference) {
    EXPECT_EQ(words({{row(4, {2, 3}, 1)}}, {{row(4, {2, 3}, 9)}}), Lines{});
}

TEST(TableDifference, DestinationsComeGoAndChangeTheirWay) {
    const RouteTable before{{row(2, {2}), row(4, {2, 3}), row(5, {2}), row(9, {3})}};
    const RouteTable after{{row(1, {3}), row(4, {3, 2}), row(5, {2}), row(7, {2})}};
    EXPECT_EQ(words(before, after),
              (Lines{"1: -> 3", "2: 2 ->", "4: 2 3 -> 3 2", "7: -> 2", "9: 3 ->"}));
    EXPECT_EQ(words({}, after), (Lines{"1: -> 3", "4: -> 3 2", "5: -> 2", "7: -> 2"}));
}

}  // namespace
}  // namespace farlink::router::table_difference_test
