// SPDX-License-Identifier: Apache-2.0
#include "common/config/ip_address.hpp"

#include <gtest/gtest.h>

namespace farlink::config {
namespace {

TEST(IpAddress, Ipv4) {
    for (const std::string_view good : {"0.0.0.0", "127.0.0.1", "255.255.255.255", "10.20.30.40"})
        EXPECT_TRUE(is_ipv4_address(good)) << good;
    for (const std::string_view bad :
         {"", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.", "01.2.3.4", ".1.2.3", "1..2.3",
          "1.2.3.4 ", "a.b.c.d", "1.2.3.1000"})
        EXPECT_FALSE(is_ipv4_address(bad)) << bad;
}

TEST(IpAddress, Ipv6) {
    for (const std::string_view good :
         {"::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "fe80::1%eth0", "::ffff:10.1.2.3",
          "1:2:3:4:5:6:10.1.2.3", "1:2:3:4:5:6:7::", "ABCD::ef01"})
        EXPECT_TRUE(is_ipv6_address(good)) << good;
    for (const std::string_view bad :
         {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1%",
          "1:2:3:4:5:6:7:8::", "10.1.2.3", "::10.1.2", "10.1.2.3::", "1:2:3:4:5:6:7:10.1.2.3",
          "::1 "})
        EXPECT_FALSE(is_ipv6_address(bad)) << bad;
}

}  // namespace
}  // namespace farlink::config
