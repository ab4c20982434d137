// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/alternative_routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/base/random.hpp"
#include "tests/support/exhaustive_routes.hpp"

namespace farlink::router::alternative_routes_test {
namespace {

using farlink::test::Answer;
using farlink::test::ExhaustiveRoutes;

std::vector<bus::Contact> random_plan(Random &random) {
    const std::uint64_t nodes = 3 + random.below(6);
    std::vector<bus::Contact> plan;
    while (plan.size() < 5 * nodes) {
        const NodeNumber from{1 + random.below(nodes)};
        const NodeNumber to{1 + random.below(nodes)};
        const DtnTime start = random.below(6) * 1000;
        if (from == to) continue;
        plan.push_back({plan.size(), from, to, start, start + 500 + random.below(5) * 1000,
                        BitRate{8000 * random.below(4)}, milliseconds(random.below(3) * 250)});
    }
    return plan;
}

bool uses(const Answer &route, std::uint64_t contact) {
    return std::ranges::count(route.contacts, contact) > 0;
}

// Of all routes that there are, those that use nothing that is used up remain, and the next one is
// the best of them: whatever is full, no earlier route that has room is missed.
TEST(AlternativeRoutes, NoEarlierOneIsMissed) {
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const auto plan = random_plan(random);
        const std::uint64_t size = random.chance(1, 2) ? 0 : 1 + random.below(2000);
        const ContactGraph graph(plan);
        const auto source = graph.find(NodeNumber{1});
        const auto destination = graph.find(NodeNumber{2});
        if (!source || !destination) continue;
        auto left = ExhaustiveRoutes(plan, {1, 2, 0, size, {}}).all();
        AlternativeRoutes alternatives(graph, {.source = *source, .size_bytes = size},
                                       *destination);
        while (true) {
            const auto route = alternatives.next();
            ASSERT_EQ(route.has_value(), !left.empty());
            if (!route) break;
            ASSERT_EQ(route->arrival, left.front().arrival);
            ASSERT_EQ(route->hops(), left.front().hops);
            ASSERT_EQ(route->termination, left.front().termination);
            ASSERT_EQ(graph.number(route->next_hop), NodeNumber{left.front().entry});
            ++compared;
            const ContactIndex full = route->contacts[random.below(route->contacts.size())];
            alternatives.use_up(full);
            std::erase_if(left,
                          [&](const Answer &one) { return uses(one, graph.contact(full).id); });
        }
    }
    EXPECT_GT(compared, 5000U);
}

TEST(AlternativeRoutes, ClosedContactsAreOutFromTheBeginning) {
    const std::vector<bus::Contact> plan{{0, NodeNumber{1}, NodeNumber{2}, 0, 10, {}, {}},
                                         {1, NodeNumber{1}, NodeNumber{2}, 20, 30, {}, {}}};
    const ContactGraph graph(plan);
    AlternativeRoutes alternatives(graph, {}, 1, {true, false});
    const auto route = alternatives.next();
    ASSERT_TRUE(route);
    EXPECT_EQ(route->arrival, 20U);
    alternatives.use_up(1);
    EXPECT_FALSE(alternatives.next());
}

}  // namespace
}  // namespace farlink::router::alternative_routes_test
