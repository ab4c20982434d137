// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/ltp_counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cla/ltp/ltp_counts.hpp"

namespace farlink::telemetry {
namespace {

TEST(LtpCounters, AreInTheOrderInWhichTheEngineCounts) {
    EXPECT_TRUE(std::ranges::equal(kLtpCounterNames, cla::ltp::ltp_count_names()));
}

TEST(LtpCounters, HaveUniqueNamesAndMetricsByKind) {
    std::set<std::string_view> names;
    for (const LtpCounterInfo &counter : kLtpCounters) {
        EXPECT_TRUE(names.insert(counter.json).second) << counter.json;
        EXPECT_TRUE(counter.metric.starts_with("link_ltp_")) << counter.metric;
        EXPECT_NE(counter.metric.ends_with("_total"), counter.gauge) << counter.metric;
    }
}

}  // namespace
}  // namespace farlink::telemetry
