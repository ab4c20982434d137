// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/links_together.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/config/link/link_fields.hpp"
#include "common/config/node/load_node_config.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::config::links_together_test {
namespace {

/// Node 10 with an LTP induct, and an outduct that leaves by its port; more members of both.
std::string node_with(const std::string &induct, const std::string &outduct) {
    return R"({"myNodeId": 10, "inductsConfig": [{"url": "ltp://0.0.0.0:1113")" + induct +
           R"(}], "outductsConfig": [{"url": "ltp://one:1113", "nextHopNodeId": 20,
              "ltpSenderBoundPort": 1113)" +
           outduct + "}]}";
}

std::string errors_of(const std::string &induct, const std::string &outduct) {
    const auto config = parse_node_config(node_with(induct, outduct));
    return config ? "" : config.error().to_string();
}

bool is_of_ltp(const FieldInfo &field) {
    return field.schemes.empty() || std::ranges::find(field.schemes, "ltp") != field.schemes.end();
}

/// The key with a value that is not its default.
std::string other_member(const FieldInfo &field) {
    const std::string key = ", \"" + std::string(field.key) + "\": ";
    if (field.kind == FieldKind::kBoolean)
        return key + (field.fallback == Fallback(true) ? "false" : "true");
    if (field.kind != FieldKind::kInteger) return key + "\"dtn://other/\"";
    const bool is_default = field.fallback == Fallback(field.minimum);
    return key + std::to_string(is_default ? field.maximum : field.minimum);
}

constexpr std::array<std::string_view, 8> kOwn{
    "url",
    "nextHopNodeId",
    "bindAddress",
    "ltpSenderBoundPort",
    "remoteLtpEngineId",
    "ltpAuthentication",
    "ltpAuthenticationKeyFile",
    "ltpAuthenticationKeyId",
};

TEST(LinksTogether, EveryKeyOfAnOutductByTheInductsPortHasAnEffectOrIsRefused) {
    std::size_t refused = 0;
    for (const FieldInfo &field : outduct_table().info().fields) {
        if (!is_of_ltp(field) || std::ranges::find(kOwn, field.key) != kOwn.end()) continue;
        const std::string errors = errors_of("", other_member(field));
        EXPECT_NE(errors.find("outductsConfig[0]." + std::string(field.key) + ": found"),
                  std::string::npos)
            << field.key << ": " << errors;
        EXPECT_NE(errors.find("inductsConfig[0]"), std::string::npos) << field.key;
        ++refused;
    }
    EXPECT_GT(refused, 25U);
}

TEST(LinksTogether, WhatBothGiveAlikeIsTaken) {
    const auto &inducts = induct_table().info().fields;
    for (const FieldInfo &field : outduct_table().info().fields) {
        const auto of_induct = std::ranges::find(inducts, field.key, &FieldInfo::key);
        if (of_induct == inducts.end() || !is_of_ltp(field) || field.key == "instance" ||
            std::ranges::find(kOwn, field.key) != kOwn.end())
            continue;
        const std::string both = other_member(field);
        EXPECT_EQ(errors_of(both, both), "");
    }
    EXPECT_EQ(errors_of("", R"(, "thisLtpEngineId": 10, "nodeId": "ipn:10.0")"), "")
        << "the defaults of the induct";
    EXPECT_EQ(errors_of(R"(, "thisLtpEngineId": 10)", ""), "");
}

std::string errors_of_two(const std::string &one, const std::string &other) {
    const auto config = parse_node_config(R"({"myNodeId": 10, "inductsConfig": [{"url": ")" + one +
                                          R"("}, {"url": ")" + other + R"("}]})");
    return config ? "" : config.error().to_string();
}

