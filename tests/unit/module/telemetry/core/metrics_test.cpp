// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/metrics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <sstream>

#include "module/telemetry/core/text/metrics_writer.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry {
namespace {

TEST(Metrics, EachFamilyIsToldOnceAndNamedByItsKind) {
    ApiFixture node;
    LinkCounters link;
    link.increment(LinkCounter::kSent);
    node.publish(bus::LinkReport{bus::AgentId::kEgress, LinkId{1}, {'p', '"'}, link.snapshot()});
    std::istringstream lines(node.view.metrics());
    std::set<std::string> published;
    std::string family;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# TYPE ")) {
            const std::size_t space = line.rfind(' ');
            family = line.substr(7, space - 7);
            EXPECT_TRUE(published.insert(family).second) << family;
            EXPECT_EQ(line.substr(space + 1) == "counter", family.ends_with("_total")) << line;
        } else if (!line.starts_with("# HELP ")) {
            EXPECT_TRUE(line.starts_with(family)) << line;
        }
    }
    for (const char *name :
         {"farlink_ingress_received_bundles_total", "farlink_ingress_received_bytes_total",
          "farlink_ingress_deleted_bundles_total", "farlink_ingress_malformed_bundles_total",
          "farlink_storage_written_bundles_total", "farlink_storage_stored_now_bundles",
          "farlink_link_sent_bytes_total", "farlink_link_up", "farlink_ready"})
        EXPECT_TRUE(published.contains(name)) << name;
    EXPECT_NE(node.view.metrics().find(R"(peer="p\"")"), std::string::npos);
}

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
                  "# HELP farlink_old_total Deprecated: now farlink_new_total. Written until "
                  "version 0.2.\n"
                  "# TYPE farlink_old_total counter\n"
                  "farlink_old_total{link=\"1\"} 3\n"
                  "farlink_old_total 4\n"
                  "# HELP farlink_slow_old Deprecated: now farlink_slow. Written until version "
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
}  // namespace farlink::telemetry
