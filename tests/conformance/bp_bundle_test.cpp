// SPDX-License-Identifier: Apache-2.0
// Whole bundles as values: decoded block by block, and encoded again.
#include <gtest/gtest.h>

#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/bp/v7/bundle.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::bp_bundle_test {
namespace {

using test::Json;

std::string uri(const Json &value) {
    return Eid::parse(value.get<std::string>())->to_string();
}

/// The cases that a decoder takes and that say what is in them.
std::vector<Json> accepted_cases(const std::string &file) {
    std::vector<Json> cases;
    const Json vectors = test::load_vectors(file);
    for (const Json &item : vectors["decode_cases"]) {
        const std::string verdict = item["verdict"];
        const bool accepted = verdict == "valid" || verdict == "valid_unusual" ||
                              verdict == "admin_invalid" ||
                              (verdict == "lenient" && item["id"] != "v7-len-def-001");
        if (accepted && item.contains("hex") && item.contains("expect")) cases.push_back(item);
    }
    EXPECT_GT(cases.size(), 10U);
    return cases;
}

void expect_report(const v7::StatusReport &report, const Json &expected) {
    EXPECT_EQ(report.reason, expected["reason"]);
    EXPECT_EQ(report.source.to_string(), uri(expected["subject_source"]));
    EXPECT_EQ(report.creation_time_ms, expected["subject_creation_time"]);
    EXPECT_EQ(report.sequence, expected["subject_sequence"]);
    for (std::size_t i = 0; i < report.items.size(); ++i) {
        const Json &item = expected["status"][i];
        EXPECT_EQ(report.items[i].asserted, item["asserted"]);
        EXPECT_EQ(report.items[i].time_ms.has_value(), item.contains("time"));
        if (item.contains("time")) {
            EXPECT_EQ(report.items[i].time_ms, item["time"]);
        }
    }
}

TEST(BundleConformance, Bpv7) {
    for (const Json &item : accepted_cases("bpv7_bundles.json")) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const Bytes octets = test::hex_of(item["hex"]);
        const auto bundle = v7::decode(octets);
        ASSERT_TRUE(bundle) << to_string(bundle.error());
        const Json &expect = item["expect"];
        EXPECT_EQ(static_cast<int>(bundle->crc_type), expect["primary"]["crc_type"]);
        ASSERT_EQ(bundle->blocks.size(), expect["blocks"].size());
        for (std::size_t i = 0; i < bundle->blocks.size(); ++i) {
            const v7::CanonicalBlock &block = bundle->blocks[i];
            const Json &expected = expect["blocks"][i];
            EXPECT_EQ(block.type, expected["type"]);
            EXPECT_EQ(block.number, expected["number"]);
            EXPECT_EQ(block.flags, expected["flags"]);
            EXPECT_EQ(static_cast<int>(block.crc_type), expected["crc_type"]);
            EXPECT_EQ(test::to_hex(block.data), expected["data_hex"]);
        }
        const Bytes again = v7::encode(*bundle);
        EXPECT_EQ(*v7::decode(again), *bundle);
        // What was encoded as RFC 9171 wants it comes back octet by octet.
        const bool deviates = item.contains("deviations_from_deterministic_or_mandated_form");
        if (!deviates) {
            EXPECT_EQ(test::to_hex(again), item["hex"]);
        }

        if (item["verdict"] == "admin_invalid") {
            EXPECT_FALSE(v7::decode_status_report(bundle->payload().data));
        }
        if (!expect.contains("admin_record")) continue;
        const Bytes &record = bundle->payload().data;
        const auto report = v7::decode_status_report(record);
        ASSERT_TRUE(report) << to_string(report.error());
        EXPECT_EQ(v7::admin_record_type(record), expect["admin_record"]["record_type"]);
        expect_report(*report, expect["admin_record"]);
        EXPECT_EQ(test::to_hex(v7::encode(*report)), test::to_hex(record));
        for (std::size_t size = 0; size < record.size(); ++size)
            EXPECT_FALSE(v7::decode_status_report(ByteView(record).first(size))) << size;
    }
}

void expect_time(const v6::Time &time, const Json &expected) {
    EXPECT_EQ(time.seconds, expected[0]);
    EXPECT_EQ(time.nanoseconds, expected[1]);
}

void expect_subject(const v6::Subject &subject, const Json &expected) {
    EXPECT_EQ(subject.source.to_string(), uri(expected["subject_source"]));
    EXPECT_EQ(subject.creation_time_s, expected["subject_creation_time"]);
    EXPECT_EQ(subject.sequence, expected["subject_sequence"]);
    EXPECT_EQ(subject.fragment.has_value(), expected["for_fragment"]);
}

