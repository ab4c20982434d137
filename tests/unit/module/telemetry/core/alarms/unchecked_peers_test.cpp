// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/unchecked_peers.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::unchecked_peers_test {
namespace {

config::InductConfig induct(std::uint32_t number, const std::string &address) {
    config::InductConfig made;
    made.id = LinkId{number};
    made.neighbours.push_back({NodeNumber{}, address, {}, {}});
    return made;
}

TEST(UncheckedPeers, AreThoseOfEveryAddressAndOfTlsWithoutACheck) {
    config::NodeConfig config;
    config.inducts = {induct(0, "10.0.0.0/8"), induct(1, "0.0.0.0/0"), induct(2, "::/0")};
    config::OutductConfig insecure;
    insecure.id = LinkId{3};
    insecure.tls.mode = config::TlsMode::kRequired;
    insecure.tls.insecure = true;
    config.outducts = {insecure};
    const UncheckedPeers peers(config);
    std::vector<std::uint32_t> links;
    for (const UncheckedFacts &each : peers.list()) links.push_back(each.link.value());
    EXPECT_EQ(links, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(UncheckedPeers, FollowLinksThatChange) {
    config::NodeConfig config;
    config.inducts = {induct(0, "0.0.0.0/0")};
    UncheckedPeers peers(config);
    peers.set_link(induct(0, "192.0.2.7"));
    EXPECT_TRUE(peers.list().empty());
    peers.set_link(induct(5, "::/0"));
    EXPECT_EQ(peers.list().size(), 1U);
    peers.remove_link(LinkId{5});
    EXPECT_TRUE(peers.list().empty());
    peers.restore_link(LinkId{0});
    ASSERT_EQ(peers.list().size(), 1U);
    EXPECT_EQ(peers.list()[0].reason, "`neighbours` contains 0.0.0.0/0");
}

}  // namespace
}  // namespace farlink::telemetry::unchecked_peers_test
