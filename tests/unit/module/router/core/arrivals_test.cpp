// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/base/random.hpp"
#include "module/router/core/route_search.hpp"

namespace farlink::router::arrivals_test {
namespace {

constexpr std::uint64_t kNodes = 12;

/// Few different values, light times of nothing among them, so that ties and circles are frequent.
bus::Contact random_contact(Random &random, std::uint64_t id) {
    const DtnTime start = random.below(12) * 10;
    const std::uint64_t from = 1 + random.below(kNodes);
    const std::uint64_t to = 1 + (from + random.below(kNodes - 1)) % kNodes;
    return {id,
            NodeNumber{from},
            NodeNumber{to},
            start,
            start + 1 + random.below(5) * 10,
            BitRate{8000},
            milliseconds(random.below(3) * 4)};
}

/// A plan that begins with every node, so that none comes later.
std::vector<bus::Contact> random_plan(Random &random, std::uint64_t contacts) {
    std::vector<bus::Contact> plan;
    for (std::uint64_t node = 1; node <= kNodes; ++node)
        plan.push_back(
            {node, NodeNumber{node}, NodeNumber{1 + node % kNodes}, 0, 5, BitRate{}, {}});
    while (plan.size() < contacts) plan.push_back(random_contact(random, 100 + plan.size()));
    return plan;
}

void expect_equal(const Arrivals &kept, const Arrivals &anew) {
    for (NodeIndex node = 0; node < kNodes; ++node) {
        ASSERT_EQ(kept.labels(node), anew.labels(node)) << "node " << node;
        ASSERT_EQ(kept.at(node), anew.at(node)) << "node " << node;
    }
}

TEST(Arrivals, WhatIsAmendedEqualsWhatIsComputedAnew) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        auto plan = random_plan(random, 20 + random.below(80));
        ContactGraph graph(plan);
        Arrivals kept;
        DtnTime from = 3;
        DtnTime first = 10;
        kept.compute(graph, 0, from, 1, first);
        for (std::uint64_t step = 0; step < 100; ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            if (random.chance(1, 5)) {
                first = random.chance(1, 6) ? kDtnNever : random.below(60);
                kept.move(graph, ++from, first);
            } else if (random.chance(1, 2) && plan.size() > kNodes) {
                const auto place = kNodes + random.below(plan.size() - kNodes);
                kept.amend(graph, *graph.take_out(plan[place]));
                plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(place));
            } else {
                plan.push_back(random_contact(random, 1000 + step));
                kept.amend(graph, *graph.put_in(plan.back()));
            }
            Arrivals anew;
            anew.compute(graph, 0, from, 1, first);
            expect_equal(kept, anew);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Arrivals, TheyAreThoseOfASearchByThatNeighbour) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const ContactGraph graph(random_plan(random, 70));
        const RouteQuery query{0, 7, 0, {}, NodeIndex{1}};
        RouteSearch search(graph);
        search.run(query);
        Arrivals arrivals;
        arrivals.compute(graph, 0, 7, 1, search.arrival(1));
        RouteSearch resumed(graph);
        resumed.resume(query, arrivals.by_hops());
        for (NodeIndex node = 1; node < kNodes; ++node) {
            ASSERT_EQ(arrivals.at(node), search.arrival(node));
            const auto route = search.best_route(node);
            const auto again = resumed.best_route(node);
            ASSERT_EQ(route.has_value(), again.has_value());
            if (!route) continue;
            ASSERT_EQ(again->contacts, route->contacts);
            ASSERT_EQ(arrivals.hops_by(node, route->arrival), route->hops());
            ASSERT_EQ(arrivals.hops_by(node, route->arrival - 1), std::nullopt);
        }
    }
}

}  // namespace
}  // namespace farlink::router::arrivals_test