TEST(LinksTogether, AnAddressIsTheSameInEverySpelling) {
    const std::string again =
        "inductsConfig[1].url: found the address of inductsConfig[0] again; expected another "
        "address\n";
    EXPECT_EQ(errors_of_two("stcp://localhost:1", "mtcp://localhost:1"), again);
    EXPECT_EQ(errors_of_two("stcp://[::]:1", "mtcp://localhost:1"), again);
    EXPECT_EQ(errors_of_two("tcpclv4://[::ffff:127.0.0.1]:1", "stcp://127.0.0.1:1"), again);
    EXPECT_EQ(errors_of_two("tcpclv4://[::ffff:127.0.0.1]:1", "stcp://0.0.0.0:1"), again);
    EXPECT_EQ(errors_of_two("udp://[0:0::1]:1", "ltp://[::1]:1"), again);
    EXPECT_EQ(errors_of_two("stcp://[::1]:1", "mtcp://127.0.0.1:1"), "");
    EXPECT_EQ(errors_of_two("stcp://localhost:1", "mtcp://127.0.0.2:1"), "");
    EXPECT_EQ(errors_of_two("stcp://localhost:1", "udp://localhost:1"), "");
}

// Each of these starts where `localhost` is the other one.
TEST(LinksTogether, LocalhostIsOneOfTwoAddresses) {
    for (const char *other : {"mtcp://127.0.0.1:1", "mtcp://[::1]:1", "mtcp://0.0.0.0:1"}) {
        EXPECT_EQ(errors_of_two("stcp://localhost:1", other), "") << other;
        EXPECT_EQ(errors_of_two(other, "stcp://localhost:1"), "") << other;
    }
}

TEST(LinksTogether, ThePortOfAnOutductIsNotThatOfAnInductInAnotherSpelling) {
    const auto config = parse_node_config(R"({"myNodeId": 10,
        "inductsConfig": [{"url": "udp://[::ffff:127.0.0.1]:1113"}],
        "outductsConfig": [{"url": "ltp://one:1113", "nextHopNodeId": 20,
                            "bindAddress": "127.0.0.1", "ltpSenderBoundPort": 1113}]})");
    ASSERT_FALSE(config);
    EXPECT_TRUE(config.error().to_string().contains("found 1113, the port of inductsConfig[0]"))
        << config.error().to_string();
}

TEST(LinksTogether, EachDifferenceIsNamed) {
    const std::string errors =
        errors_of(R"(, "bundlePipelineLimit": 7)",
                  R"(, "bundlePipelineLimit": 8, "ltpCheckpointEveryNthDataSegment": 5,
                     "reconnectMinMilliseconds": 100, "fragment": true,
                     "storedSharePercent": 50, "fragmentBundlesLargerThanBytes": 0,
                     "fragmentToContact": false)");
    EXPECT_EQ(errors,
              "outductsConfig[0].bundlePipelineLimit: found another value than that of "
              "inductsConfig[0], by whose port it leaves; expected the value of inductsConfig[0], "
              "or no such key here\n"
              "outductsConfig[0].ltpCheckpointEveryNthDataSegment: found another value than that "
              "of inductsConfig[0], by whose port it leaves; expected the value of "
              "inductsConfig[0], or no such key here\n"
              "outductsConfig[0].reconnectMinMilliseconds: found, but has no effect on the port of "
              "inductsConfig[0]; expected no such key here, or another ltpSenderBoundPort\n");
}

TEST(LinksTogether, TheAuthenticationOfTheOutductIsThatOfItsNeighbour) {
    const test::TempFolder folder;
    for (const char *name : {"all.key", "one.key"}) folder.write(name, "00\n");
    const auto config = parse_node_config(node_with(R"(, "ltpAuthenticationKeyFile": "all.key")",
                                                    R"(, "ltpAuthenticationKeyFile": "one.key",
                                       "ltpAuthentication": "HMAC-SHA1-80",
                                       "ltpAuthenticationKeyId": "0a")"),
                                          folder.path().string());
    ASSERT_TRUE(config) << config.error().to_string();
    ASSERT_EQ(config->inducts[0].neighbours.size(), 1U);
    const LtpAuthenticationConfig &key = config->inducts[0].neighbours[0].ltp_authentication;
    EXPECT_TRUE(key.wanted);
    EXPECT_EQ(key.key_file, folder / "one.key");
    EXPECT_EQ(key.key_id, "0a");
    EXPECT_EQ(key.suite, LtpCiphersuite::kHmacSha1_80);
    EXPECT_EQ(config->inducts[0].ltp.authentication.key_file, folder / "all.key");
}

}  // namespace
}  // namespace farlink::config::links_together_test
