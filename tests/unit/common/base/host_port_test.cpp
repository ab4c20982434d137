// SPDX-License-Identifier: Apache-2.0
#include "common/base/host_port.hpp"

#include <gtest/gtest.h>

namespace farlink::host_port_test {
namespace {

TEST(HostPort, IsAHostAndAPort) {
    const auto name = split_host_port("relay.example.org:4556");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->host, "relay.example.org");
    EXPECT_EQ(name->port, 4556);
    EXPECT_FALSE(name->bracketed);
    const auto ipv6 = split_host_port("[fe80::1%eth0]:0");
    ASSERT_TRUE(ipv6);
    EXPECT_EQ(ipv6->host, "fe80::1%eth0");
    EXPECT_EQ(ipv6->port, 0);
    EXPECT_TRUE(ipv6->bracketed);
    EXPECT_EQ(split_host_port("127.0.0.1:65535")->port, 65'535);
}

TEST(HostPort, OtherTextsAreNone) {
    for (const char *text : {"", ":", "host", "host:", ":80", "[]:80", "[::1]", "[::1", "::1:80",
                             "host:65536", "host:-1", "host:+1", "host:80 ", "host:8x", "a:b:80"})
        EXPECT_FALSE(split_host_port(text)) << text;
}

}  // namespace
}  // namespace farlink::host_port_test
