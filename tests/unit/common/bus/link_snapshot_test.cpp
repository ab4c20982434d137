// SPDX-License-Identifier: Apache-2.0
#include "common/bus/link_snapshot.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::link_snapshot_test {
namespace {

TEST(LinkSnapshot, NamesTheLinksInIt) {
    LinkSnapshot snapshot;
    EXPECT_FALSE(names(snapshot, LinkId{3}));
    snapshot.links.push_back({.link = LinkId{3}, .neighbour = NodeNumber{20}, .rate = {}});
    EXPECT_TRUE(names(snapshot, LinkId{3}));
    EXPECT_FALSE(names(snapshot, LinkId{4}));
}

}  // namespace
}  // namespace farlink::bus::link_snapshot_test
