// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/node_report.hpp"

#include <gtest/gtest.h>

#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v7/admin_record_codec.hpp"

namespace farlink::bptrace::node_report_test {
namespace {

bp::v7::StatusReport report_v7() {
    bp::v7::StatusReport report;
    report.items[0] = {true, 5000};
    report.items[1] = {true, std::nullopt};
    report.reason = 2;
    report.source = bp::Eid(10, 7);
    report.creation_time_ms = 1000;
    report.sequence = 3;
    return report;
}

TEST(NodeReport, ReadsReportsOfBpv7) {
    const auto read = read_report(bp::v7::encode(report_v7()), "ipn:20.0", 5009);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->node, "ipn:20.0");
    EXPECT_EQ(read->moments[0], (Moment{5000, true}));
    EXPECT_EQ(read->moments[1], (Moment{5009, false})) << "the time of the report";
    EXPECT_FALSE(read->moments[2]);
    EXPECT_FALSE(read->moments[3]);
    EXPECT_EQ(read->reason, 2U);
    EXPECT_EQ(read->subject, (bp::BundleId{bp::Eid(10, 7), 1000, 3, {}}));
}

TEST(NodeReport, ATimeOfZeroIsNoTime) {
    bp::v7::StatusReport report = report_v7();
    report.items[0].time_ms = 0;
    EXPECT_EQ(read_report(bp::v7::encode(report), "ipn:20.0", 5009)->moments[0],
              (Moment{5009, false}));
}

TEST(NodeReport, ReadsReportsOfBpv6) {
    bp::v6::StatusReport report;
    report.times[0] = bp::v6::Time{7, 250'000'000};
    report.times[4] = bp::v6::Time{~std::uint64_t{0}, 0};
    report.reason = 1;
    report.subject = {bp::Eid(10, 7), 6, 3, {}};
    const auto read = read_report(bp::v6::encode(report), "ipn:20.0", 9000);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->moments[0], (Moment{7250, true}));
    EXPECT_FALSE(read->moments[1]) << "custody acceptance is between reception and forwarding";
    EXPECT_TRUE(read->moments[3]);
    EXPECT_EQ(read->subject, (bp::BundleId{bp::Eid(10, 7), 6, 3, {}}));
}

TEST(NodeReport, RefusesWhatIsNone) {
    const Bytes whole = bp::v7::encode(report_v7());
    EXPECT_FALSE(read_report({}, "ipn:20.0", 1));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read_report(ByteView(whole).first(size), "ipn:20.0", 1)) << size;
    EXPECT_FALSE(read_report(Bytes{0x20, 0, 0}, "ipn:20.0", 1)) << "a custody signal";
}

}  // namespace
}  // namespace farlink::bptrace::node_report_test
