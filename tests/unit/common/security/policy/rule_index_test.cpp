// SPDX-License-Identifier: Apache-2.0
#include "common/security/policy/rule_index.hpp"

#include <gtest/gtest.h>

#include <random>

namespace farlink::security::rule_index_test {
namespace {

using config::SecurityContext;
using config::SecurityDirection;
using config::SecurityRole;
using config::SecurityRule;

constexpr auto kIn = SecurityDirection::kIn;
constexpr auto kOut = SecurityDirection::kOut;
constexpr auto kSign = SecurityContext::kIntegrity;
constexpr auto kSeal = SecurityContext::kConfidentiality;
constexpr auto kNone = FoundRules::kNone;

SecurityRule rule(const std::string &source, const std::string &destination) {
    SecurityRule made;
    made.bundle_source = source;
    made.destination = destination;
    return made;
}

std::uint32_t found(const std::vector<SecurityRule> &rules, const char *source,
                    const char *destination, LinkId link = kNoLink) {
    return RuleIndex(rules)
        .find(bp::Eid::parse(source)->view(), bp::Eid::parse(destination)->view(), link)
        .of(kIn, kSign);
}

TEST(RuleIndex, TheFirstRuleThatFitsCounts) {
    const std::vector<SecurityRule> rules{rule("ipn:1.*", "ipn:9.*"), rule("", "ipn:9.5"),
                                          rule("ipn:2.1", ""), rule("", "")};
    EXPECT_EQ(found(rules, "ipn:1.7", "ipn:9.5"), 0U);
    EXPECT_EQ(found(rules, "ipn:2.1", "ipn:9.5"), 1U);
    EXPECT_EQ(found(rules, "ipn:2.1", "ipn:9.6"), 2U);
    EXPECT_EQ(found(rules, "ipn:2.2", "ipn:9.6"), 3U);
    EXPECT_EQ(found({rule("ipn:1.1", "")}, "ipn:1.2", "ipn:9.6"), kNone);
    EXPECT_EQ(found({}, "ipn:1.2", "ipn:9.6"), kNone);
}

TEST(RuleIndex, DtnNamesAndWidePatterns) {
    const std::vector<SecurityRule> rules{rule("dtn://mars/**", ""), rule("", "dtn://moon/in"),
                                          rule("", "ipn:*.7"), rule("dtn:**", "")};
    EXPECT_EQ(found(rules, "dtn://mars/a/b", "ipn:3.7"), 0U);
    EXPECT_EQ(found(rules, "ipn:1.1", "dtn://moon/in"), 1U);
    EXPECT_EQ(found(rules, "ipn:1.1", "dtn://moon/out"), kNone);
    EXPECT_EQ(found(rules, "ipn:1.1", "ipn:3.7"), 2U);
    EXPECT_EQ(found(rules, "dtn://venus/a", "ipn:3.8"), 3U);
    EXPECT_EQ(found(rules, "dtn:none", "ipn:3.8"), kNone);
}

TEST(RuleIndex, EachDirectionAndContextHasItsRule) {
    std::vector<SecurityRule> rules(4);
    rules[0].role = SecurityRole::kSource;
    rules[1].role = SecurityRole::kAcceptor;
    rules[1].context = kSeal;
    rules[2].given_direction = kOut;
    rules[3].role = SecurityRole::kVerifier;
    const FoundRules all = RuleIndex(rules).find(bp::ipn_eid(1, 1), bp::ipn_eid(2, 1), kNoLink);
    EXPECT_EQ(all.of(kOut, kSign), 0U);
    EXPECT_EQ(all.of(kIn, kSeal), 1U);
    EXPECT_EQ(all.of(kIn, kSign), 3U);
    EXPECT_EQ(all.of(kOut, kSeal), kNone);
    EXPECT_FALSE(all.none());
}

TEST(RuleIndex, ALinkIsACondition) {
    std::vector<SecurityRule> rules{rule("", "")};
    rules[0].link = 3;
    EXPECT_EQ(found(rules, "ipn:1.1", "ipn:2.1", LinkId{3}), 0U);
    EXPECT_EQ(found(rules, "ipn:1.1", "ipn:2.1", LinkId{4}), kNone);
    EXPECT_EQ(found(rules, "ipn:1.1", "ipn:2.1"), kNone);
}

std::string any_pattern(std::mt19937 &random) {
    static const std::vector<std::string> all{
        "",          "ipn:1.1", "ipn:1.*",   "ipn:2.*",    "ipn:2.2",
        "ipn:*.1",   "ipn:**",  "ipn:3.*.*", "dtn://a/**", "dtn://a/b/**",
        "dtn://b/x", "dtn:**",  "dtn:none",  "*:**",       "ipn:3.1.*"};
    return all[random() % all.size()];
}

// What the index finds is what a search of all rules in their order finds.
TEST(RuleIndex, AgreesWithASearchOfAllRules) {
    std::mt19937 random(7);
    const std::vector<const char *> endpoints{"ipn:1.1",   "ipn:1.2",     "ipn:2.2",   "ipn:3.1.2",
                                              "dtn://a/b", "dtn://a/b/c", "dtn://b/x", "dtn:none"};
    for (int round = 0; round < 200; ++round) {
        std::vector<SecurityRule> rules;
        for (std::size_t i = random() % 12; i > 0; --i)
            rules.push_back(rule(any_pattern(random), any_pattern(random)));
        for (const char *source : endpoints)
            for (const char *destination : endpoints) {
                std::uint32_t expected = kNone;
                for (std::uint32_t at = 0; at < rules.size() && expected == kNone; ++at) {
                    const auto fits = [](const std::string &text, const char *endpoint) {
                        return text.empty() || bp::EidPattern::parse(text)->matches(
                                                   bp::Eid::parse(endpoint)->view());
                    };
                    if (fits(rules[at].bundle_source, source) &&
                        fits(rules[at].destination, destination))
                        expected = at;
                }
                EXPECT_EQ(found(rules, source, destination), expected)
                    << source << " to " << destination;
            }
    }
}

}  // namespace
}  // namespace farlink::security::rule_index_test
