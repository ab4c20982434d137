// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/next_hop_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"

namespace farlink::router::route_table_test {
namespace {

bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start,
                     DtnTime end, int light_ms = 0) {
    return {id, NodeNumber{from}, NodeNumber{to}, start, end, BitRate{}, milliseconds(light_ms)};
}

NextHop hop(std::uint32_t neighbour, bool lost = false) {
    return {NodeNumber{neighbour}, LinkId{neighbour * 10}, lost};
}

/// "destination: next hop@arrival ..." for each row.
std::vector<std::string> describe(const RouteTable &table) {
    std::vector<std::string> lines;
    for (const TableRow &row : table.rows) {
        std::string line = std::to_string(row.destination.value()) + ":";
        for (const TableCandidate &entry : row.candidates)
            line += " " + std::to_string(entry.candidate.next_hop.value()) + "@" +
                    std::to_string(entry.candidate.arrival);
        lines.push_back(line);
    }
    return lines;
}

using Lines = std::vector<std::string>;

TEST(RouteTable, IsEmptyWhenTheNodeIsNotInThePlan) {
    const std::vector<bus::Contact> plan{contact(0, 2, 3, 0, 100)};
    const RouteTable table = compute_table(plan, NodeNumber{1}, {}, 0);
    EXPECT_TRUE(table.rows.empty());
    EXPECT_EQ(table.valid_until, kDtnNever);
}

TEST(RouteTable, OneCandidateANextHopBestFirst) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 100), contact(1, 1, 3, 10, 100),
                                         contact(2, 2, 4, 50, 100), contact(3, 3, 4, 20, 100)};
    const std::vector<NextHop> hops{hop(2), hop(3)};
    const RouteTable table = compute_table(plan, NodeNumber{1}, hops, 0);
    EXPECT_EQ(describe(table), (Lines{"2: 2@0", "3: 3@10", "4: 3@20 2@50"}));
    EXPECT_EQ(table.rows[2].candidates[0].candidate.link, LinkId{30});
    EXPECT_EQ(table.rows[2].candidates[0].contacts, (std::vector<std::uint64_t>{1, 3}));
    EXPECT_EQ(table.routes()[2].candidates.size(), 2U);
}

TEST(RouteTable, ACandidateNamesTheNodesBetweenNextHopAndDestination) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 100), contact(1, 2, 3, 0, 100),
                                         contact(2, 3, 4, 0, 100), contact(3, 4, 5, 0, 100)};
    const std::vector<NextHop> hops{hop(2)};
    const std::vector<bus::Route> routes = compute_table(plan, NodeNumber{1}, hops, 0).routes();
    ASSERT_EQ(routes.size(), 4U);
    using Nodes = std::vector<NodeNumber>;
    EXPECT_EQ(routes[0].candidates[0].nodes, Nodes{});
    EXPECT_EQ(routes[1].candidates[0].nodes, Nodes{});
    EXPECT_EQ(routes[3].candidates[0].nodes, (Nodes{NodeNumber{3}, NodeNumber{4}}));
}

TEST(RouteTable, ANeighbourWithoutAnOutductIsNoNextHop) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 100), contact(1, 1, 3, 0, 100)};
    const std::vector<NextHop> hops{hop(3)};
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, hops, 0)), Lines{"3: 3@0"});
}

TEST(RouteTable, NoMoreCandidatesThanTheLimit) {
    std::vector<bus::Contact> plan;
    std::vector<NextHop> hops;
    for (std::uint32_t neighbour = 2; neighbour < 10; ++neighbour) {
        plan.push_back(contact(neighbour, 1, neighbour, 0, 100));
        plan.push_back(contact(100 + neighbour, neighbour, 99, 0, 100));
        hops.push_back(hop(neighbour));
    }
    const RouteTable table = compute_table(plan, NodeNumber{1}, hops, 0);
    EXPECT_EQ(table.rows.back().candidates.size(), kMaxCandidates);
    EXPECT_EQ(table.rows.back().candidates[0].candidate.next_hop, NodeNumber{2});
}

TEST(RouteTable, ALostLinkIsUsedOnlyByItsLaterContacts) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 100), contact(1, 1, 2, 200, 300),
                                         contact(2, 2, 4, 0, 500), contact(3, 1, 3, 50, 60),
                                         contact(4, 3, 4, 50, 60)};
    const std::vector<NextHop> hops{hop(2), hop(3)};
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, hops, 0)),
              (Lines{"2: 2@0", "3: 3@50", "4: 2@0 3@50"}));
    const std::vector<NextHop> lost{hop(2, true), hop(3)};
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, lost, 0)),
              (Lines{"2: 2@200", "3: 3@50", "4: 3@50 2@200"}));
}

TEST(RouteTable, ALostLinkIsTheLastResort) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, kDtnNever)};
    const std::vector<NextHop> lost{hop(2, true)};
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, lost, 7)), Lines{"2: 2@7"});
}

/// Nodes 1, 2 and 3 have contacts with each other and with node 4.
std::vector<bus::Contact> triangle() {
    std::vector<bus::Contact> plan;
    for (std::uint64_t from = 1; from <= 3; ++from)
        for (std::uint64_t to = 1; to <= 4; ++to)
            if (from != to) plan.push_back(contact(10 * from + to, from, to, 0, kDtnNever));
    return plan;
}

