// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/destination_table.hpp"

#include <gtest/gtest.h>

#include "common/bp/flow.hpp"
#include "module/storage/core/index/backlogs.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/index/eviction_order.hpp"
#include "module/storage/core/index/inventory.hpp"
#include "tests/support/heap_bytes.hpp"

namespace farlink::storage::destination_table_test {
namespace {

using test::heap_bytes;

constexpr NodeNumber kGateway{2};

struct Destinations : ::testing::Test {
    Destinations() {
        config::RoutingConfig routing;
        routing.default_gateway = kGateway;
        table.set_policies(routing);
        bus::RouteUpdate update;
        update.neighbours = {{kGateway, LinkId{3}, true}};
        table.set_routes(update);
    }
    FlowIndex hold(std::uint64_t node, Priority priority = Priority::kNormal) {
        const bp::EidView endpoint = bp::ipn_eid(node, 1);
        encode_label(endpoint, label);
        const FlowIndex flow = table.find_or_add(label, endpoint, priority);
        table.hold(flow);
        return flow;
    }

    DestinationTable table;
    Bytes label;
};

TEST_F(Destinations, AMillionTakeLessThan400OctetsEachAndGiveThemBack) {
    constexpr std::uint64_t kMany = 1'000'000;
    EvictionOrder order(table);
    auto backlogs = std::make_unique<Backlogs>();
    std::vector<FlowIndex> flows;
    flows.reserve(kMany);
    const std::size_t before = heap_bytes();
    for (std::uint64_t node = 1; node <= kMany; ++node) {
        const FlowIndex flow = hold(node);
        flows.push_back(flow);
        backlogs->take(table.flow(flow).key, 0);
        backlogs->add(table.flow(flow).key);
        order.offer(flow, node);
        ASSERT_EQ(table.ways(flow).size(), 1U);
        table.flow(flow).listed_on.push_back(LinkId{3});
    }
    EXPECT_LT((heap_bytes() - before) / kMany, 320U) << "others have the rest of 400";
    encode_label(bp::ipn_eid(kMany + 1, 1), label);
    EXPECT_TRUE(table.is_full_for(label));
    encode_label(bp::ipn_eid(kMany, 1), label);
    EXPECT_FALSE(table.is_full_for(label)) << "it is there already";
    for (const FlowIndex flow : flows) {
        backlogs->remove(table.flow(flow).key);
        table.let_go(flow);
    }
    while (backlogs->poll()) continue;
    EXPECT_LT(heap_bytes() - std::min(before, heap_bytes()), kMany * 80);
    EXPECT_EQ(table.size(), 0U);
}

TEST_F(Destinations, OneThatIsForgottenIsWithoutBundlesForWhoNamesItStill) {
    const FlowIndex flow = hold(5);
    table.flow(flow).listed_on.push_back(LinkId{3});
    table.let_go(flow);
    EXPECT_FALSE(table.flow(flow).listed_on.contains(LinkId{3}));
    EXPECT_EQ(table.flow(flow).queue.waiting(), 0U);
    EXPECT_EQ(table.flow(flow).eviction_key, Flow::kNotListed);
    EXPECT_TRUE(table.ways(flow).empty());
    EXPECT_EQ(table.node_of(flow), NodeNumber{});
    const FlowIndex next = hold(6);
    EXPECT_EQ(next, flow) << "its number is used again";
    EXPECT_EQ(table.node_of(next), NodeNumber{6});
}

// An unknown peer can name a million nodes, for which the router books nothing.
TEST_F(Destinations, OfVeryManyThoseWithARouteOfThePlanAreReported) {
    Inventory inventory;
    DestinationTable &destinations = inventory.destinations();
    bus::RouteUpdate update;
    update.routes.push_back({NodeNumber{7}, {{kGateway, LinkId{3}, 0}}});
    destinations.set_routes(update);
    const auto add = [&](std::uint64_t node) {
        const bp::EidView endpoint = bp::ipn_eid(node, 1);
        encode_label(endpoint, label);
        RecordHead head;
        head.identity = {node << 40U, node};
        head.arrival = node;
        head.size = 100;
        const EntryIndex index =
            inventory.add(head, destinations.find_or_add(label, endpoint, Priority::kNormal), 0);
        inventory.locate(index, 0, {node, 4096});
        inventory.shelve(index);
    };
    std::uint64_t node = 0;
    while (node < DestinationTable::kMostReported) add(++node);
    EXPECT_EQ(destinations.waiting(inventory.entries()).size(), DestinationTable::kMostReported);
    add(++node);
    const auto waiting = destinations.waiting(inventory.entries());
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_EQ(waiting[0].node, NodeNumber{7});
}

TEST_F(Destinations, PrioritiesOfOneEndpointAreFlowsOfTheirOwn) {
    const FlowIndex normal = hold(5);
    const FlowIndex expedited = hold(5, Priority::kExpedited);
    EXPECT_NE(normal, expedited);
    EXPECT_NE(table.flow(normal).key, table.flow(expedited).key);
    EXPECT_EQ(table.flow(expedited).priority, Priority::kExpedited);
    std::size_t visited = 0;
    table.for_each_flow([&visited](FlowIndex) { ++visited; });
    EXPECT_EQ(visited, 2U);
    table.let_go(normal);
    EXPECT_EQ(table.node_of(expedited), NodeNumber{5});
}

}  // namespace
}  // namespace farlink::storage::destination_table_test
