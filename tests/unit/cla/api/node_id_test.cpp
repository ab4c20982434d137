// SPDX-License-Identifier: Apache-2.0
#include "cla/api/node_id.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::node_id_test {
namespace {

std::string node_of(const char *text) {
    const auto id = read_node_id(text);
    return id ? id->node.to_string() : "none";
}

bool proper(const char *text) {
    const auto id = read_node_id(text);
    return id && id->proper;
}

TEST(NodeId, ReadsEverySpellingOfOneNode) {
    for (const char *const text : {"ipn:10.0", "ipn:10", "IPN:10.0", "ipn:0.10.0"}) {
        EXPECT_EQ(node_of(text), "ipn:10.0") << text;
        EXPECT_TRUE(proper(text)) << text;
    }
    EXPECT_EQ(node_of("ipn:977000.100.0"), "ipn:977000.100.0");
    EXPECT_EQ(node_of("ipn:4196183048192100.0"), "ipn:977000.100.0");
    for (const char *const text : {"dtn://gate/", "dtn://gate", "DTN://gate/"}) {
        EXPECT_EQ(node_of(text), "dtn://gate/") << text;
        EXPECT_TRUE(proper(text)) << text;
    }
}

// RFC 9171 section 4.2.5.2: a node id is the endpoint of the node's administrative element.
TEST(NodeId, TellsOtherEndpointsOfANodeFromItsId) {
    EXPECT_EQ(node_of("ipn:10.5"), "ipn:10.0");
    EXPECT_FALSE(proper("ipn:10.5"));
    EXPECT_EQ(node_of("ipn:977000.100.7"), "ipn:977000.100.0");
    EXPECT_FALSE(proper("ipn:977000.100.7"));
    EXPECT_EQ(node_of("dtn://gate/mail"), "dtn://gate/");
    EXPECT_FALSE(proper("dtn://gate/mail"));
}

TEST(NodeId, RefusesWhatNamesNoParticularNode) {
    for (const char *const text :
         {"", "ipn:", "ipn:0.0", "ipn:0", "ipn:0.7", "ipn:!.0", "ipn:4294967295.0", "dtn:none",
          "dtn://", "dtn:///", "dtn:gate", "http://gate/", "10.0", "ipn:10.0 ", "ipn:10.0.0.0",
          "ipn:-1.0", "dtn://ga te/"})
        EXPECT_EQ(node_of(text), "none") << text;
}

}  // namespace
}  // namespace farlink::cla::node_id_test
