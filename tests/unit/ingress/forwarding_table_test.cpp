// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/forwarding_table.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress {
namespace {

bus::Route route(std::uint64_t destination, std::vector<std::uint32_t> links) {
    bus::Route made{NodeNumber{destination}, {}};
    for (const std::uint32_t link : links)
        made.candidates.push_back({NodeNumber{100 + link}, LinkId{link}, 0});
    return made;
}

TEST(ForwardingTable, GivesTheCandidatesBestFirst) {
    ForwardingTable table;
    EXPECT_TRUE(table.find(NodeNumber{1}).empty());
    table.handle({{}, {route(1, {7, 8}), route(2, {8}), route(3, {})}});
    ASSERT_EQ(table.find(NodeNumber{1}).size(), 2U);
    EXPECT_EQ(table.find(NodeNumber{1}).front().link, LinkId{7});
    EXPECT_EQ(table.find(NodeNumber{1}).front().neighbour, NodeNumber{107});
    EXPECT_EQ(table.find(NodeNumber{1}).back().link, LinkId{8});
    EXPECT_EQ(table.find(NodeNumber{2}).front().link, LinkId{8});
    EXPECT_TRUE(table.find(NodeNumber{3}).empty()) << "a route without candidates is none";
    EXPECT_TRUE(table.find(NodeNumber{4}).empty());
    EXPECT_EQ(table.find(NodeNumber{1}).front().link, LinkId{7});
}

TEST(ForwardingTable, ForgetsTheTableBefore) {
    ForwardingTable table;
    table.handle({{}, {route(1, {7}), route(2, {8})}});
    EXPECT_EQ(table.find(NodeNumber{1}).front().link, LinkId{7});
    table.handle({{}, {route(1, {9})}});
    EXPECT_EQ(table.find(NodeNumber{1}).front().link, LinkId{9});
    EXPECT_TRUE(table.find(NodeNumber{2}).empty());
    table.handle({});
    EXPECT_TRUE(table.find(NodeNumber{1}).empty());
}

}  // namespace
}  // namespace farlink::ingress
