// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/ip_address.hpp"

#include <gtest/gtest.h>

namespace farlink::config::ip_address_test {
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
          "::1 ", "+1::", "-1::", "1:2:3:4:5:6:7::10.1.2.3"})
        EXPECT_FALSE(is_ipv6_address(bad)) << bad;
}

TEST(IpAddress, AnyAddress) {
    for (const std::string_view any : {"0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"})
        EXPECT_TRUE(is_any_address(any)) << any;
    for (const std::string_view other :
         {"", "127.0.0.1", "0.0.0.1", "::1", "1::", "0.0.0.0/0", "localhost", "*"})
        EXPECT_FALSE(is_any_address(other)) << other;
}

TEST(IpAddress, AnAddressHasOneNormalSpelling) {
    EXPECT_EQ(normal_address("127.0.0.1"), "127.0.0.1");
    EXPECT_EQ(normal_address("::ffff:127.0.0.1"), "127.0.0.1");
    EXPECT_EQ(normal_address("0:0:0:0:0:ffff:7f00:1"), "127.0.0.1");
    EXPECT_EQ(normal_address("0:0::1"), "::1");
    EXPECT_EQ(normal_address("2001:DB8::0:1"), "2001:db8::1");
    EXPECT_EQ(normal_address("fe80:0::1%eth0"), "fe80::1%eth0");
    for (const std::string_view other : {"", "localhost", "10.0.0.0/8", "::1%"})
        EXPECT_EQ(normal_address(other), other);
}

TEST(IpAddress, AddressOrPrefix) {
    for (const std::string_view good :
         {"10.1.2.3", "10.0.0.0/8", "0.0.0.0/0", "10.1.2.3/32", "::/0", "2001:db8::/32", "::1/128",
          "::ffff:10.0.0.0/104", "fe80::1%eth0", "fe80::%eth0/10"})
        EXPECT_TRUE(is_address_or_prefix(good)) << good;
    for (const std::string_view bad :
         {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
          "10.0.0.0/0008", "10.0.0/8", "::/129", "::1/ 8", "relay/8", "10.0.0.0/255.0.0.0"})
        EXPECT_FALSE(is_address_or_prefix(bad)) << bad;
}

struct Match {
    std::string_view pattern;
    std::string_view address;
};

TEST(IpAddress, Matches) {
    constexpr Match kMatches[] = {
        {"10.1.2.3", "10.1.2.3"},
        {"10.0.0.0/8", "10.255.0.1"},
        {"10.9.9.9/8", "10.1.2.3"},  // bits behind the prefix do not count
        {"10.1.2.128/25", "10.1.2.200"},
        {"10.1.2.3/32", "10.1.2.3"},
        {"0.0.0.0/0", "203.0.113.9"},
        {"::1", "0:0:0:0:0:0:0:1"},
        {"2001:db8::/32", "2001:db8:ffff::1"},
        {"2001:db8:8000::/33", "2001:db8:8001::1"},
        {"::/0", "2001:db8::1"},
        {"ABCD::", "abcd::"},
        {"fe80::1", "fe80::1%eth0"},
        {"fe80::1%eth0", "fe80::1%eth0"},
        {"fe80::/10", "fe80::1%2"},
        // A socket that takes both kinds names IPv4 peers in IPv6's form.
        {"10.1.2.3", "::ffff:10.1.2.3"},
        {"10.0.0.0/8", "::ffff:a01:203"},
        {"0.0.0.0/0", "::ffff:10.1.2.3"},
        {"::ffff:10.1.2.3", "10.1.2.3"},
        {"::ffff:10.0.0.0/104", "10.1.2.3"},
        {"::ffff:0:0/96", "10.1.2.3"},
    };
    for (const auto &[pattern, address] : kMatches)
        EXPECT_TRUE(address_matches(pattern, address)) << pattern << ' ' << address;
}

TEST(IpAddress, APortComesAfterAnAddress) {
    const auto ipv6 = read_ip_and_port("[2001:db8::1]:4000");
    ASSERT_TRUE(ipv6);
    EXPECT_EQ(ipv6->host, "2001:db8::1");
    EXPECT_EQ(ipv6->port, 4000);
    EXPECT_EQ(read_ip_and_port("192.0.2.1:0")->host, "192.0.2.1");
    for (const char *text : {"2001:db8::1:4000", "[192.0.2.1]:4000", "relay:4000", "192.0.2.1"})
        EXPECT_FALSE(read_ip_and_port(text)) << text;
}

TEST(IpAddress, DoesNotMatch) {
    constexpr Match kMismatches[] = {
        {"10.1.2.3", "10.1.2.4"},
        {"10.0.0.0/8", "11.0.0.1"},
        {"10.1.2.128/25", "10.1.2.127"},
        {"2001:db8::/32", "2001:db9::1"},
        {"2001:db8:8000::/33", "2001:db8:7fff::1"},
        {"fe80::1%eth0", "fe80::1%eth1"},
        {"fe80::1%eth0", "fe80::1"},
        {"::/0", "10.1.2.3"},  // every IPv6 address, and those are IPv4's
        {"::/0", "::ffff:10.1.2.3"},
        {"0.0.0.0/0", "::1"},
        {"10.1.2.3", "::10.1.2.3"},  // compatible, not mapped
        {"::ffff:10.0.0.0/104", "11.1.2.3"},
        {"relay", "10.1.2.3"},
        {"10.1.2.3", "relay"},
        {"10.1.2.3", "10.1.2.3/32"},
        {"", ""},
    };
    for (const auto &[pattern, address] : kMismatches)
        EXPECT_FALSE(address_matches(pattern, address)) << pattern << ' ' << address;
}

}  // namespace
}  // namespace farlink::config::ip_address_test
