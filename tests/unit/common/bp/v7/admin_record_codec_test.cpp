// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "common/bp/v7/admin_record_codec.hpp"
#include "tests/support/hex.hpp"

namespace farlink::bp::v7::admin_record_codec_test {
namespace {

using test::from_hex;

TEST(V7StatusReport, RoundTripsAndRefusesEveryPrefix) {
    StatusReport report;
    report.items[0] = {true, 757000001623};
    report.items[3] = {true, {}};
    report.reason = 200;
    report.source = *Eid::parse("dtn://node/app");
    report.creation_time_ms = 757000000123;
    report.sequence = 7;
    report.fragment = {40, 60};
    const Bytes octets = encode(report);
    EXPECT_EQ(decode_status_report(octets).value(), report);
    for (std::size_t size = 0; size < octets.size(); ++size)
        EXPECT_EQ(decode_status_report(ByteView(octets).first(size)).error(),
                  AdminError::kTruncated)
            << size;
}

TEST(V7StatusReport, AcceptsMoreItemsAndIndefiniteArrays) {
    const char *const same[] = {"8201848481f581f481f481f4008202820a01821907d007",
                                "8201848581f581f481f481f481f4008202820a01821907d007"};
    const auto plain = decode_status_report(from_hex(same[0]));
    ASSERT_TRUE(plain);
    EXPECT_EQ(decode_status_report(from_hex(same[1])).value(), *plain);
    const auto indefinite = decode_status_report(
        from_hex("9f019f9f9ff5ff9ff4ff81f481f4ff008202820a019f1907d007ffffff"));
    EXPECT_EQ(indefinite.value(), *plain);
}

TEST(V7StatusReport, RefusesOtherShapes) {
    // Another record; three items; a number for a boolean; three fields; five; trailing octets.
    EXPECT_EQ(decode_status_report(from_hex("820300")).error(), AdminError::kUnknownType);
    for (const char *hex :
         {"8201848381f581f481f4008202820a01821907d007",
          "82018484810181f481f481f4008202820a01821907d007", "8201838481f581f481f481f4008202820a01",
          "8201858481f581f481f481f4008202820a01821907d00705",
          "8201848481f581f481f481f4008202820a01821907d00700",
          "8301848481f581f481f481f4008202820a01821907d00700",
          "8201848481f581f481f481f4008203820a01821907d007"})
        EXPECT_EQ(decode_status_report(from_hex(hex)).error(), AdminError::kMalformed) << hex;
    EXPECT_EQ(admin_record_type(from_hex("820300")).value(), 3U);
    EXPECT_FALSE(admin_record_type({}));
}

}  // namespace
}  // namespace farlink::bp::v7::admin_record_codec_test