void check_status_report(const Bytes &record, const Json &expected) {
    const auto report = v6::decode_status_report(record);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->reason, expected["reason"]);
    constexpr const char *kNames[] = {"received", "custody_accepted", "forwarded", "delivered",
                                      "deleted"};
    unsigned flags = 0;
    for (std::size_t i = 0; i < report->times.size(); ++i) {
        if (!report->times[i]) continue;
        flags |= 1U << i;
        expect_time(*report->times[i], expected["times"][kNames[i]]);
    }
    EXPECT_EQ(flags, expected["status_flags"]);
    expect_subject(report->subject, expected);
    EXPECT_EQ(v6::encode(*report), record);
}

void check_custody_signal(const Bytes &record, const Json &expected) {
    const auto signal = v6::decode_custody_signal(record);
    ASSERT_TRUE(signal);
    EXPECT_EQ(signal->succeeded, expected["succeeded"]);
    EXPECT_EQ(signal->reason, expected["reason"]);
    expect_time(signal->time, expected["time"]);
    expect_subject(signal->subject, expected);
    EXPECT_EQ(v6::encode(*signal), record);
}

void check_aggregate_signal(const Bytes &record, const Json &expected) {
    const auto signal = v6::decode_aggregate_custody_signal(record);
    ASSERT_TRUE(signal);
    EXPECT_EQ(signal->succeeded, expected["succeeded"]);
    EXPECT_EQ(signal->reason, expected["reason"]);
    const Json &ranges = expected["custody_id_ranges"];
    ASSERT_EQ(signal->ranges.size(), ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(signal->ranges[i].first, ranges[i][0]);
        EXPECT_EQ(signal->ranges[i].last, ranges[i][1]);
    }
    EXPECT_EQ(v6::encode(*signal), record);
}

void check_admin_record(const Bytes &record, const Json &expected) {
    ASSERT_EQ(v6::admin_record_type(record), expected["type"]);
    switch (expected["type"].get<int>()) {
        case v6::kStatusReportRecord:
            return check_status_report(record, expected);
        case v6::kCustodySignalRecord:
            return check_custody_signal(record, expected);
        case v6::kAggregateCustodySignalRecord:
            return check_aggregate_signal(record, expected);
        default:
            FAIL() << expected;
    }
}

void check_extension_data(const v6::CanonicalBlock &block, const Json &expected) {
    if (!expected.contains("custody_id")) return;
    const auto cteb = v6::decode_cteb(block.data);
    ASSERT_TRUE(cteb);
    EXPECT_EQ(cteb->custody_id, expected["custody_id"]);
    EXPECT_EQ(cteb->creator.to_string(), expected["creator_custodian"]);
    EXPECT_EQ(v6::encode(*cteb), block.data);
}

TEST(BundleConformance, Bpv6) {
    for (const Json &item : accepted_cases("bpv6_bundles.json")) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const Bytes octets = test::hex_of(item["hex"]);
        const auto bundle = v6::decode(octets);
        ASSERT_TRUE(bundle) << to_string(bundle.error());
        const Json &expect = item["expect"];
        EXPECT_EQ(bundle->dictionary.size(), expect["primary"]["dictionary_length"]);
        EXPECT_EQ(bundle->destination().to_string(), uri(expect["primary"]["destination"]));
        EXPECT_EQ(bundle->custodian().to_string(), uri(expect["primary"]["custodian"]));
        ASSERT_EQ(bundle->blocks.size(), expect["blocks"].size());
        for (std::size_t i = 0; i < bundle->blocks.size(); ++i) {
            const Json &expected = expect["blocks"][i];
            EXPECT_EQ(bundle->blocks[i].type, expected["type"]);
            EXPECT_EQ(bundle->blocks[i].flags, expected["flags"]);
            EXPECT_EQ(test::to_hex(bundle->blocks[i].data), expected["data_hex"]);
            check_extension_data(bundle->blocks[i], expected);
        }
        if (item["verdict"] == "valid") {
            EXPECT_EQ(test::to_hex(v6::encode(*bundle)), item["hex"]);
        }
        if (expect.contains("admin_record"))
            check_admin_record(bundle->payload().data, expect["admin_record"]);
    }
}

}  // namespace
}  // namespace farlink::bp::bp_bundle_test
