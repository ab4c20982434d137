// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/host_port.hpp"

#include <gtest/gtest.h>

namespace farlink::linkemu::host_port_test {
namespace {

TEST(HostPort, ReadsNamesAndAddresses) {
    const auto name = parse_host_port("localhost:4556");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->host, "localhost");
    EXPECT_EQ(name->port, "4556");
    const auto address = parse_host_port("[::1]:1");
    ASSERT_TRUE(address);
    EXPECT_EQ(address->host, "::1");
}

TEST(HostPort, RefusesOtherForms) {
    for (const char *wrong : {"", "host", ":1", "host:", "::1:1"})
        EXPECT_FALSE(parse_host_port(wrong)) << wrong;
}

}  // namespace
}  // namespace farlink::linkemu::host_port_test
