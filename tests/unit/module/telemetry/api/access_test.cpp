// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/access.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry {
namespace {

unsigned status_of(const Access &access, const std::string &host, const std::string &origin = "") {
    Call call;
    call.host = host;
    call.origin = origin;
    const auto refusal = access.refusal(call);
    return refusal ? refusal->status : 200;
}

TEST(Access, OnlyNamesOfTheServer) {
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    config.allowed_hosts = {"Node.Example"};
    const Access access(config);
    EXPECT_TRUE(access.open_to_read());
    for (const char *host : {"127.0.0.1:8080", "127.1.2.3", "localhost", "LOCALHOST:80", "[::1]:1",
                             "node.example:8080"})
        EXPECT_EQ(status_of(access, host), 200U) << host;
    for (const char *host : {"", "evil.example", "localhost.evil.example", "10.0.0.1", "[::2]",
                             "[::1", ":8080", "127.0.0.1.evil.example"})
        EXPECT_EQ(status_of(access, host), 421U) << host;
}

TEST(Access, OnlyPagesOfTheServer) {
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    const Access access(config);
    EXPECT_EQ(status_of(access, "localhost:8080", "http://localhost:8080"), 200U);
    for (const char *origin : {"null", "https://localhost:8080", "http://localhost:8081",
                               "http://localhost", "http://evil.example", "http://127.0.0.1:8080"})
        EXPECT_EQ(status_of(access, "localhost:8080", origin), 403U) << origin;
}

TEST(Access, ElsewhereEverybodyNeedsAToken) {
    config::ApiConfig config;
    config.listen = "192.0.2.1:443";
    config.tls.certificate_file = "c.pem";
    config.allowed_hosts = {"node.example"};
    const Access access(config);
    EXPECT_FALSE(access.open_to_read());
    EXPECT_EQ(status_of(access, "192.0.2.1"), 200U);
    EXPECT_EQ(status_of(access, "node.example", "https://node.example"), 200U);
    EXPECT_EQ(status_of(access, "node.example", "http://node.example"), 403U);
}

TEST(Access, Tokens) {
    EXPECT_EQ(Access::bearer("Bearer abc"), "abc");
    EXPECT_EQ(Access::bearer("bearer  abc "), "abc");
    EXPECT_EQ(Access::bearer("Basic abc"), "");
    EXPECT_EQ(Access::bearer("Bearer"), "");
    EXPECT_EQ(Access::offered_token("farlink.v1, farlink.token.xyz"), "xyz");
    EXPECT_EQ(Access::offered_token("farlink.v1"), "");
    EXPECT_TRUE(Access::offers_protocol("a,farlink.v1"));
    EXPECT_FALSE(Access::offers_protocol("farlink.v2"));
}

}  // namespace
}  // namespace farlink::telemetry
