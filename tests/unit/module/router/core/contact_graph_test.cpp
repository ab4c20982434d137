// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/contact_graph.hpp"

#include <gtest/gtest.h>

namespace farlink::router::contact_graph_test {
namespace {

bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start,
                     DtnTime end, Duration light = {}) {
    return {id, NodeNumber{from}, NodeNumber{to}, start, end, BitRate{8000}, light};
}

TEST(ContactGraph, AnEmptyPlanHasNoNodes) {
    const ContactGraph graph;
    EXPECT_EQ(graph.node_count(), 0U);
    EXPECT_FALSE(graph.find(NodeNumber{1}).has_value());
    EXPECT_EQ(graph.next_start(0), kDtnNever);
}

TEST(ContactGraph, NodesAreInOrderAndContactsGroupedByEdge) {
    const std::vector<bus::Contact> plan{contact(0, 30, 10, 5, 9), contact(1, 10, 20, 50, 60),
                                         contact(2, 10, 20, 0, 100), contact(3, 10, 30, 1, 2)};
    const ContactGraph graph(plan);
    ASSERT_EQ(graph.node_count(), 3U);
    EXPECT_EQ(graph.number(0), NodeNumber{10});
    EXPECT_EQ(graph.find(NodeNumber{30}), 2U);
    EXPECT_FALSE(graph.find(NodeNumber{31}).has_value());

    ASSERT_EQ(graph.edges_from(0).size(), 2U);
    EXPECT_EQ(graph.edges_from(1).size(), 0U);
    const Edge *edge = graph.edge_between(0, 1);
    ASSERT_NE(edge, nullptr);
    const auto contacts = graph.contacts_of(*edge);
    ASSERT_EQ(contacts.size(), 2U);
    EXPECT_EQ(contacts[0].id, 2U);
    EXPECT_EQ(contacts[1].latest_end, 100U);
    EXPECT_EQ(graph.edge_between(1, 0), nullptr);

    ASSERT_EQ(graph.edges_into(0).size(), 1U);
    EXPECT_EQ(graph.edges_into(0)[0].from, 2U);
}

TEST(ContactGraph, ContactsThatCarryNothingAreLeftOut) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 10, 10), contact(1, 1, 2, 10, 9),
                                         contact(2, 3, 3, 0, 100)};
    EXPECT_EQ(ContactGraph(plan).node_count(), 0U);
}

TEST(ContactGraph, LightTimeAndDurationRoundUpToMilliseconds) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 10, nanoseconds(1'000'001))};
    const ContactGraph graph(plan);
    EXPECT_EQ(graph.contact(0).light_ms, 2U);
    EXPECT_EQ(graph.contact(0).duration_ms(0), 0U);
    EXPECT_EQ(graph.contact(0).duration_ms(1), 1U);
    EXPECT_EQ(graph.contact(0).duration_ms(1000), 1000U);
    EXPECT_EQ(graph.contact(0).duration_ms(1001), 1001U);
}

TEST(ContactGraph, AnUnlimitedRateTakesNoTime) {
    std::vector<bus::Contact> plan{contact(0, 1, 2, 0, 10)};
    plan[0].rate = BitRate{0};
    EXPECT_EQ(ContactGraph(plan).contact(0).duration_ms(kDtnNever), 0U);
}

TEST(ContactGraph, NextStartAndRunEnd) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 10, 20), contact(1, 1, 2, 20, 30),
                                         contact(2, 1, 2, 40, 50)};
    const ContactGraph graph(plan);
    EXPECT_EQ(graph.next_start(9), 10U);
    EXPECT_EQ(graph.next_start(10), 20U);
    EXPECT_EQ(graph.next_start(40), kDtnNever);
    const Edge &edge = *graph.edge_between(0, 1);
    EXPECT_EQ(graph.run_end(edge, 5), 5U);
    EXPECT_EQ(graph.run_end(edge, 15), 30U);
    EXPECT_EQ(graph.run_end(edge, 35), 35U);
    EXPECT_EQ(graph.run_end(edge, 45), 50U);
}

TEST(ContactGraph, AmendedItIsAsIfMadeAnew) {
    std::vector<bus::Contact> plan{contact(0, 1, 2, 10, 20), contact(1, 1, 3, 5, 9),
                                   contact(2, 2, 3, 0, 50), contact(3, 1, 2, 30, 40)};
    ContactGraph graph(plan);
    const bus::Contact more = contact(4, 1, 2, 15, 60, milliseconds(3));
    const auto out = graph.take_out(plan[0]);
    ASSERT_TRUE(out);
    EXPECT_FALSE(out->added);
    EXPECT_EQ(out->contact.id, 0U);
    const auto in = graph.put_in(more);
    ASSERT_TRUE(in);
    EXPECT_TRUE(in->added);
    plan.erase(plan.begin());
    plan.push_back(more);
    const ContactGraph anew(plan);
    ASSERT_EQ(graph.contact_count(), anew.contact_count());
    for (ContactIndex index = 0; index < anew.contact_count(); ++index) {
        EXPECT_EQ(graph.contact(index).id, anew.contact(index).id);
        EXPECT_EQ(graph.contact(index).latest_end, anew.contact(index).latest_end);
    }
    EXPECT_EQ(graph.edge_between(0, 1)->earliest_start, 15U);
    EXPECT_EQ(graph.edge_between(0, 1)->latest_end, 60U);
    EXPECT_EQ(graph.edge_between(0, 1)->least_light_ms, 0U);
    EXPECT_EQ(graph.edge_between(0, 1)->count, 2U);
    EXPECT_EQ(graph.edges_into(2).size(), 2U);
    EXPECT_EQ(graph.next_start(5), 15U);
    EXPECT_EQ(graph.find(more), anew.find(more));
}

TEST(ContactGraph, ANewNodeNeedsANewGraph) {
    const std::vector<bus::Contact> plan{contact(0, 1, 2, 10, 20)};
    ContactGraph graph(plan);
    const bus::Contact more = contact(4, 1, 9, 15, 60);
    EXPECT_FALSE(graph.put_in(more));
    const bus::Contact foreign = contact(7, 1, 2, 10, 20);
    EXPECT_FALSE(graph.take_out(foreign));
}

}  // namespace
}  // namespace farlink::router::contact_graph_test
