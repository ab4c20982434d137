// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/text/metrics_writer.hpp"

#include <gtest/gtest.h>

#include <span>

namespace farlink::telemetry::metrics_writer_test {
namespace {

TEST(MetricsWriter, AFamilyWithAnotherNameIsWrittenUnderBoth) {
    constexpr RenamedMetric kRenamed[] = {{"farlink_old_total", "farlink_new_total", "0.2"},
                                          {"farlink_slow_old", "farlink_slow", "0.2"}};
    const auto write = [](MetricsWriter to) {
        to.family("farlink_new_total", MetricKind::kCounter, "What is counted.");
        to.sample(label("link", "1"), std::uint64_t{3});
        to.sample({}, std::uint64_t{4});
        to.family("farlink_new_total_too", MetricKind::kGauge, "Another.");
        to.sample({}, std::uint64_t{5});
        to.family("farlink_slow", MetricKind::kSummary, "A summary.");
        to.part("_count", {}, 6);
        return to.take();
    };
    const std::string plain = write(MetricsWriter(std::span<const RenamedMetric>()));
    EXPECT_EQ(write(MetricsWriter(kRenamed)),
              plain +
                  "# HELP farlink_old_total Deprecated: now farlink_new_total. Provided until "
                  "version 0.2.\n"
                  "# TYPE farlink_old_total counter\n"
                  "farlink_old_total{link=\"1\"} 3\n"
                  "farlink_old_total 4\n"
                  "# HELP farlink_slow_old Deprecated: now farlink_slow. Provided until version "
                  "0.2.\n"
                  "# TYPE farlink_slow_old summary\n"
                  "farlink_slow_old_count 6\n");
    EXPECT_NE(plain.find("farlink_slow_count 6\n"), std::string::npos);
    EXPECT_EQ(plain.find("old"), std::string::npos);
}

TEST(MetricsWriter, LabelsAreEscaped) {
    EXPECT_EQ(label("a", "b\\c\"d\ne"), R"(a="b\\c\"d\ne")");
    EXPECT_EQ(label("a", "\xff"), "a=\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace farlink::telemetry::metrics_writer_test
