// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/way.hpp"

#include <gtest/gtest.h>

namespace farlink::bptrace::way_test {
namespace {

using bp::ReportEvent;

const bp::BundleId kProbe{bp::Eid(10, 7), 1000, 3, {}};

NodeReport report(const std::string &node, ReportEvent event, DtnTime at_ms, bool stated = true) {
    NodeReport made;
    made.node = node;
    made.moments[static_cast<std::size_t>(event)] = Moment{at_ms, stated};
    made.subject = kProbe;
    return made;
}

std::vector<std::string> names(const Way &way) {
    std::vector<std::string> found;
    for (const Hop &hop : way.hops()) found.push_back(hop.node);
    return found;
}

TEST(Way, OrdersNodesWhateverTheOrderOfReports) {
    Way way(kProbe);
    EXPECT_TRUE(way.add(report("ipn:30.0", ReportEvent::kDelivered, 1030)));
    EXPECT_TRUE(way.add(report("ipn:25.0", ReportEvent::kReceived, 1021)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kForwarded, 1020)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 1011)));
    EXPECT_TRUE(way.add(report("ipn:10.0", ReportEvent::kForwarded, 1001)));
    EXPECT_EQ(names(way), (std::vector<std::string>{"ipn:10", "ipn:20", "ipn:25", "ipn:30"}));
    EXPECT_EQ(way.reports(), 5U);
}

TEST(Way, TheFirstAndTheLastNodeStayWhereClocksDiffer) {
    Way way(kProbe);
    EXPECT_TRUE(way.add(report("ipn:10.0", ReportEvent::kForwarded, 9000)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 5000)));
    EXPECT_TRUE(way.add(report("ipn:30.0", ReportEvent::kDelivered, 10)));
    EXPECT_EQ(names(way), (std::vector<std::string>{"ipn:10", "ipn:20", "ipn:30"}));
}

TEST(Way, IsCompleteWhenEachNodeHasPassedTheBundleOn) {
    Way way(kProbe);
    EXPECT_TRUE(way.add(report("ipn:10.0", ReportEvent::kReceived, 1000)));
    EXPECT_TRUE(way.add(report("ipn:30.0", ReportEvent::kDelivered, 1030)));
    EXPECT_TRUE(way.delivered());
    EXPECT_FALSE(way.complete()) << "the report of ipn:10 about forwarding is under way";
    EXPECT_TRUE(way.add(report("ipn:10.0", ReportEvent::kForwarded, 1001)));
    EXPECT_TRUE(way.complete());
}

TEST(Way, EndsWithADeletion) {
    Way way(kProbe);
    EXPECT_TRUE(way.add(report("ipn:10.0", ReportEvent::kForwarded, 1001)));
    NodeReport deletion = report("ipn:20.0", ReportEvent::kDeleted, 1040);
    deletion.reason = 9;
    EXPECT_TRUE(way.add(deletion));
    EXPECT_TRUE(way.deleted());
    EXPECT_TRUE(way.complete());
    EXPECT_EQ(way.hops().back().reason, 9U);
}

TEST(Way, KeepsTheEarliestTimeAndOneThatIsStated) {
    Way way(kProbe);
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 1005, false)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 1030)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 1020)));
    EXPECT_TRUE(way.add(report("ipn:20.0", ReportEvent::kReceived, 1001, false)));
    ASSERT_EQ(way.hops().size(), 1U);
    EXPECT_EQ(way.hops()[0].moments[0], (Moment{1020, true}));
    EXPECT_FALSE(way.has_first_node());
}

TEST(Way, IgnoresOtherBundlesAndBoundsItsNodes) {
    Way way(kProbe);
    NodeReport other = report("ipn:20.0", ReportEvent::kDelivered, 1005);
    other.subject.sequence = 4;
    EXPECT_FALSE(way.add(other));
    EXPECT_FALSE(way.delivered());
    for (std::size_t node = 1; node <= Way::kMostHops; ++node)
        EXPECT_TRUE(way.add(
            report("ipn:" + std::to_string(node) + ".0", ReportEvent::kForwarded, 1000 + node)));
    EXPECT_FALSE(way.add(report("ipn:999999.0", ReportEvent::kForwarded, 1)));
    EXPECT_EQ(way.hops().size(), Way::kMostHops);
}

TEST(Way, NamesNodesOfBothSchemes) {
    EXPECT_EQ(node_of("ipn:20.0"), "ipn:20");
    EXPECT_EQ(node_of("dtn://camera/"), "dtn://camera/");
    EXPECT_EQ(node_of("nonsense"), "nonsense");
}

}  // namespace
}  // namespace farlink::bptrace::way_test
