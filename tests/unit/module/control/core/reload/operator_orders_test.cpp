// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/operator_orders.hpp"

#include <gtest/gtest.h>

namespace farlink::control::operator_orders_test {
namespace {

TEST(OperatorOrders, LinksOfTheFileHaveTheirPath) {
    bus::LinkSnapshot links;
    links.links.resize(3);
    for (std::uint32_t at = 0; at < 3; ++at) links.links[at].link = LinkId{at + 1};
    links.links[1].overridden = true;
    links.links[1].rate = BitRate{9600};
    links.links[2].enabled = false;
    SettingChanges changes;
    note_orders(changes, links, {{LinkId{0}}, {LinkId{1}, LinkId{2}}});
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].path, "outductsConfig[1]");
    EXPECT_NE(changes[0].text.find("link set"), std::string::npos);
    EXPECT_EQ(changes[1].path, "link 3");
    EXPECT_NE(changes[1].text.find("link down"), std::string::npos);
    EXPECT_EQ(changes[0].now["rateBitsPerSec"], 9600);
    EXPECT_EQ(changes[1].before["enabled"], true);
    EXPECT_EQ(changes[1].now["enabled"], false);
}

}  // namespace
}  // namespace farlink::control::operator_orders_test
