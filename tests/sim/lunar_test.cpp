// SPDX-License-Identifier: Apache-2.0
// A week of a lunar network: every bundle arrives once, by the time that the contact plan predicts.
#include <gtest/gtest.h>

#include "module/router/core/contact_graph.hpp"
#include "module/router/core/route_search.hpp"
#include "tests/sim/lunar_plan.hpp"
#include "tests/sim/sim_world.hpp"

namespace farlink::sim::lunar_test {
namespace {

constexpr std::uint64_t kWeek = 7 * 24 * 3600;
/// The plan lasts until the bundles of the end of the week have arrived.
constexpr std::uint64_t kPlanSeconds = kWeek + 3 * 24 * 3600;
constexpr std::uint64_t kPayload = 2000;
/// Three times the one-way light time to the Moon, for the connection of a link, and half a second
/// for the bundles that wait for the same contact. The prediction uses no shorter contact.
constexpr Duration kMargin = seconds(5);
constexpr Duration kEachHop = seconds(5);

/// Bundles of one node to another, one every `interval`.
struct Traffic {
    NodeNumber from;
    NodeNumber to;
    Duration interval;

    [[nodiscard]] Flow flow() const {
        return {from.value() + 200, application_of(to).value(), 1, Priority::kNormal};
    }
    [[nodiscard]] std::uint64_t count() const {
        return static_cast<std::uint64_t>(seconds(kWeek) / interval);
    }
};

constexpr Traffic kTraffic[] = {{kRover, kControl, seconds(600)},
                                {kOrbiter, kControl, seconds(300)},
                                {kControl, kRover, seconds(900)},
                                {kControl, kOrbiter, seconds(900)}};

class LunarWeek : public ::testing::Test {
protected:
    LunarWeek() {
        NodeOptions options;
        options.plan = lunar_plan(SimClock::kStartDtn, kPlanSeconds);
        for (const NodeNumber node : {kRover, kRelay, kOrbiter, kWest, kEast, kControl}) {
            options.number = node;
            nodes_[node] = &world_.add_node(options);
        }
        for (const Sight &sight : kSights) {
            connect(sight.one, sight.other, sight.forth, sight.owlt);
            connect(sight.other, sight.one, sight.back, sight.owlt);
        }
        for (const NodeNumber node : {kRover, kOrbiter, kControl}) {
            sinks_[node] = &world_.add_sink();
            world_.connect(*nodes_[node], *sinks_[node], application_of(node));
        }
    }

    void connect(NodeNumber from, NodeNumber to, BitRate rate, Duration owlt) {
        LinkOptions link;
        link.rate = rate;
        link.delay = owlt;
        links_.push_back(&world_.connect(*nodes_[from], *nodes_[to], link));
    }

    void run() {
        std::vector<SimSource *> sources;
        for (const Traffic &traffic : kTraffic)
            sources.push_back(&world_.add_source(*nodes_[traffic.from]));
        world_.start();
        for (std::size_t i = 0; i < sources.size(); ++i)
            sources[i]->send_paced(kTraffic[i].flow(), kTraffic[i].count(), kPayload,
                                   kTraffic[i].interval);
        world_.clock.run_until(TimePoint{} + seconds(kPlanSeconds));
    }

    /// The deadline of each bundle of the flow: the earliest arrival by a plan with slightly
    /// shorter contacts.
    void expect_in_time(const Traffic &traffic) {
        const router::ContactGraph graph(lunar_plan(SimClock::kStartDtn, kPlanSeconds, kMargin));
        router::RouteSearch search(graph);
        router::RouteQuery query;
        query.source = *graph.find(traffic.from);
        query.size_bytes = kPayload + 200;
        const auto destination = *graph.find(application_of(traffic.to));
        const SimSink::Record &record = sinks_[traffic.to]->record(traffic.flow());
        ASSERT_EQ(record.arrived, traffic.count());
        EXPECT_EQ(record.duplicates, 0U);
        for (std::uint64_t number = 0; number < traffic.count(); ++number) {
            const TimePoint made = TimePoint{} + traffic.interval * static_cast<int>(number);
            query.time = world_.clock.wall_clock().dtn_at(made);
            search.run(query);
            const auto route = search.best_route(destination);
            ASSERT_TRUE(route) << number;
            const TimePoint predicted = world_.clock.wall_clock().point_of(route->arrival) +
                                        kEachHop * static_cast<int>(route->hops());
            EXPECT_LE(record.at[number], predicted)
                << "bundle " << number << " of " << traffic.from.value() << ", made at "
                << std::chrono::duration_cast<seconds>(made.time_since_epoch()).count() << " s";
        }
    }

    SimWorld world_{1};
    std::map<NodeNumber, SimNode *> nodes_;
    std::map<NodeNumber, SimSink *> sinks_;
    std::vector<SimLink *> links_;
};

TEST_F(LunarWeek, EveryBundleArrivesByThePredictedTime) {
    run();
    for (const Traffic &traffic : kTraffic) expect_in_time(traffic);
    for (const auto &node : world_.nodes()) {
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
        EXPECT_EQ(node->held(), 0U);
    }
    for (const SimLink *link : links_)
        EXPECT_TRUE(link->carried_bundles() > 0 || link->options().rate == kMegabit)
            << "every path down was the best one at some time";
}

}  // namespace
}  // namespace farlink::sim::lunar_test
