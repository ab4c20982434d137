// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/bpinspect/core/inspect.hpp"
#include "tests/support/hex.hpp"

namespace farlink::inspect::report_test {
namespace {

const Bytes kBundle =
    test::from_hex("9f88070000820282010282028202018202820201820a001864850101000043616263ff");

TEST(Report, Keys) {
    EXPECT_EQ(key_of("creation time"), "creationTime");
    EXPECT_EQ(key_of("CRC type"), "crcType");
    EXPECT_EQ(key_of("report-to"), "reportTo");
    EXPECT_EQ(key_of("subject's source"), "subjectsSource");
    EXPECT_EQ(key_of("block type 200"), "blockType200");
    EXPECT_EQ(key_of("SHA variant"), "shaVariant");
    EXPECT_EQ(key_of("total application data unit length"), "totalApplicationDataUnitLength");
}

TEST(Report, Text) {
    const Inspection inspection = inspect(kBundle, Kind::kBundle7);
    const std::string text = report_text(inspection, kBundle, "packet 3", {});
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "packet 3: bundle ipn:2.1/10/0 to ipn:1.2, BPv7, 35 octets, 1 deviation");
    EXPECT_NE(text.find("      5       5  8202820102           "), std::string::npos) << text;
    EXPECT_NE(text.find("deviation: RFC 9171 section 4.3.1, octets 1 to 24: "), std::string::npos)
        << text;
    EXPECT_EQ(summary_text(inspection, kBundle, {}),
              "bundle ipn:2.1/10/0 to ipn:1.2, BPv7, 35 octets, 1 deviation\n");
}

TEST(Report, Json) {
    const Inspection inspection = inspect(kBundle, Kind::kBundle7);
    const auto json = nlohmann::json::parse(report_json(inspection, kBundle, {}, {}));
    EXPECT_EQ(json["type"], "bundle");
    EXPECT_EQ(json["id"], "ipn:2.1/10/0");
    EXPECT_EQ(json["conforms"], false);
    EXPECT_EQ(json["blocks"], nlohmann::json::array({"payloadBlock"}));
    EXPECT_EQ(json["deviations"][0]["section"], "RFC 9171 section 4.3.1");
    EXPECT_EQ(json["deviations"][0]["offset"], 1);
    EXPECT_EQ(json["fields"][0]["name"], "primaryBlock");
    EXPECT_EQ(json["fields"][0]["fields"][0]["octets"], "07");
    EXPECT_FALSE(nlohmann::json::parse(summary_json(inspection, kBundle, {})).contains("fields"));
}

TEST(Report, ControlCharactersAreNotPrinted) {
    Bytes bundle = kBundle;
    bundle[31] = 0x1b;  // in the payload
    bundle[32] = 0xff;
    const Inspection inspection = inspect(bundle, Kind::kBundle7);
    for (const std::string &text :
         {report_text(inspection, bundle, {}, {}), report_json(inspection, bundle, {}, {})})
        for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

}  // namespace
}  // namespace farlink::inspect::report_test
