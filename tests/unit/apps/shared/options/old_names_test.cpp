// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/options/old_names.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::old_names_test {
namespace {

using Json = nlohmann::json;

TEST(OldNames, AKeyIsToldInSnakeCaseToo) {
    EXPECT_EQ(old_name_of("outOfOrder"), "out_of_order");
    EXPECT_EQ(old_name_of("received"), "received");
    EXPECT_EQ(old_name_of("goodputBitsPerSec"), "goodput_bps");
    EXPECT_EQ(old_name_of("latencyMilliseconds"), "latency_ms");
}

TEST(OldNames, EveryKeyOfAReportHasItsOldNameBesideIt) {
    Json report{{"lost", 1}, {"payloadBytes", 2}, {"latencyMilliseconds", {{"p999", 3}}}};
    add_old_names(report);
    EXPECT_EQ(report, Json({{"lost", 1},
                            {"payloadBytes", 2},
                            {"payload_bytes", 2},
                            {"latencyMilliseconds", {{"p999", 3}}},
                            {"latency_ms", {{"p999", 3}}}}));
}

TEST(OldNames, SomeKeysMayBeNamed) {
    Json report{{"lostPercent", 1}, {"newKey", 2}};
    add_old_names(report, {{"lostPercent", "lost_percent"}, {"missing", "gone"}});
    EXPECT_EQ(report, Json({{"lostPercent", 1}, {"lost_percent", 1}, {"newKey", 2}}));
}

}  // namespace
}  // namespace farlink::old_names_test
