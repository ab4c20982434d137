// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/route_print.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::route_print_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(ExplainedBundle, NamesADestinationThatIsNoNumber) {
    Json reply{{"source", 7},          {"destination", 40}, {"sizeBytes", 400},
               {"priority", "normal"}, {"critical", true},  {"expiry", "T1"}};
    const std::string rest = ": 400 bytes, priority normal, critical, expiry T1";
    EXPECT_EQ(explained_bundle(reply), "bundle from node 7 to node 40" + rest);
    reply["destinationEndpoint"] = "dtn://mars/inbox";
    EXPECT_EQ(explained_bundle(reply), "bundle from node 7 to dtn://mars/inbox (node 40)" + rest);
    reply["destination"] = 0;
    EXPECT_EQ(explained_bundle(reply), "bundle from node 7 to dtn://mars/inbox" + rest);
    reply["source"] = 0;
    EXPECT_EQ(explained_bundle(reply),
              "bundle from a source without a node number, which matches no `sourceNodeId`, to "
              "dtn://mars/inbox" +
                  rest);
}

}  // namespace
}  // namespace farlink::ctl::route_print_test
