// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/alarms_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::alarms_fields_test {
namespace {

Result<NodeConfig, ConfigErrors> node_with(const std::string &alarms) {
    return parse_node_config(R"({"myNodeId": 10,
        "inductsConfig": [{"url": "stcp://127.0.0.1:0"}], "alarms": )" +
                                 alarms + "}",
                             "/etc/farlink");
}

std::string errors_of(const std::string &alarms) {
    const auto config = node_with(alarms);
    return config ? std::string() : config.error().to_string();
}

TEST(AlarmsFields, Defaults) {
    const auto config = node_with("{}");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->alarms.plan_hours, 24U);
    EXPECT_EQ(config->alarms.disk_hours, 24U);
    EXPECT_EQ(config->alarms.certificate_days, 30U);
    EXPECT_EQ(config->alarms.missed_seconds, 30U);
    EXPECT_EQ(config->alarms.refused_seconds, 30U);
    EXPECT_TRUE(config->alarms.ignored.empty());
    EXPECT_TRUE(config->alarms.webhook.empty());
    EXPECT_TRUE(config->alarms.command.empty());
}

TEST(AlarmsFields, ValuesAndPlaces) {
    const auto config = node_with(R"({"planEndsWithinHours": 48, "certificateEndsWithinDays": 0,
        "ignore": ["clock-not-synchronised"], "webhook": "http://localhost:9000/alarm?key=secret",
        "command": "hooks/trap"})");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->alarms.plan_hours, 48U);
    EXPECT_EQ(config->alarms.certificate_days, 0U);
    EXPECT_EQ(config->alarms.ignored, std::vector<std::string>{"clock-not-synchronised"});
    EXPECT_EQ(config->alarms.command, "/etc/farlink/hooks/trap");
    EXPECT_EQ(config->shown.find("secret"), std::string::npos);
}

TEST(AlarmsFields, AnErrorNamesItsPlace) {
    EXPECT_NE(errors_of(R"({"ignore": ["plan-ended", "plan-gone"]})")
                  .find("alarms.ignore[1]: found \"plan-gone\""),
              std::string::npos)
        << errors_of(R"({"ignore": ["plan-ended", "plan-gone"]})");
    EXPECT_NE(errors_of(R"({"webhook": "https://host/x"})").find("alarms.webhook"),
              std::string::npos);
    EXPECT_NE(errors_of(R"({"planEndsWithinHours": 100000})").find("alarms.planEndsWithinHours"),
              std::string::npos);
}

TEST(Webhook, HostPortAndPath) {
    const auto full = parse_webhook("http://host.example:8080/a/b?c=d");
    ASSERT_TRUE(full);
    EXPECT_EQ(full->host, "host.example");
    EXPECT_EQ(full->port, "8080");
    EXPECT_EQ(full->target, "/a/b?c=d");
    const auto plain = parse_webhook("http://host");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->port, "80");
    EXPECT_EQ(plain->target, "/");
    const auto query = parse_webhook("http://host?x");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->target, "/?x");
    const auto ipv6 = parse_webhook("http://[::1]:81/");
    ASSERT_TRUE(ipv6);
    EXPECT_EQ(ipv6->host, "::1");
    EXPECT_EQ(ipv6->port, "81");
    EXPECT_EQ(parse_webhook("http://[::1]/")->port, "80");
}

TEST(Webhook, OtherTextsAreNone) {
    for (const char *wrong :
         {"", "http://", "https://host/", "http://host:0/", "http://host:65536/", "http://host:/",
          "http://a b/", "http://host/a\r\nb", "http://user@host/", "http://host/#part",
          "http://::1/", "http:///path", "ftp://host"})
        EXPECT_FALSE(parse_webhook(wrong)) << wrong;
}

}  // namespace
}  // namespace farlink::config::alarms_fields_test
