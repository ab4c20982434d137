// SPDX-License-Identifier: Apache-2.0
#include "common/bp/status_reports.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/bp/v7/bundle.hpp"
#include "common/buffer/batch.hpp"

namespace farlink::bp::status_reports_test {
namespace {

constexpr DtnTime kNow = 757000001623;

BundleView subject(std::uint8_t version) {
    BundleView view;
    view.version = version;
    view.source = ipn_eid(10, 1);
    view.destination = ipn_eid(20, 2);
    view.report_to = ipn_eid(10, 0);
    view.creation_time = 757000000;
    view.sequence = 3;
    view.lifetime_ms = 3600000;
    view.requests = kReportReception | kReportDeletion;
    return view;
}

TEST(StatusReports, ReportsOnlyWhereItMay) {
    BundleView view = subject(7);
    EXPECT_TRUE(wants_report(view, ReportEvent::kReceived));
    EXPECT_FALSE(wants_report(view, ReportEvent::kForwarded));
    EXPECT_FALSE(wants_report(view, ReportEvent::kDelivered));
    EXPECT_TRUE(wants_report(view, ReportEvent::kDeleted));
    view.is_admin_record = true;
    EXPECT_FALSE(can_report(view));
    EXPECT_FALSE(make_status_report(view, ReportEvent::kDeleted, ReportReason::kNone, kNow, 1,
                                    ipn_eid(15, 0)));
    view = subject(7);
    view.report_to = {};
    EXPECT_FALSE(wants_report(view, ReportEvent::kReceived));
    view.report_to = ipn_eid(kLocalNodeNumber, 5);
    EXPECT_FALSE(wants_report(view, ReportEvent::kReceived)) << "of another node";
    EXPECT_FALSE(make_status_report(view, ReportEvent::kDeleted, ReportReason::kNone, kNow, 1,
                                    ipn_eid(15, 0)));
}

TEST(StatusReports, ReportsAFragmentsDeletionInBpv7) {
    BundleView view = subject(7);
    view.flags = v7::kStatusTimeRequested;
    view.is_fragment = true;
    view.fragment_offset = 40;
    view.payload_length = 60;
    const auto octets = make_status_report(
        view, ReportEvent::kDeleted, ReportReason::kHopLimitExceeded, kNow, 9, ipn_eid(15, 0));
    const auto bundle = v7::decode(octets.value());
    ASSERT_TRUE(bundle);
    EXPECT_EQ(bundle->source, Eid(15, 0));
    EXPECT_EQ(bundle->destination, Eid(10, 0));
    EXPECT_TRUE(bundle->report_to.view().is_null());
    EXPECT_EQ(bundle->sequence, 9U);
    const auto report = v7::decode_status_report(bundle->payload().data);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->items[3].time_ms, kNow);
    EXPECT_FALSE(report->items[0].asserted);
    EXPECT_EQ(report->reason, 9U);
    EXPECT_EQ(report->fragment, (FragmentExtent{40, 60}));
}

TEST(StatusReports, ReportsInBpv6WithTimesAndReasonsThatItKnows) {
    BundleView view = subject(6);
    for (const auto &[event, index] :
         {std::pair{ReportEvent::kReceived, 0U}, std::pair{ReportEvent::kForwarded, 2U},
          std::pair{ReportEvent::kDelivered, 3U}, std::pair{ReportEvent::kDeleted, 4U}}) {
        const auto octets = make_status_report(view, event, ReportReason::kHopLimitExceeded, kNow,
                                               9, ipn_eid(15, 0));
        const auto bundle = v6::decode(octets.value());
        ASSERT_TRUE(bundle);
        EXPECT_EQ(bundle->creation_time_s, kNow / 1000);
        const auto report = v6::decode_status_report(bundle->payload().data);
        ASSERT_TRUE(report);
        for (std::size_t i = 0; i < report->times.size(); ++i)
            EXPECT_EQ(report->times[i].has_value(), i == index);
        EXPECT_EQ(report->times[index], (v6::Time{kNow / 1000, 623000000}));
        EXPECT_EQ(report->reason, 0U) << "BPv6 has no such reason";
        EXPECT_EQ(report->subject.source, Eid(10, 1));
    }
}

TEST(StatusReports, EchoesThePayloadBack) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        BundleView view = subject(version);
        const Bytes octets{0, 1, 2, 3, 4, 5, 6, 7};
        view.payload_offset = 2;
        view.payload_length = 5;
        const ByteView slices[] = {ByteView(octets).first(4), ByteView(octets).subspan(4)};
        const Bytes reply = make_echo_reply(view, slices, kNow, 77, ipn_eid(20, 9)).value();
        const ByteView slice = reply;
        const auto parsed = parse({&slice, 1});
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->version, version);
        EXPECT_EQ(parsed->source, ipn_eid(20, 9));
        EXPECT_EQ(parsed->destination, ipn_eid(10, 1));
        EXPECT_EQ(parsed->sequence, 77U);
        EXPECT_EQ(parsed->has_hop_count, version == 7);
        EXPECT_EQ(parsed->hop_limit, version == 7 ? kUsualHopLimit : 0);
        EXPECT_EQ(parsed->lifetime_ms, view.lifetime_ms);
        const ByteView payload = slice.subspan(parsed->payload_offset, parsed->payload_length);
        EXPECT_TRUE(std::ranges::equal(payload, ByteView(octets).subspan(2, 5)));
        view.source = {};
        EXPECT_FALSE(make_echo_reply(view, slices, kNow, 77, ipn_eid(20, 9)));
    }
}

TEST(StatusReports, WithoutAClockTheAnswerSaysItsAge) {
    const BundleView view = subject(7);
    const Bytes octets{1};
    const ByteView slice = octets;
    const Bytes reply = make_echo_reply(view, {&slice, 1}, 0, 1, ipn_eid(20, 9)).value();
    const ByteView reply_slice = reply;
    const auto parsed = parse({&reply_slice, 1});
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->creation_time, 0U);
    EXPECT_TRUE(parsed->has_age);
}

}  // namespace
}  // namespace farlink::bp::status_reports_test
