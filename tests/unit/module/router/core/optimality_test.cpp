// SPDX-License-Identifier: Apache-2.0
// The route search against an exhaustive one over random plans. FARLINK_PLANS says how many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/base/random.hpp"
#include "module/router/core/route_search.hpp"
#include "tests/support/exhaustive_routes.hpp"

namespace farlink::router::optimality_test {
namespace {

using farlink::test::Answer;
using farlink::test::ExhaustiveRoutes;
using farlink::test::Question;

std::uint64_t plans_wanted() {
    const char *text = std::getenv("FARLINK_PLANS");
    return text == nullptr ? 10'000 : std::strtoull(text, nullptr, 10);
}

/// Few different times, rates and light times, so that routes often tie.
std::vector<bus::Contact> random_plan(Random &random) {
    const std::uint64_t nodes = 2 + random.below(11);
    const std::uint64_t count = 1 + random.below(5 * nodes);
    const std::uint64_t spread = 1 + random.below(8);
    std::vector<bus::Contact> plan;
    while (plan.size() < count) {
        const NodeNumber from{1 + random.below(nodes)};
        const NodeNumber to{1 + random.below(nodes)};
        if (from == to) continue;
        const DtnTime start = random.below(spread) * 1000;
        const DtnTime end = start + 500 + random.below(8) * 1000;
        plan.push_back({100 + plan.size(), from, to, start, end, BitRate{8000 * random.below(4)},
                        milliseconds(random.below(4) * 250)});
    }
    return plan;
}

Question random_question(Random &random, const std::vector<bus::Contact> &plan) {
    const auto node = [&] {
        const bus::Contact &contact = plan[random.below(plan.size())];
        return (random.chance(1, 2) ? contact.source : contact.destination).value();
    };
    Question question{node(), node(), random.below(5) * 500, 0, {}};
    if (random.chance(1, 2)) question.size = 1 + random.below(3000);
    if (random.chance(1, 4)) question.excluded.push_back(node());
    return question;
}

std::optional<Answer> ask(RouteSearch &search, const ContactGraph &graph,
                          const Question &question) {
    RouteQuery query;
    query.source = *graph.find(NodeNumber{question.source});
    query.destination = graph.find(NodeNumber{question.destination});
    query.time = question.time;
    query.size_bytes = question.size;
    for (const std::uint64_t node : question.excluded)
        query.excluded_next_hops.push_back(*graph.find(NodeNumber{node}));
    search.run(query);
    const auto route = search.best_route(*query.destination);
    if (!route) return std::nullopt;
    return Answer{route->arrival,
                  route->hops(),
                  route->termination,
                  graph.number(route->next_hop).value(),
                  {}};
}

TEST(Optimality, EveryRandomPlanAsAnExhaustiveSearchHasIt) {
    std::uint64_t reached = 0;
    std::uint64_t several = 0;
    const std::uint64_t plans = plans_wanted();
    for (std::uint64_t seed = 1; seed <= plans; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const auto plan = random_plan(random);
        const ContactGraph graph(plan);
        RouteSearch search(graph);
        for (int asked = 0; asked < 2; ++asked) {
            const Question question = random_question(random, plan);
            const ExhaustiveRoutes routes(plan, question);
            const auto expected = routes.best();
            several += routes.count() >= 5 ? 1 : 0;
            const auto found = ask(search, graph, question);
            ASSERT_EQ(found.has_value(), expected.has_value());
            if (!found) continue;
            ++reached;
            ASSERT_EQ(found->rank(), expected->rank());
        }
    }
    EXPECT_GT(reached, plans / 2) << "the plans are too thin to prove anything";
    EXPECT_GT(several, plans / 4) << "there must be something to choose from";
}

}  // namespace
}  // namespace farlink::router::optimality_test
