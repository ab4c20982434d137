// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/way_text.hpp"

#include <gtest/gtest.h>

namespace farlink::bptrace::way_text_test {
namespace {

using bp::ReportEvent;

const bp::BundleId kProbe{bp::Eid(10, 7), 1000, 3, {}};
const Trace kTrace{.destination = "ipn:30.2047", .bytes = 64, .sent_ms = 1000, .limit_s = 5};

void add(Way &way, const std::string &node, ReportEvent event, DtnTime at_ms,
         std::uint64_t reason = 0, bool stated = true) {
    NodeReport report;
    report.node = node;
    report.moments[static_cast<std::size_t>(event)] = Moment{at_ms, stated};
    report.reason = reason;
    report.subject = kProbe;
    (void)way.add(report);
}

Way two_hops() {
    Way way(kProbe);
    add(way, "ipn:10.0", ReportEvent::kForwarded, 1002);
    add(way, "ipn:20.0", ReportEvent::kReceived, 1012);
    add(way, "ipn:20.0", ReportEvent::kForwarded, 13'500);
    add(way, "ipn:30.0", ReportEvent::kDelivered, 13'600);
    return way;
}

TEST(WayText, DrawsEachHopWithItsTimes) {
    EXPECT_EQ(way_text(two_hops(), kTrace),
              "        0 ms              ipn:10    sent\n"
              "        2 ms       +2 ms  |         forwarded\n"
              "       12 ms      +10 ms  ipn:20    received\n"
              "      12.5 s     +12.5 s  |         forwarded\n"
              "      12.6 s     +100 ms  ipn:30    delivered\n"
              "delivered at ipn:30 after 12.6 s; 3 nodes sent reports\n");
}

TEST(WayText, GivesTheReasonOfADeletion) {
    Way way(kProbe);
    add(way, "ipn:10.0", ReportEvent::kForwarded, 1002);
    add(way, "ipn:20.0", ReportEvent::kDeleted, 1012, 9);
    const std::string text = way_text(way, kTrace);
    EXPECT_NE(text.find("ipn:20    deleted: hop limit exceeded\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\ndeleted at ipn:20: hop limit exceeded\n"), std::string::npos) << text;
}

TEST(WayText, NamesWhatToSetWhenReportsAreMissing) {
    Way way(kProbe);
    std::string text = way_text(way, kTrace);
    EXPECT_NE(text.find("neither delivered nor deleted within 5000 ms"), std::string::npos) << text;
    EXPECT_NE(text.find("no report from ipn:10: set \"statusReports\": true"), std::string::npos)
        << text;
    add(way, "ipn:10.0", ReportEvent::kForwarded, 1002);
    text = way_text(way, kTrace);
    EXPECT_NE(text.find("the last report came from ipn:10"), std::string::npos) << text;
    EXPECT_NE(text.find("statusReportsPerSecond"), std::string::npos) << text;
    EXPECT_EQ(hint_of(two_hops()), "");
}

TEST(WayText, NamesClocksThatDifferAndTimesOfReports) {
    Way way(kProbe);
    add(way, "ipn:10.0", ReportEvent::kForwarded, 1002);
    add(way, "ipn:30.0", ReportEvent::kDelivered, 900, 0, false);
    const std::string text = way_text(way, kTrace);
    EXPECT_NE(text.find("     -100 ms     -102 ms  ipn:30"), std::string::npos) << text;
    EXPECT_NE(text.find("the clocks of the nodes differ"), std::string::npos) << text;
    EXPECT_NE(text.find("some reports state no time"), std::string::npos) << text;
    EXPECT_EQ(text.find("whole seconds"), std::string::npos) << text;
    Trace trace = kTrace;
    trace.version = 6;
    const std::string of_version_6 = way_text(way, trace);
    EXPECT_NE(of_version_6.find("or a node states whole seconds\n"), std::string::npos)
        << of_version_6;
}

TEST(WayText, ReplacesControlCharactersOfNames) {
    Way way(kProbe);
    add(way, "dtn://a\x1b[2J/", ReportEvent::kDelivered, 1002);
    EXPECT_EQ(way_text(way, kTrace).find('\x1b'), std::string::npos);
}

TEST(WayText, WritesJson) {
    const auto json = way_json(two_hops(), kTrace);
    EXPECT_EQ(json["bundle"], "ipn:10.7/1000/3");
    EXPECT_EQ(json["version"], 7);
    EXPECT_EQ(json["outcome"], "delivered");
    EXPECT_EQ(json["complete"], true);
    ASSERT_EQ(json["hops"].size(), 3U);
    EXPECT_EQ(json["hops"][1]["node"], "ipn:20");
    EXPECT_EQ(json["hops"][1]["received"]["time"], 1012);
    EXPECT_EQ(json["hops"][1]["received"]["sinceSentMilliseconds"], 12);
    EXPECT_FALSE(json.contains("hint"));
    EXPECT_EQ(way_json(Way(kProbe), kTrace)["outcome"], "unknown");
}

}  // namespace
}  // namespace farlink::bptrace::way_text_test
