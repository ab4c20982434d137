// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "common/bp/v6/admin_record_codec.hpp"
#include "tests/support/hex.hpp"

namespace farlink::bp::v6::admin_record_codec_test {
namespace {

using test::from_hex;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(V6AdminRecord, CarriesFragmentsToo) {
    const Subject subject{Eid(10, 1), 757000000, 3, FragmentExtent{40, 60}};
    const CustodySignal signal{false, 3, {757000100, 5}, subject};
    EXPECT_EQ(decode_custody_signal(encode(signal)).value(), signal);
    StatusReport report;
    report.times[1] = Time{5, 6};
    report.times[4] = Time{7, 999999999};
    report.reason = 4;
    report.subject = subject;
    EXPECT_EQ(decode_status_report(encode(report)).value(), report);
}

TEST(V6AdminRecord, EveryPrefixIsRefused) {
    const Subject subject{Eid(10, 1), 757000000, 3, FragmentExtent{40, 60}};
    const Bytes signal = encode(CustodySignal{true, 0, {1, 2}, subject});
    for (std::size_t size = 0; size < signal.size(); ++size)
        EXPECT_FALSE(decode_custody_signal(ByteView(signal).first(size))) << size;
    StatusReport report;
    report.times[0] = Time{1, 2};
    report.subject = subject;
    const Bytes octets = encode(report);
    for (std::size_t size = 0; size < octets.size(); ++size)
        EXPECT_FALSE(decode_status_report(ByteView(octets).first(size))) << size;
}

TEST(V6AdminRecord, RefusesWhatDoesNotAddUp) {
    // A whole second or more of nanoseconds; octets behind the source; a source that is no URI.
    for (const char *hex : {"20800584fbadd400000008"
                            "69706e3a31302e31",
                            "208005000000086970"
                            "6e3a31302e3100",
                            "2080050000000369706e"})
        EXPECT_EQ(decode_custody_signal(from_hex(hex)).error(), AdminError::kMalformed) << hex;
    EXPECT_EQ(decode_custody_signal(from_hex("10")).error(), AdminError::kUnknownType);
    EXPECT_EQ(decode_status_report(from_hex("20")).error(), AdminError::kUnknownType);
    EXPECT_EQ(admin_record_type({}).error(), AdminError::kTruncated);
}

TEST(V6AdminRecord, AggregateSignalsRoundTrip) {
    const AggregateCustodySignal signals[] = {
        {true, 0, {{0, 0}}},
        {true, 0, {{0, 255}, {512, 782}}},
        {false, 4, {{5, 5}, {7, 9}, {kMost - 1, kMost}}},
        {true, 0, {{1, kMost}}},
    };
    for (const AggregateCustodySignal &signal : signals)
        EXPECT_EQ(decode_aggregate_custody_signal(encode(signal)).value(), signal);
}

TEST(V6AdminRecord, RefusesRangesThatOverlapOrOverflow) {
    // No fills; a length of 0; a second fill on the first one's last id; beyond 2^64 - 1.
    for (const char *hex : {"4080", "40800100", "408001020001", "408001028001",
                            "408081ffffffffffffffff7f02", "4080000181ffffffffffffffff7f02"})
        EXPECT_FALSE(decode_aggregate_custody_signal(from_hex(hex))) << hex;
}

TEST(V6AdminRecord, SubjectsMayHaveAnyScheme) {
    using namespace std::string_view_literals;
    for (const EidView &source :
         {EidView{EidScheme::kDtn, 0, 0, "loose"}, EidView{EidScheme::kOther, 0, 0, "foo\0x"sv}}) {
        const CustodySignal signal{true, 0, {}, {Eid(source), 1, 2, {}}};
        EXPECT_EQ(decode_custody_signal(encode(signal)).value(), signal);
    }
}

TEST(V6AdminRecord, CustodyTransferBlocksRoundTrip) {
    const CustodyTransferEnhancement cteb{77, Eid(15, 0)};
    EXPECT_EQ(test::to_hex(encode(cteb)), "4d69706e3a31352e30");
    EXPECT_EQ(decode_cteb(encode(cteb)).value(), cteb);
    EXPECT_FALSE(decode_cteb({}));
    EXPECT_FALSE(decode_cteb(from_hex("4d")));
}

}  // namespace
}  // namespace farlink::bp::v6::admin_record_codec_test