/// The destinations that are reached by a detour.
std::vector<std::uint64_t> detours(const std::vector<bus::Contact> &plan,
                                   const std::vector<NextHop> &hops) {
    std::vector<std::uint64_t> marked;
    for (const bus::Route &route : compute_table(plan, NodeNumber{1}, hops, 7).routes())
        if (route.detour) marked.push_back(route.destination.value());
    return marked;
}

TEST(RouteTable, MarksDetoursAroundALostLink) {
    using Nodes = std::vector<std::uint64_t>;
    EXPECT_EQ(detours(triangle(), {hop(2), hop(3), hop(4)}), Nodes{});
    EXPECT_EQ(detours(triangle(), {hop(2), hop(3), hop(4, true)}), Nodes{4});
    EXPECT_EQ(detours(triangle(), {hop(2, true), hop(3), hop(4)}), Nodes{2})
        << "the plan does not lead to 4 by 2";
    EXPECT_EQ(detours(triangle(), {hop(4, true)}), Nodes{}) << "it waits for the link";
}

TEST(RouteTable, MarksDetoursAroundALinkThatIsDisabled) {
    EXPECT_EQ(detours(triangle(), {hop(2), hop(3)}), std::vector<std::uint64_t>{4});
}

TEST(RouteTable, AnEqualRouteIsNoDetour) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 500), contact(1, 2, 4, 0, 500),
                                         contact(2, 1, 3, 0, 500), contact(3, 3, 4, 0, 500)};
    EXPECT_EQ(detours(plan, {hop(2, true), hop(3)}), std::vector<std::uint64_t>{})
        << "node 3 is as near to node 4, and node 2 is a neighbour only";
}

TEST(RouteTable, IsValidUntilARouteEnds) {
    // The bundle must leave node 1 by 88 to be at node 2 by 98, the last moment before 99.
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 500, 10), contact(1, 2, 3, 0, 99)};
    const std::vector<NextHop> hops{hop(2)};
    EXPECT_EQ(compute_table(plan, NodeNumber{1}, hops, 0).valid_until, 89U);
    const RouteTable later = compute_table(plan, NodeNumber{1}, hops, 89);
    EXPECT_EQ(describe(later), Lines{"2: 2@99"});
    EXPECT_EQ(later.valid_until, 500U);
}

TEST(RouteTable, TellsHowLargeABundleMayBe) {
    bus::Contact brief = contact(0, 1, 2, 0, 500);
    brief.rate = BitRate{8000};
    bus::Contact later = contact(1, 1, 2, 600, 900);
    later.rate = BitRate{8000};
    const std::vector<bus::Contact> plan{brief, later};
    const std::vector<NextHop> hops{hop(2)};
    const RouteTable table = compute_table(plan, NodeNumber{1}, hops, 0);
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].max_bundle_bytes, 500U);
    EXPECT_EQ(table.routes()[0].max_bundle_bytes, 500U);
    EXPECT_EQ(table.valid_until, 500U);
    EXPECT_EQ(compute_table(plan, NodeNumber{1}, hops, 500).rows[0].max_bundle_bytes, 300U);
}

TEST(RouteTable, IsValidUntilAnotherRouteIsEarlier) {
    // By node 2: 30 ms at once. By node 3: at 101, whenever the bundle leaves before 100.
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 500), contact(1, 2, 4, 0, 500, 30),
                                         contact(2, 1, 3, 100, 500), contact(3, 3, 4, 0, 500, 1)};
    const std::vector<NextHop> hops{hop(2), hop(3)};
    const RouteTable table = compute_table(plan, NodeNumber{1}, hops, 0);
    EXPECT_EQ(describe(table).back(), "4: 2@30 3@101");
    EXPECT_EQ(table.valid_until, 72U);
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, hops, 71)).back(), "4: 2@101 3@101");
    EXPECT_EQ(describe(compute_table(plan, NodeNumber{1}, hops, 72)).back(), "4: 3@101 2@102");
}

TEST(RouteTable, StaysTheSameWhileItSaysSo) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        std::vector<bus::Contact> plan;
        for (std::uint64_t id = 0; id < 30; ++id) {
            const DtnTime start = random.below(200);
            plan.push_back(contact(id, 1 + random.below(6), 1 + random.below(6), start,
                                   start + 1 + random.below(60),
                                   static_cast<int>(random.below(9))));
        }
        const std::vector<NextHop> hops{hop(2), hop(3), hop(4)};
        RouteTable table = compute_table(plan, NodeNumber{1}, hops, 0);
        for (DtnTime time = 1; time < 280; ++time) {
            RouteTable fresh = compute_table(plan, NodeNumber{1}, hops, time);
            if (time >= table.valid_until) {
                table = std::move(fresh);
                ASSERT_GT(table.valid_until, time);
                continue;
            }
            // The next hop of every destination is still one that arrives first.
            ASSERT_EQ(fresh.rows.size(), table.rows.size());
            for (std::size_t row = 0; row < fresh.rows.size(); ++row) {
                const auto &now = fresh.rows[row].candidates;
                const auto chosen = table.rows[row].candidates[0].candidate.next_hop;
                const auto same = std::ranges::find_if(now, [&](const TableCandidate &entry) {
                    return entry.candidate.next_hop == chosen;
                });
                ASSERT_NE(same, now.end());
                // Moving arrivals may be passed by a contact that starts: light times apart.
                ASSERT_LE(same->candidate.arrival, now[0].candidate.arrival + 8 * 5);
            }
        }
    }
}

}  // namespace
}  // namespace farlink::router::route_table_test
