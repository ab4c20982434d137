// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/held_destinations.hpp"

#include <gtest/gtest.h>

namespace farlink::control::held_destinations_test {
namespace {

using Nodes = HeldDestinations::Nodes;

TEST(HeldDestinations, AChangeIsInForceWhenItIsTaken) {
    HeldDestinations holds({NodeNumber{20}});
    const Nodes both{NodeNumber{20}, NodeNumber{30}};
    EXPECT_EQ(holds.with(NodeNumber{30}), both);
    EXPECT_EQ(holds.with(NodeNumber{20}), holds.held());
    EXPECT_EQ(holds.without(NodeNumber{20}), Nodes{});
    EXPECT_EQ(holds.held(), Nodes{NodeNumber{20}});
    holds.take(both);
    EXPECT_EQ(holds.held(), both);
}

}  // namespace
}  // namespace farlink::control::held_destinations_test
