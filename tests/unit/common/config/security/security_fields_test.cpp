// SPDX-License-Identifier: Apache-2.0
#include "common/config/security/security_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"
#include "common/config/reload/settings_change.hpp"

namespace farlink::config::security_fields_test {
namespace {

std::string file_with(const std::string &security) {
    return R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}], "security": )" +
           security + "}";
}

Result<NodeConfig, ConfigErrors> node_with(const std::string &security) {
    return parse_node_config(file_with(security), "/etc/farlink");
}

std::string errors_of(const std::string &security) {
    const auto config = node_with(security);
    return config ? std::string() : config.error().to_string();
}

/// One rule with these members beside those that every rule has.
std::string rule(const std::string &more, const std::string &context = "bib-hmac-sha2") {
    return R"({"keyStore": "keys", "default": "pass", "rules": [{"name": "a", "context": ")" +
           context + R"(", "keys": ["k"], )" + more + "}]}";
}
const std::string kVerifier = R"("role": "verifier", "targets": ["payload"])";
const std::string kSource = R"("role": "source", "targets": ["payload"])";

TEST(SecurityFields, WithoutASectionThereIsNone) {
    const auto config = parse_node_config(
        R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}]})", "");
    ASSERT_TRUE(config);
    EXPECT_FALSE(config->security);
    ASSERT_TRUE(node_with("{}"));
    EXPECT_FALSE(node_with("{}")->security);
}

TEST(SecurityFields, AllFieldsOfARule) {
    const auto config = node_with(R"({"keyStore": "keys", "default": "drop",
        "reportFailuresTo": ["ipn:1.*"], "rules": [{
        "name": "from mars", "bundleSource": "dtn://mars/**", "destination": "ipn:10.*",
        "securitySource": "ipn:4.0", "link": 3, "direction": "in", "role": "acceptor",
        "context": "bcb-aes-gcm", "variant": "128", "targets": ["payload", "10"],
        "keys": ["old", "new"], "required": true, "onFailure": "stripTarget"}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    ASSERT_TRUE(config->security);
    EXPECT_EQ(config->security->key_store, "/etc/farlink/keys");
    EXPECT_EQ(config->security->fallback, SecurityDefault::kDrop);
    ASSERT_EQ(config->security->rules.size(), 1U);
    const SecurityRule &read = config->security->rules[0];
    EXPECT_EQ(read.name, "from mars");
    EXPECT_EQ(read.bundle_source, "dtn://mars/**");
    EXPECT_EQ(read.destination, "ipn:10.*");
    EXPECT_EQ(read.security_source, "ipn:4.0");
    EXPECT_EQ(read.link, 3U);
    EXPECT_EQ(read.direction(), SecurityDirection::kIn);
    EXPECT_EQ(read.role, SecurityRole::kAcceptor);
    EXPECT_EQ(read.context, SecurityContext::kConfidentiality);
    EXPECT_EQ(read.variant, 128U);
    EXPECT_EQ(read.targets, (std::vector<std::string>{"payload", "10"}));
    EXPECT_EQ(read.keys, (std::vector<std::string>{"old", "new"}));
    EXPECT_TRUE(read.required);
    EXPECT_EQ(read.on_failure, SecurityAction::kStripTarget);
    EXPECT_EQ(config->shown.find("keyStore"), std::string::npos);
}

TEST(SecurityFields, ASourceActsOnWhatLeaves) {
    const auto source = node_with(rule(kSource));
    ASSERT_TRUE(source) << source.error().to_string();
    EXPECT_EQ(source->security->rules[0].direction(), SecurityDirection::kOut);
    const auto verifier = node_with(rule(kVerifier));
    ASSERT_TRUE(verifier);
    EXPECT_EQ(verifier->security->rules[0].direction(), SecurityDirection::kIn);
    EXPECT_EQ(verifier->security->rules[0].on_failure, SecurityAction::kDropBundle);
}

TEST(SecurityFields, ARequiredRuleNeedsADefault) {
    const std::string rules = R"("rules": [{"name": "a", "role": "verifier", "required": true,
        "context": "bib-hmac-sha2", "targets": ["payload"], "keys": ["k"]}])";
    EXPECT_NE(errors_of(R"({"keyStore": "keys", )" + rules + "}").find("security.default: missing"),
              std::string::npos);
    EXPECT_EQ(errors_of(R"({"keyStore": "keys", "default": "pass", )" + rules + "}"), "");
    EXPECT_NE(
        errors_of("{\"default\": \"pass\", " + rules + "}").find("security.keyStore: missing"),
        std::string::npos);
}

