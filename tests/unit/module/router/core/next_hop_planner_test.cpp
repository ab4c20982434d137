// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/next_hop_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "bench/routes/plan_generator.hpp"
#include "common/base/random.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::router::next_hop_planner_test {
namespace {

bus::Contact random_contact(Random &random, std::uint64_t id, std::uint64_t nodes) {
    // Few different values, so that ties are frequent.
    const DtnTime start = random.below(10) * 20;
    const DtnTime end = start + 1 + random.below(4) * 20;
    const std::uint64_t from = 1 + random.below(nodes);
    const std::uint64_t to = 1 + (from + random.below(nodes - 1)) % nodes;
    return {id,
            NodeNumber{from},
            NodeNumber{to},
            start,
            end,
            BitRate{8000 * random.below(3)},
            milliseconds(random.below(3) * 5)};
}

/// Takes a contact out, puts one in, or both.
void change_plan(Random &random, std::vector<bus::Contact> &plan, std::uint64_t id,
                 std::uint64_t nodes) {
    const auto place = [&] {
        return plan.begin() + static_cast<std::ptrdiff_t>(random.below(plan.size()));
    };
    const std::uint64_t kind = random.below(3);
    if (kind != 0 && plan.size() > 1) plan.erase(place());
    if (kind != 1) plan.insert(place(), random_contact(random, id, nodes));
}

void expect_equal(const RouteTable &kept, const RouteTable &fresh) {
    ASSERT_EQ(kept.valid_until, fresh.valid_until);
    ASSERT_EQ(kept.rows.size(), fresh.rows.size());
    for (std::size_t at = 0; at < kept.rows.size(); ++at) {
        ASSERT_EQ(kept.rows[at], fresh.rows[at]);
        for (std::size_t way = 0; way < kept.rows[at].candidates.size(); ++way) {
            const bus::RouteCandidate &one = kept.rows[at].candidates[way].candidate;
            const bus::RouteCandidate &other = fresh.rows[at].candidates[way].candidate;
            ASSERT_EQ(one.arrival, other.arrival);
            ASSERT_EQ(one.on_time_until, other.on_time_until);
            ASSERT_EQ(one.leave_by, other.leave_by);
            ASSERT_EQ(one.octet_ps, other.octet_ps);
        }
    }
}

TEST(NextHopPlanner, WhatIsKeptEqualsWhatIsFoundAnew) {
    std::uint64_t searched = 0;
    std::uint64_t anew = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const std::uint64_t nodes = 4 + random.below(9);
        std::vector<bus::Contact> plan;
        for (std::uint64_t id = 0; id < nodes * 6; ++id)
            plan.push_back(random_contact(random, id, nodes));
        std::vector<NextHop> hops;
        for (std::uint32_t node = 2; node <= nodes && node < 9; ++node)
            hops.push_back({NodeNumber{node}, LinkId{node}, false});
        NextHopPlanner planner(NodeNumber{1});
        DtnTime time = 0;
        for (std::uint64_t step = 0; step < 60; ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            change_plan(random, plan, 1000 + step, nodes);
            if (random.chance(1, 8)) {
                NextHop &hop = hops[random.below(hops.size())];
                hop.lost = !hop.lost;
            }
            if (random.chance(1, 2)) time += random.below(6);
            if (random.chance(1, 30)) time = random.below(time + 1);
            planner.set_plan(plan);
            NextHopPlanner fresh(NodeNumber{1});
            fresh.set_plan(plan);
            const RouteTable table = fresh.table(hops, time);
            anew += fresh.searches();
            expect_equal(planner.table(hops, time), table);
            if (HasFatalFailure()) return;
        }
        searched += planner.searches();
    }
    EXPECT_LT(searched, anew / 2) << "most routes are out of a change's reach";
}

