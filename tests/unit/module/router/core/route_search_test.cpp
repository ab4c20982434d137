// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/route_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "common/base/random.hpp"

namespace farlink::router::route_search_test {
namespace {

/// Order of routes, smaller is better: arrival, hops, termination (negated), entry node.
using Rank = std::tuple<DtnTime, std::size_t, DtnTime, NodeIndex>;

/// Every route that visits no node twice, tried one by one straight from the model's words.
class BruteForce {
public:
    BruteForce(const ContactGraph &graph, const RouteQuery &query, NodeIndex destination)
        : graph_(graph), query_(query), destination_(destination) {
        visited_.assign(graph.node_count(), false);
        visited_[query.source] = true;
        extend(query.source, query.time, 0, kDtnNever, 0);
    }
    [[nodiscard]] std::optional<Rank> best() const { return best_; }

private:
    void extend(NodeIndex node, DtnTime time, std::size_t hops, DtnTime stop, NodeIndex entry) {
        if (node == destination_) {
            const Rank rank{time, hops, kDtnNever - stop, entry};
            if (!best_ || rank < *best_) best_ = rank;
            return;
        }
        for (ContactIndex index = 0; index < graph_.contact_count(); ++index) {
            const GraphContact &contact = graph_.contact(index);
            if (contact.from != node || visited_[contact.to]) continue;
            if (hops == 0 && !allowed(contact.to)) continue;
            const DtnTime first = std::max(time, contact.start);
            const DtnTime last = first + contact.duration_ms(query_.size_bytes);
            if (first >= contact.end || last > contact.end) continue;
            visited_[contact.to] = true;
            extend(contact.to, last + contact.light_ms, hops + 1, std::min(stop, contact.end),
                   hops == 0 ? contact.to : entry);
            visited_[contact.to] = false;
        }
    }
    [[nodiscard]] bool allowed(NodeIndex next_hop) const {
        if (query_.only_next_hop) return *query_.only_next_hop == next_hop;
        return std::ranges::count(query_.excluded_next_hops, next_hop) == 0;
    }

    const ContactGraph &graph_;
    const RouteQuery &query_;
    NodeIndex destination_;
    std::vector<bool> visited_;
    std::optional<Rank> best_;
};

std::vector<bus::Contact> random_plan(Random &random, std::uint64_t nodes, std::uint64_t count) {
    std::vector<bus::Contact> plan;
    while (plan.size() < count) {
        const NodeNumber from{1 + random.below(nodes)};
        const NodeNumber to{1 + random.below(nodes)};
        if (from == to) continue;
        // Few different values, so that ties are frequent.
        const DtnTime start = random.below(6) * 10;
        const DtnTime end = start + 1 + random.below(4) * 10;
        plan.push_back({plan.size(), from, to, start, end, BitRate{8000 * random.below(3)},
                        milliseconds(random.below(3) * 5)});
    }
    return plan;
}

void check_route(const ContactGraph &graph, const RouteQuery &query, const FoundRoute &route) {
    NodeIndex node = query.source;
    DtnTime time = query.time;
    for (const ContactIndex index : route.contacts) {
        const GraphContact &contact = graph.contact(index);
        ASSERT_EQ(contact.from, node);
        time = std::max(time, contact.start) + contact.duration_ms(query.size_bytes);
        ASSERT_LE(time, contact.end);
        time += contact.light_ms;
        node = contact.to;
    }
    ASSERT_EQ(time, route.arrival);
}

TEST(RouteSearch, FindsWhatTryingEveryRouteFinds) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const auto plan = random_plan(random, 3 + random.below(4), 4 + random.below(14));
        const ContactGraph graph(plan);
        RouteSearch search(graph);
        RouteQuery query;
        const auto nodes = graph.node_count();
        query.source = static_cast<NodeIndex>(random.below(nodes));
        query.time = random.below(40);
        query.size_bytes = random.chance(1, 2) ? 0 : 1 + random.below(15);
        const auto other = static_cast<NodeIndex>(random.below(nodes));
        if (random.chance(1, 4)) query.excluded_next_hops = {other};
        if (random.chance(1, 4)) query.only_next_hop = other;
        const auto destination = static_cast<NodeIndex>(random.below(nodes));
        if (destination == query.source) continue;
        if (random.chance(1, 2)) query.destination = destination;

        search.run(query);
        const auto found = search.best_route(destination);
        const auto expected = BruteForce(graph, query, destination).best();
        ASSERT_EQ(found.has_value(), expected.has_value());
        if (!found) continue;
        check_route(graph, query, *found);
        ASSERT_EQ(
            (Rank{found->arrival, found->hops(), kDtnNever - found->termination, found->next_hop}),
            *expected);
    }
}

TEST(RouteSearch, TheSourceItselfIsNoDestination) {
    const std::vector<bus::Contact> plan{{0, NodeNumber{1}, NodeNumber{2}, 0, 10, BitRate{}, {}},
                                         {1, NodeNumber{2}, NodeNumber{1}, 0, 10, BitRate{}, {}}};
    const ContactGraph graph(plan);
    RouteSearch search(graph);
    search.run({});
    EXPECT_FALSE(search.best_route(0).has_value());
    EXPECT_EQ(search.arrival(0), 0U);
}

TEST(RouteSearch, LatestDepartureIsTheLastMillisecondInTime) {
    // A bundle waits at node 2 from 1 to 10, so that it may leave node 1 until 9.
    const std::vector<bus::Contact> plan{
        {0, NodeNumber{1}, NodeNumber{2}, 0, 50, BitRate{}, milliseconds(1)},
        {1, NodeNumber{2}, NodeNumber{3}, 10, 20, BitRate{}, milliseconds(2)}};
    const ContactGraph graph(plan);
    RouteSearch search(graph);
    search.run({});
    const auto route = search.best_route(2);
    ASSERT_TRUE(route.has_value());
    EXPECT_EQ(route->arrival, 12U);
    EXPECT_EQ(latest_departure(graph, route->contacts, route->arrival), 9U);
    EXPECT_EQ(latest_departure(graph, route->contacts, kDtnNever), 18U);
}

TEST(RouteSearch, ContactsWithoutEndNeverTerminate) {
    const std::vector<bus::Contact> plan{
        {0, NodeNumber{1}, NodeNumber{2}, 0, kDtnNever, BitRate{}, {}}};
    const ContactGraph graph(plan);
    RouteSearch search(graph);
    search.run({0, 5, 0, {}, {}, {}});
    const auto route = search.best_route(1);
    ASSERT_TRUE(route.has_value());
    EXPECT_EQ(route->arrival, 5U);
    EXPECT_EQ(route->termination, kDtnNever);
    EXPECT_EQ(latest_departure(graph, route->contacts, kDtnNever), kDtnNever - 1);
}

}  // namespace
}  // namespace farlink::router::route_search_test
