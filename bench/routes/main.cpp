// SPDX-License-Identifier: Apache-2.0
// The time of the router's computations: over a plan of 1,000 nodes and 100,000 contacts, the
// graph, a cold query, the table of a node with every neighbour or a few, and a change of one
// contact.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include "bench/routes/plan_generator.hpp"
#include "common/routing/forwarding_table.hpp"
#include "common/runtime/clock.hpp"
#include "module/router/core/next_hop_planner.hpp"
#include "module/router/core/route_search.hpp"

namespace {

using namespace farlink;
using namespace farlink::router;

constexpr DtnTime kStart = 30'000'000;

double ms_of(const std::function<void()> &work) {
    const TimePoint begin = monotonic_now();
    work();
    return static_cast<double>((monotonic_now() - begin).count()) / 1e6;
}

void report(const char *what, std::vector<double> took_ms) {
    std::ranges::sort(took_ms);
    std::printf("%-34s median %8.3f ms, worst %8.3f ms of %zu\n", what, took_ms[took_ms.size() / 2],
                took_ms.back(), took_ms.size());
}

std::vector<NextHop> next_hops(const ContactGraph &graph, NodeNumber node, std::size_t most) {
    std::vector<NextHop> hops;
    std::uint32_t link = 0;
    for (const Edge &edge : graph.edges_from(*graph.find(node)))
        if (hops.size() < most) hops.push_back({graph.number(edge.to), LinkId{link++}, false});
    return hops;
}

void measure_queries(const ContactGraph &graph) {
    std::vector<double> cold;
    for (NodeIndex to = 1; to < 200; ++to)
        cold.push_back(ms_of([&] {
            RouteSearch search(graph);
            search.run({to, kStart, 0, {}, {}, NodeIndex{(to * 7) % 1000}});
            (void)search.best_route((to * 7) % 1000);
        }));
    report("cold query", cold);
    std::vector<double> all;
    for (NodeIndex from = 0; from < 3; ++from)
        all.push_back(ms_of([&] {
            RouteSearch search(graph);
            search.run({from, kStart, 0, {}, {}, {}});
            for (NodeIndex to = 0; to < graph.node_count(); ++to) (void)search.best_route(to);
        }));
    report("best route to every node", all);
}

/// A contact to nodes near the start, so that routes depend on it; removed and added again.
void measure_changes(const std::vector<bus::Contact> &plan, const std::vector<NextHop> &hops,
                     bool matters) {
    NextHopPlanner planner(NodeNumber{1});
    planner.set_plan(plan);
    RouteTable table = planner.table(hops, kStart);
    std::vector<double> took;
    const std::uint64_t before = planner.searches();
    for (std::size_t turn = 0; turn < 100; ++turn) {
        std::uint64_t id = turn * 997 % plan.size();
        const TableRow &row = table.rows[turn * 7 % table.rows.size()];
        if (matters) id = row.candidates[0].contacts[turn % row.candidates[0].contacts.size()];
        for (const bool out : {true, false}) {
            const std::span one(&plan[id], 1);
            took.push_back(ms_of([&] {
                planner.change_plan(out ? one : std::span<const bus::Contact>(),
                                    out ? std::span<const bus::Contact>() : one);
                table = planner.table(hops, kStart + turn);
                (void)table.routes();
            }));
        }
    }
    report(matters ? "change of a contact in use" : "change of any contact", took);
    std::printf(
        "%-34s %8.1f\n", "  searches each",
        static_cast<double>(planner.searches() - before) / static_cast<double>(took.size()));
}

/// Bundles of one kind, and bundles of a hundred kinds in turn.
void measure_decisions(const RouteTable &table) {
    routing::ForwardingTable ways;
    ways.handle({{}, table.routes(), {}});
    constexpr std::uint64_t kCalls = 1'000'000;
    for (const std::uint64_t kinds : {std::uint64_t{1}, std::uint64_t{100}}) {
        std::uint64_t links = 0;
        const double took = ms_of([&] {
            for (std::uint64_t call = 0; call < kCalls; ++call) {
                const NodeNumber to{2 + call % kinds};
                const routing::BundleFacts bundle{NodeNumber{7}, to, 1, Priority::kNormal, 1000,
                                                  kDtnNever - 1, {}};
                links += ways.decide(bundle, kStart).hop.link.value();
            }
        });
        std::printf("%-34s %8.1f ns (%llu)\n", kinds == 1 ? "a decision" : "  of 100 kinds in turn",
                    took * 1e6 / static_cast<double>(kCalls),
                    static_cast<unsigned long long>(links % 10));
    }
}

}  // namespace

int main() {
    const auto plan = bench::PlanGenerator({}).plan();
    report("graph", {ms_of([&] { ContactGraph graph(plan); })});
    const ContactGraph graph(plan);
    measure_queries(graph);
    for (const std::size_t most : {std::size_t{4}, std::size_t{16}, std::size_t{1000}}) {
        const auto hops = next_hops(graph, NodeNumber{1}, most);
        std::printf("%zu neighbours\n", hops.size());
        report("plan, graph, table of one node",
               {ms_of([&] { (void)compute_table(plan, NodeNumber{1}, hops, kStart); })});
        measure_changes(plan, hops, false);
        measure_changes(plan, hops, true);
        measure_decisions(compute_table(plan, NodeNumber{1}, hops, kStart));
    }
    return 0;
}
