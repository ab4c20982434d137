// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask/api_client.hpp"

#include <gtest/gtest.h>

namespace farlink::bptrace::api_client_test {
namespace {

TEST(ApiClient, ReadsAddresses) {
    const auto plain = parse_api_address("http://127.0.0.1:8080/");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->tls);
    EXPECT_EQ(plain->host, "127.0.0.1");
    EXPECT_EQ(plain->port, "8080");
    const auto ipv6 = parse_api_address("http://[::1]:80");
    ASSERT_TRUE(ipv6);
    EXPECT_EQ(ipv6->host, "::1");
    for (const char *wrong : {"", "http://", "http://host", "ftp://host:1", "http://host:port",
                              "http://:80", "http://a:b:80", "http://host:80/path",
                              "http://user@host:80", "http://host:123456", "host:80"})
        EXPECT_FALSE(parse_api_address(wrong)) << wrong;
}

TEST(ApiClient, NamesWhyThereIsNoAnswer) {
    // Port 1 of the loopback address has no listener.
    const auto answer = get_json({"127.0.0.1", "1"}, {}, "/", seconds(5));
    ASSERT_FALSE(answer);
    EXPECT_FALSE(answer.error().empty());
}

}  // namespace
}  // namespace farlink::bptrace::api_client_test
