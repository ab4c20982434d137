// SPDX-License-Identifier: Apache-2.0
// The contact graph routing cases of tests/vectors/cgr.json; its `model` object states the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "module/router/core/alternative_routes.hpp"
#include "module/router/core/volume_booking.hpp"
#include "tests/support/build_folders.hpp"

namespace farlink::router::cgr_test {
namespace {

using nlohmann::json;

const json &vectors() {
    static const json parsed = [] {
        std::ifstream file(FARLINK_SOURCE_DIR "/tests/vectors/cgr.json");
        return json::parse(file);  // throws, and so fails the test, when the file is missing
    }();
    return parsed;
}

std::uint64_t ms(const json &time_s) {
    return static_cast<std::uint64_t>(time_s.get<double>() * 1000.0 + 0.5);
}

/// Columns: id, from, to, start, end, rate (bytes per second), light time.
std::vector<bus::Contact> plan_of(const json &rows) {
    std::vector<bus::Contact> plan;
    for (const json &row : rows)
        plan.push_back({row[0], NodeNumber{row[1]}, NodeNumber{row[2]}, ms(row[3]), ms(row[4]),
                        BitRate{row[5].get<std::uint64_t>() * 8}, seconds(row[6].get<int>())});
    return plan;
}

struct Asked {
    std::optional<RouteQuery> query;  ///< none when a node is not in the plan
    NodeIndex destination = 0;
};

Asked query_of(const json &row, const ContactGraph &graph) {
    const auto source = graph.find(NodeNumber{row["source"]});
    const auto destination = graph.find(NodeNumber{row["dest"]});
    if (!source || !destination) return {};
    RouteQuery query{*source, ms(row["time"]), row["size"], {}, {}, *destination};
    for (const json &node : row.value("excluded_next_hops", json::array()))
        if (const auto excluded = graph.find(NodeNumber{node}))
            query.excluded_next_hops.push_back(*excluded);
    return {std::move(query), *destination};
}

void expect_route(const json &expected, const ContactGraph &graph,
                  const std::optional<FoundRoute> &route) {
    ASSERT_EQ(route.has_value(), expected["reachable"].get<bool>());
    if (!route) return;
    EXPECT_EQ(route->arrival, ms(expected["arrival_time"]));
    EXPECT_EQ(route->hops(), expected["hops"].get<std::size_t>());
    EXPECT_EQ(route->termination, ms(expected["termination_time"]));
    EXPECT_EQ(graph.number(route->next_hop), NodeNumber{expected["next_hop"]});
    const auto optimal = expected["next_hops_with_optimal_arrival"].get<std::set<std::uint64_t>>();
    EXPECT_TRUE(optimal.contains(graph.number(route->next_hop).value()));
    std::vector<std::uint64_t> ids;
    for (const ContactIndex index : route->contacts) ids.push_back(graph.contact(index).id);
    const auto best =
        expected["best_routes_contact_ids"].get<std::vector<std::vector<std::uint64_t>>>();
    EXPECT_NE(std::ranges::find(best, ids), best.end());
}

TEST(CgrVectors, Cases) {
    std::size_t queries = 0;
    for (const json &plan : vectors()["cases"]) {
        const ContactGraph graph(plan_of(plan["contacts"]));
        RouteSearch search(graph);
        for (const json &row : plan["queries"]) {
            SCOPED_TRACE(plan["id"].get<std::string>() + " " + row.dump());
            const Asked asked = query_of(row, graph);
            std::optional<FoundRoute> route;
            if (asked.query) {
                search.run(*asked.query);
                route = search.best_route(asked.destination);
            }
            expect_route(row["expected"], graph, route);
            ++queries;
        }
    }
    EXPECT_EQ(queries, 167U);
}

/// Each bundle joins the backlog, and the next one takes the first route that has room for it.
TEST(CgrVectors, Booking) {
    for (const json &row : vectors()["booking_cases"]) {
        SCOPED_TRACE(row["id"].get<std::string>());
        const ContactGraph graph(plan_of(row["contacts"]));
        const json &query = row["query"];
        const NodeIndex source = *graph.find(NodeNumber{query["source"]});
        const NodeIndex destination = *graph.find(NodeNumber{query["dest"]});
        const std::uint64_t size = query["size"];
        std::vector<std::uint64_t> next_hops;
        for (std::uint64_t sent = 0; sent < query["count"]; ++sent) {
            VolumeBooking booking(graph, source, ms(query["time"]));
            (void)booking.book({}, destination, Priority::kBulk, {sent * size});
            AlternativeRoutes routes(graph, {.source = source, .time = ms(query["time"])},
                                     destination);
            auto route = routes.next();
            for (; route && booking.room(route->contacts, Priority::kBulk) < size;
                 route = routes.next())
                routes.use_up(route->contacts.front());
            ASSERT_TRUE(route);
            next_hops.push_back(graph.number(route->next_hop).value());
        }
        EXPECT_EQ(next_hops, row["expected_next_hops"].get<std::vector<std::uint64_t>>());
    }
}

/// The generator that `large_plans` describes.
class PlanGenerator {
public:
    explicit PlanGenerator(std::uint64_t seed) : state_(seed) {}

    std::vector<bus::Contact> plan(const json &parameters) {
        const std::uint64_t nodes = parameters["nodes"];
        const std::uint64_t count = parameters["contacts"];
        const std::uint64_t horizon = parameters["horizon"];
        const std::uint64_t least = parameters["dmin"];
        const std::uint64_t spread = parameters["dmax"].get<std::uint64_t>() - least + 1;
        std::vector<bus::Contact> contacts;
        while (contacts.size() < count) {
            const NodeNumber from{1 + draw() % nodes};
            const NodeNumber to{1 + draw() % nodes};
            const DtnTime start = draw() % horizon;
            const DtnTime end = start + least + draw() % spread;
            const BitRate rate{8 * 1000 * (1 + draw() % 100)};
            const seconds light(draw() % 10);
            if (from == to) continue;
            contacts.push_back({contacts.size(), from, to, start * 1000, end * 1000, rate, light});
        }
        return contacts;
    }

private:
    std::uint64_t draw() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return (state_ * 2685821657736338717ULL) >> 33;
    }

    std::uint64_t state_;
};

TEST(CgrVectors, LargePlans) {
    for (const json &large : vectors()["large_plans"]) {
        SCOPED_TRACE(large["id"].get<std::string>());
        const json &parameters = large["generator"];
        const auto plan = PlanGenerator(parameters["seed"]).plan(parameters);
        for (std::size_t row = 0; row < large["first_contacts"].size(); ++row) {
            const json &expected = large["first_contacts"][row];
            ASSERT_EQ(plan[row].source, NodeNumber{expected[0]});
            ASSERT_EQ(plan[row].destination, NodeNumber{expected[1]});
            ASSERT_EQ(plan[row].start, ms(expected[2]));
            ASSERT_EQ(plan[row].end, ms(expected[3]));
        }
        const ContactGraph graph(plan);
        RouteSearch search(graph);
        for (const json &row : large["queries"]) {
            SCOPED_TRACE(row.dump());
            const auto source = graph.find(NodeNumber{row["source"]});
            const auto destination = graph.find(NodeNumber{row["dest"]});
            ASSERT_TRUE(source && destination);
            search.run({*source, ms(row["time"]), 0, {}, {}, destination});
            const auto route = search.best_route(*destination);
            ASSERT_TRUE(route.has_value());
            EXPECT_EQ(route->arrival, ms(row["expected_arrival_time"]));
        }
    }
}

}  // namespace
}  // namespace farlink::router::cgr_test