/// One contact at a time, in a plan in which routes have many hops and wait often.
TEST(NextHopPlanner, ThousandsOfSingleChangesEqualAPlanFromNothing) {
    auto plan = farlink::bench::PlanGenerator({5, 40, 900, 3600, 30, 300}).plan();
    std::vector<NextHop> hops;
    for (std::uint32_t node = 2; node <= 40; node += 3)
        hops.push_back({NodeNumber{node}, LinkId{node}, false});
    farlink::bench::PlanGenerator more({6, 40, 0, 3600, 30, 300});
    Random random(7);
    NextHopPlanner planner(NodeNumber{1});
    planner.set_plan(plan);
    DtnTime time = 600'000;
    RouteTable table = planner.table(hops, time);
    std::size_t rows = 0;
    for (std::uint64_t step = 0; step < 3000; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        std::vector<bus::Contact> removed;
        std::vector<bus::Contact> added;
        if (random.chance(2, 3)) {
            // A contact in use, more often than not.
            std::uint64_t id = plan[random.below(plan.size())].id;
            if (!table.rows.empty() && random.chance(2, 3))
                id = table.rows[random.below(table.rows.size())].candidates[0].contacts.back();
            removed.push_back(*std::ranges::find(plan, id, &bus::Contact::id));
            std::erase(plan, removed.front());
        }
        if (removed.empty() || random.chance(2, 3)) {
            added.push_back(more.next());
            while (added.front().source == added.front().destination) added.front() = more.next();
            added.front().id = 10'000 + step;
            added.front().start += time - 600'000;
            added.front().end += time - 600'000;
            plan.push_back(added.front());
        }
        if (random.chance(1, 4)) time += random.below(200);
        planner.change_plan(removed, added);
        table = planner.table(hops, time);
        rows += table.rows.size();
        if (step % 3 == 0) expect_equal(table, compute_table(plan, NodeNumber{1}, hops, time));
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(rows, 3000U * 10) << "many nodes are reached most of the time";
}

TEST(NextHopPlanner, TheTableHasWhatEachNeighboursSearchFinds) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        std::vector<bus::Contact> plan;
        for (std::uint64_t id = 0; id < 60; ++id) plan.push_back(random_contact(random, id, 9));
        std::vector<NextHop> hops;
        for (std::uint32_t node = 2; node < 9; ++node)
            hops.push_back({NodeNumber{node}, LinkId{node}, false});
        const RouteTable table = compute_table(plan, NodeNumber{1}, hops, 5);
        const ContactGraph graph(plan);
        RouteSearch search(graph);
        for (const TableRow &row : table.rows) {
            std::vector<FoundRoute> expected;
            for (const NextHop &hop : hops) {
                search.run({*graph.find(NodeNumber{1}), 5, 0, {}, graph.find(hop.neighbour)});
                if (auto route = search.best_route(*graph.find(row.destination)))
                    expected.push_back(std::move(*route));
            }
            std::ranges::sort(expected, {}, [](const FoundRoute &route) {
                return std::tuple(route.arrival, route.hops(), ~route.termination, route.next_hop);
            });
            ASSERT_EQ(row.candidates.size(), std::min(expected.size(), kMaxCandidates));
            for (std::size_t at = 0; at < row.candidates.size(); ++at) {
                ASSERT_EQ(row.candidates[at].candidate.arrival, expected[at].arrival);
                ASSERT_EQ(row.candidates[at].candidate.next_hop,
                          graph.number(expected[at].next_hop));
            }
        }
    }
}

/// Generous: the machine may be busy, and the build slow. bench/routes measures.
TEST(NextHopPlanner, ALargePlanIsNoTrouble) {
    auto plan = farlink::bench::PlanGenerator({}).plan();
    const std::vector<NextHop> hops = [] {
        std::vector<NextHop> all;
        for (std::uint32_t node = 2; node <= 1000; ++node)
            all.push_back({NodeNumber{node}, LinkId{node}, false});
        return all;
    }();
    TimePoint begin = monotonic_now();
    NextHopPlanner planner(NodeNumber{1});
    planner.set_plan(plan);
    const RouteTable before = planner.table(hops, 30'000'000);
    EXPECT_LT(monotonic_now() - begin, seconds(20));
    EXPECT_EQ(before.rows.size(), 999U);

    const std::uint64_t used = before.rows[500].candidates[0].contacts.back();
    plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(used));
    const std::uint64_t searched = planner.searches();
    begin = monotonic_now();
    planner.set_plan(plan);
    const RouteTable after = planner.table(hops, 30'000'000);
    EXPECT_LT(monotonic_now() - begin, seconds(1));
    EXPECT_LT(planner.searches() - searched, 500U);
    EXPECT_EQ(after.rows.size(), 999U);
}

}  // namespace
}  // namespace farlink::router::next_hop_planner_test
