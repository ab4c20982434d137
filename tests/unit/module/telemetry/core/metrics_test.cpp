// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/metrics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::metrics_test {
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

}  // namespace
}  // namespace farlink::telemetry::metrics_test
