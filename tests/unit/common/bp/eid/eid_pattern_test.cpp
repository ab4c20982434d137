// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_pattern.hpp"

#include <gtest/gtest.h>

namespace farlink::bp::eid_pattern_test {
namespace {

bool matches(std::string_view pattern, std::string_view endpoint) {
    return EidPattern::parse(pattern)->matches(Eid::parse(endpoint)->view());
}

TEST(EidPattern, OneEndpoint) {
    EXPECT_TRUE(matches("ipn:10.1", "ipn:10.1"));
    EXPECT_FALSE(matches("ipn:10.1", "ipn:10.2"));
    EXPECT_TRUE(matches("dtn://a/b", "dtn://a/b"));
    EXPECT_FALSE(matches("dtn://a/b", "dtn://a/bc"));
}

TEST(EidPattern, AllOfANode) {
    EXPECT_TRUE(matches("ipn:10.*", "ipn:10.0"));
    EXPECT_TRUE(matches("ipn:10.*", "ipn:10.77"));
    EXPECT_FALSE(matches("ipn:10.*", "ipn:1.0"));
    EXPECT_TRUE(matches("ipn:977000.100.*", "ipn:977000.100.3"));
    EXPECT_FALSE(matches("ipn:977000.100.*", "ipn:100.3"));
    EXPECT_FALSE(matches("ipn:10.*", "dtn://10/"));
    EXPECT_TRUE(matches("dtn://a/*", "dtn://a/b/c"));
    EXPECT_FALSE(matches("dtn://a/*", "dtn://ab/"));
}

TEST(EidPattern, WhateverFollows) {
    EXPECT_TRUE(matches("dtn://a/**", "dtn://a/"));
    EXPECT_TRUE(matches("dtn://a/**", "dtn://a/b/c"));
    EXPECT_TRUE(matches("dtn://a/b/**", "dtn://a/b/c"));
    EXPECT_FALSE(matches("dtn://a/b/**", "dtn://a/c"));
    EXPECT_FALSE(matches("dtn://a/**", "dtn://ab/"));
    for (const std::string_view every : {"dtn:**", "dtn://**", "dtn://*/**", "*:**"}) {
        EXPECT_TRUE(matches(every, "dtn://a/b")) << every;
        EXPECT_EQ(matches(every, "ipn:1.1"), every == "*:**") << every;
    }
}

TEST(EidPattern, NumbersOfAnyNode) {
    for (const std::string_view every : {"ipn:**", "ipn:*.*"}) {
        EXPECT_TRUE(matches(every, "ipn:7.3")) << every;
        EXPECT_FALSE(matches(every, "dtn://7/3")) << every;
    }
    EXPECT_TRUE(matches("ipn:*.7", "ipn:977000.100.7"));
    EXPECT_FALSE(matches("ipn:*.7", "ipn:7.1"));
    EXPECT_TRUE(matches("ipn:977000.*.*", "ipn:977000.1.2"));
    EXPECT_FALSE(matches("ipn:977000.*.*", "ipn:1.2"));
}

TEST(EidPattern, TellsTheNodeThatItIsAbout) {
    EXPECT_EQ(EidPattern::parse("ipn:10.*")->ipn_node(), NodeNumber{10});
    EXPECT_FALSE(EidPattern::parse("ipn:10.1")->ipn_node());
    EXPECT_FALSE(EidPattern::parse("ipn:*.1")->ipn_node());
    const auto node = EidPattern::parse("dtn://a/**");
    EXPECT_EQ(node->dtn_node(), "//a/");
    EXPECT_FALSE(EidPattern::parse("dtn://a/b/**")->dtn_node());
    EXPECT_FALSE(EidPattern::parse("dtn://a/")->dtn_node());
    EXPECT_EQ(dtn_node_of("//a/b/c"), "//a/");
    EXPECT_EQ(dtn_node_of("http:a"), "");
}

TEST(EidPattern, WhatIsNone) {
    for (const std::string_view text :
         {"", "*", "**", "ipn:*", "ipn:10*", "ipn:*.7.*", "ipn:*.1.7", "10.1", "dtn:*", "dtn://a*",
          "dtn://a**", "dtn://a/b**", "http://a/**"})
        EXPECT_FALSE(EidPattern::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace farlink::bp::eid_pattern_test
