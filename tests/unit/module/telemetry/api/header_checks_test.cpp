// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/header_checks.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::header_checks_test {
namespace {

unsigned status_of(const HeaderChecks &checks, const std::string &host,
                   const std::string &origin = "") {
    Call call;
    call.host = host;
    call.origin = origin;
    const auto refusal = checks.refusal(call);
    return refusal ? refusal->status : 200;
}

TEST(HeaderChecks, OnlyNamesOfTheServer) {
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    config.allowed_hosts = {"Node.Example"};
    const HeaderChecks checks(config);
    EXPECT_TRUE(checks.open_to_read());
    for (const char *host : {"127.0.0.1:8080", "127.1.2.3", "localhost", "LOCALHOST:80", "[::1]:1",
                             "node.example:8080"})
        EXPECT_EQ(status_of(checks, host), 200U) << host;
    for (const char *host : {"", "evil.example", "localhost.evil.example", "10.0.0.1", "[::2]",
                             "[::1", ":8080", "127.0.0.1.evil.example"})
        EXPECT_EQ(status_of(checks, host), 421U) << host;
}

TEST(HeaderChecks, OnlyPagesOfTheServer) {
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    const HeaderChecks checks(config);
    EXPECT_EQ(status_of(checks, "localhost:8080", "http://localhost:8080"), 200U);
    for (const char *origin : {"null", "https://localhost:8080", "http://localhost:8081",
                               "http://localhost", "http://evil.example", "http://127.0.0.1:8080"})
        EXPECT_EQ(status_of(checks, "localhost:8080", origin), 403U) << origin;
}

TEST(HeaderChecks, ElsewhereEverybodyNeedsAToken) {
    config::ApiConfig config;
    config.listen = "192.0.2.1:443";
    config.tls.certificate_file = "c.pem";
    config.allowed_hosts = {"node.example"};
    const HeaderChecks checks(config);
    EXPECT_FALSE(checks.open_to_read());
    EXPECT_EQ(status_of(checks, "192.0.2.1"), 200U);
    EXPECT_EQ(status_of(checks, "node.example", "https://node.example"), 200U);
    EXPECT_EQ(status_of(checks, "node.example", "http://node.example"), 403U);
}

TEST(HeaderChecks, Tokens) {
    EXPECT_EQ(HeaderChecks::bearer("Bearer abc"), "abc");
    EXPECT_EQ(HeaderChecks::bearer("bearer  abc "), "abc");
    EXPECT_EQ(HeaderChecks::bearer("Basic abc"), "");
    EXPECT_EQ(HeaderChecks::bearer("Bearer"), "");
    EXPECT_EQ(HeaderChecks::offered_token("farlink.v1, farlink.token.xyz"), "xyz");
    EXPECT_EQ(HeaderChecks::offered_token("farlink.v1"), "");
    EXPECT_TRUE(HeaderChecks::offers_protocol("a,farlink.v1"));
    EXPECT_FALSE(HeaderChecks::offers_protocol("farlink.v2"));
}

}  // namespace
}  // namespace farlink::telemetry::header_checks_test
