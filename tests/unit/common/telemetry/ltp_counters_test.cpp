// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/ltp_counters.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::telemetry::ltp_counters_test {
namespace {

TEST(LtpCounters, HaveUniqueNamesAndMetricsByKind) {
    std::set<std::string_view> names;
    std::set<std::string_view> members;
    for (const LtpCounterInfo &counter : kLtpCounters) {
        EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
        EXPECT_TRUE(members.insert(counter.json).second) << counter.json;
        EXPECT_TRUE(counter.metric.starts_with("link_ltp_")) << counter.metric;
        EXPECT_NE(counter.metric.ends_with("_total"), counter.gauge) << counter.metric;
    }
}

}  // namespace
}  // namespace farlink::telemetry::ltp_counters_test
