// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_pattern.hpp"

#include <gtest/gtest.h>

namespace farlink::bp {
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

TEST(EidPattern, WhatIsNone) {
    for (const std::string_view text : {"", "*", "ipn:*", "ipn:10*", "10.1", "dtn:*", "dtn://a*"})
        EXPECT_FALSE(EidPattern::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace farlink::bp