TEST(SecurityFields, WhatCannotBeDoneIsRefusedByName) {
    const auto expect = [](const std::string &security, const std::string &text) {
        const std::string errors = errors_of(security);
        EXPECT_NE(errors.find(text), std::string::npos) << errors;
    };
    expect(rule(kVerifier + R"(, "onFailure": "hold")"),
           "security.rules[0].onFailure: found \"hold\": bundles cannot be held");
    expect(rule(kVerifier + R"(, "onFailure": "stripOperation")", "bcb-aes-gcm"),
           "onFailure: found \"stripOperation\" for bcb-aes-gcm");
    expect(rule(kSource + R"(, "link": 1)"),
           "rules[0].link: found together with the direction out");
    expect(rule(kSource + R"(, "securitySource": "ipn:1.0")"), "rules[0].securitySource: found");
    expect(rule(kVerifier + R"(, "bundleSource": "ipn:1")"), "rules[0].bundleSource: found");
    expect(rule(kVerifier + R"(, "variant": "128")"), "rules[0].variant: found 128");
    expect(rule(kVerifier + R"(, "variant": "512")", "bcb-aes-gcm"), "variant: found 512");
    expect(rule(R"("role": "verifier", "targets": ["11"])"), "targets: found the type of a");
    expect(rule(R"("role": "verifier", "targets": ["body"])"), "targets: found \"body\"");
    expect(rule(R"("role": "verifier", "targets": ["10", "10"])"), "targets: found \"10\" again");
    expect(rule(R"("role": "verifier", "targets": ["primary"])", "bcb-aes-gcm"),
           "targets: found primary");
    expect(R"({"keyStore": "k", "rules": [{"name": "a", "role": "source", "targets": ["10"],
        "context": "bib-hmac-sha2", "keys": ["k"]}]})",
           "targets: found \"10\", a block that each node changes");
    expect(R"({"reportFailuresTo": ["x"], "keyStore": "k"})", "reportFailuresTo[0]: found \"x\"");
}

TEST(SecurityFields, NamesAreUnique) {
    const std::string each = R"({"name": "a", "role": "verifier", "context": "bib-hmac-sha2",
        "targets": ["payload"], "keys": ["k"]})";
    EXPECT_NE(errors_of(R"({"keyStore": "k", "rules": [)" + each + "," + each + "]}")
                  .find("security.rules[1].name: found \"a\" again"),
              std::string::npos);
}

TEST(SecurityFields, TravelToTheModulesWithTheAbsoluteNameOfTheKeys) {
    const std::string file = file_with(rule(kVerifier));
    const auto config = parse_node_config(file, "/etc/farlink");
    ASSERT_TRUE(config);
    const auto settings = settings_from_json(settings_json(file, *config));
    ASSERT_TRUE(settings) << settings.error().to_string();
    ASSERT_TRUE(settings->security);
    EXPECT_EQ(settings->security->key_store, "/etc/farlink/keys");
    NodeConfig running;
    take_settings(running, *settings);
    EXPECT_TRUE(running.security);
}

TEST(SecurityFields, TargetsAreNumbersOfTypes) {
    EXPECT_EQ(security_target("primary"), 0U);
    EXPECT_EQ(security_target("payload"), 1U);
    EXPECT_EQ(security_target("192"), 192U);
    for (const char *wrong : {"", "0", "-1", "1x", "99999999999999999999", "Payload"})
        EXPECT_FALSE(security_target(wrong)) << wrong;
}

}  // namespace
}  // namespace farlink::config::security_fields_test
