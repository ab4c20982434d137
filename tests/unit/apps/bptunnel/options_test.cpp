// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/options.hpp"

#include <gtest/gtest.h>

namespace farlink::bptunnel::options_test {
namespace {

Arguments arguments(const std::string &listen, const std::string &to, const std::string &peer) {
    Arguments given;
    given.node.endpoint = "5004";
    given.peer = peer;
    given.listen = listen;
    given.to = to;
    return given;
}

void expect_wrong(const Arguments &given, const std::string &part) {
    const auto setup = setup_of(given);
    ASSERT_FALSE(setup.has_value());
    EXPECT_NE(setup.error().find(part), std::string::npos) << setup.error();
}

TEST(TunnelOptions, AnEndListensOrSends) {
    const auto near = setup_of(arguments("udp://127.0.0.1:5004", "", "ipn:20.5004"));
    ASSERT_TRUE(near.has_value());
    EXPECT_TRUE(near->listens);
    EXPECT_FALSE(near->tcp);
    EXPECT_EQ(near->peer, "ipn:20.5004");
    const auto far = setup_of(arguments("", "tcp://[::1]:80", "any"));
    ASSERT_TRUE(far.has_value());
    EXPECT_FALSE(far->listens);
    EXPECT_TRUE(far->tcp);
    EXPECT_EQ(far->host, "::1");
    EXPECT_EQ(far->port, "80");
    EXPECT_EQ(far->peer, "");
    expect_wrong(arguments("", "", "any"), "--listen");
    expect_wrong(arguments("udp://a:1", "udp://a:1", "ipn:20.1"), "--listen");
}

TEST(TunnelOptions, AddressesAreChecked) {
    for (const char *url : {"", "a:1", "http://a:1", "udp://a", "udp://:1", "udp://a:", "udp://a:x",
                            "udp://a:65536", "udp://::1:5", "tcp://a:1/path"})
        expect_wrong(arguments(url, "", "ipn:20.1"), "--listen");
    EXPECT_TRUE(setup_of(arguments("tcp://a:0", "", "ipn:20.1")).has_value());
    expect_wrong(arguments("", "tcp://a:0", "ipn:20.1"), "--to");
}

TEST(TunnelOptions, ThePeerIsAnEndpoint) {
    expect_wrong(arguments("udp://a:1", "", "any"), "peer");
    expect_wrong(arguments("udp://a:1", "", "5004"), "peer");
    Arguments given = arguments("udp://a:1", "", "ipn:20.1");
    given.node.endpoint = "no service";
    expect_wrong(given, "endpoint");
}

TEST(TunnelOptions, LimitsAreThoseOfTheTunnel) {
    Arguments given = arguments("udp://a:1", "", "ipn:20.1");
    given.bytes = 100;
    given.milliseconds = 0.5;
    given.queue_bytes = 200;
    given.wait_ms = 0.5;
    given.streams = 3;
    given.lifetime_s = 2;
    given.priority = "expedited";
    const auto setup = setup_of(given);
    ASSERT_TRUE(setup.has_value());
    EXPECT_EQ(setup->batch.bytes, 100U);
    EXPECT_EQ(setup->batch.wait, std::chrono::microseconds(500));
    EXPECT_EQ(setup->node.most_bytes, 200U);
    EXPECT_EQ(setup->node.with.lifetime, std::chrono::seconds(2));
    EXPECT_EQ(setup->node.with.priority, client::Priority::kExpedited);
    EXPECT_EQ(setup->udp.order.wait, std::chrono::milliseconds(1));
    EXPECT_EQ(setup->streams.streams, 3U);
}

}  // namespace
}  // namespace farlink::bptunnel::options_test
