// SPDX-License-Identifier: Apache-2.0
#include "cfdp/config/entity_config.hpp"

#include <gtest/gtest.h>

namespace farlink::cfdp::entity_config_test {
namespace {

constexpr const char *kWhole = R"({
  "entityId": 10, "root": "/r", "controlSocket": "/s", "udpPort": 0, "node": "/n",
  "remotes": [
    {"entityId": 2, "udp": "127.0.0.1:5000", "class": 1, "closure": true, "crc": true,
     "checksum": "modular", "segmentBytes": 100, "ackTimeoutSeconds": 0.5, "ackLimit": 9,
     "nakMode": "immediate", "suspendAt": ["inactivity"], "ignore": ["checksumFailure"],
     "mayPut": false, "keepAliveSeconds": 3, "folder": "two", "may": ["get", "suspend"],
     "mostSending": 7},
    {"entityId": 3}]})";

TEST(CfdpConfig, EveryKindOfValue) {
    const auto config = parse_entity_config(kWhole, "x");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->entity, 10U);
    EXPECT_EQ(config->inbox, "inbox");
    EXPECT_TRUE(config->udp);
    ASSERT_EQ(config->remotes.size(), 2U);
    const RemoteSettings &first = config->remotes[0].settings;
    EXPECT_FALSE(first.acknowledged);
    EXPECT_TRUE(first.closure && first.crc);
    EXPECT_EQ(first.checksum, Algorithm::kModular);
    EXPECT_EQ(first.ack_timeout, milliseconds(500));
    EXPECT_EQ(first.nak_mode, NakMode::kImmediate);
    EXPECT_FALSE(first.may_put);
    EXPECT_TRUE(first.may.has(Permission::kGet) && first.may.has(Permission::kSuspend));
    EXPECT_FALSE(first.may.has(Permission::kProxy) || first.may.has(Permission::kDelete));
    EXPECT_EQ(config->remotes[0].folder, "two");
    EXPECT_EQ(first.keep_alive_interval, seconds(3));
    EXPECT_EQ(first.most_sending, 7U);
    EXPECT_EQ(first.handlers[8], FaultHandler::kSuspend);
    EXPECT_EQ(first.handlers[5], FaultHandler::kIgnore);
    EXPECT_EQ(first.handlers[7], FaultHandler::kCancel);
    const RemoteConfig &second = config->remotes[1];
    EXPECT_EQ(second.endpoint, "ipn:3.64");
    EXPECT_TRUE(second.settings.acknowledged);
    EXPECT_EQ(second.settings.most_sending, 10'000U);
    EXPECT_EQ(second.settings.ack_timeout, seconds(10));
    EXPECT_EQ(second.settings.inactivity_timeout, seconds(300));
}

TEST(CfdpConfig, ErrorsNameTheirPlace) {
    const struct {
        const char *json;
        const char *expected;
    } cases[] = {
        {R"({"entityId": 1})", "root"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "remotes": []})", "udpPort"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2}]})",
         "remotes[0].udp"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1, "node": "n",
             "remotes": [{"entityId": 2}, {"entityId": 2}, {"entityId": 1}]})",
         "remotes[2].entityId"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "node": "n",
             "remotes": [{"entityId": 2, "ignore": ["nothing"]}]})",
         "there is no fault"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "node": "n",
             "remotes": [{"entityId": 2, "may": ["put", "everything"]}]})",
         "there is no permission"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "node": "n",
             "remotes": [{"entityId": 2, "checksum": "md5"}]})",
         "remotes[0].checksum"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2, "udp": "mars:5000"}]})",
         "remotes[0].udp: found \"mars:5000\"; expected address:port"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2, "udp": "10.0.0.1:0"}]})",
         "remotes[0].udp"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2, "udp": "::1:5"}]})",
         "remotes[0].udp: found \"::1:5\"; expected address:port"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2, "udp": "[10.0.0.1]:5"}]})",
         "remotes[0].udp: found \"[10.0.0.1]:5\"; expected address:port"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1,
             "remotes": [{"entityId": 2, "udp": "[::1]:5"}, {"entityId": 3, "udp": "[::1]:5"}]})",
         "remotes[1].udp: is there twice"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "udpPort": 1, "udpAddress": "mars",
             "remotes": []})",
         "udpAddress"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "node": "n", "inbox": "../in",
             "remotes": []})",
         "inbox"},
        {R"({"entityId": 1, "root": "r", "controlSocket": "s", "node": "n",
             "remotes": [{"entityId": 2, "folder": "/in"}]})",
         "remotes[0].folder"},
        {"[]", ""},
        {"", ""},
    };
    for (const auto &each : cases) {
        const auto config = parse_entity_config(each.json, "x");
        ASSERT_FALSE(config) << each.json;
        EXPECT_NE(config.error().to_string().find(each.expected), std::string::npos)
            << config.error().to_string();
    }
}

TEST(CfdpConfig, ChecksumsHaveNames) {
    for (const char *name : {"modular", "proximity1", "crc32c", "crc32", "null"})
        EXPECT_EQ(name_of(*algorithm_named(name)), name);
    EXPECT_FALSE(algorithm_named("md5"));
}

}  // namespace
}  // namespace farlink::cfdp::entity_config_test
