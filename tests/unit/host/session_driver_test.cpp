// SPDX-License-Identifier: Apache-2.0
#include "cla/host/session_driver.hpp"

#include "tests/unit/host/session_fixture.hpp"

namespace farlink::cla {
namespace {

using SessionDriverTest = SessionTest;

TEST_F(SessionDriverTest, CarriesBundlesBothWaysOnOneConnection) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    const UpstreamId at_server = server.upstreams.begin()->first;
    Outduct *back = induct->attach(at_server, kBack);
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(server.upstreams.at(at_server).peer.node_id, "ipn:2.0");
    EXPECT_EQ(server.upstreams.at(at_server).peer.address, "127.0.0.1");

    constexpr std::size_t kCount = 500;
    constexpr std::size_t kBytes = 10'000;
    ASSERT_TRUE(until([&] {
        send_some(client, *outduct, kCount, kBytes);
        send_some(server, *back, kCount, kBytes);
        return client.transmitted == kCount && server.transmitted == kCount;
    }));
    expect_bundles(server.upstreams.begin()->second.bundles, kCount, kBytes);
    expect_bundles(client.upstreams.begin()->second.bundles, kCount, kBytes);
    EXPECT_EQ(client.upstreams.begin()->second.link, kOut);
    EXPECT_EQ(client.upstreams.begin()->second.peer.node_id, "ipn:1.0");
}

}  // namespace
}  // namespace farlink::cla
