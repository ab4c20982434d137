// SPDX-License-Identifier: Apache-2.0
// A node's link counters equal the counts of the programs at the other ends.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/node_program.hpp"

namespace farlink::test::link_counters_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kBundles = 20'000;

/// The counters of a link that one module has reported; empty: it has reported none.
Json of_link(const NodeProgram &node, const std::string &module, int link) {
    if (node.counters().contains("links"))
        for (const Json &one : node.counters()["links"])
            if (one["module"] == module && one["link"] == link) return one;
    return Json::object();
}

std::uint64_t value(const Json &link, const char *counter) {
    return link.value(counter, std::uint64_t{0});
}

class LinkCounters : public testing::TestWithParam<const char *> {};

INSTANTIATE_TEST_SUITE_P(Layers, LinkCounters, testing::Values("stcp", "tcpclv4"));

TEST_P(LinkCounters, EqualTheCountsOfTheOtherEnds) {
    TempFolder folder;
    SinkProgram first(loopback_url(GetParam(), 0), {});
    SinkProgram second(loopback_url(GetParam(), 0), {});
    const Json config{
        {"myNodeId", 10},
        {"storageConfig", {{"storeFilePath", "store"}}},
        {"inductsConfig",
         {{{"url", loopback_url(GetParam(), 0)}}, {{"url", loopback_url(GetParam(), 0)}}}},
        {"outductsConfig",
         {{{"url", loopback_url(GetParam(), first.port())}, {"nextHopNodeId", 2}},
          {{"url", loopback_url(GetParam(), second.port())}, {"nextHopNodeId", 3}}}}};
    NodeProgram node(folder, config);
    const std::vector<std::string> some{"--bundle-size", "100", "--bundles",
                                        std::to_string(kBundles)};
    GeneratorProgram generator(loopback_url(GetParam(), node.port(1)), some);
    ASSERT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    const Json sent = generator.report();
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_forwarded") >= kBundles; }));
    node.stop();
    first.signal(SIGTERM);
    first.wait();
    const Json received = first.report();

    // Links are numbered in the order of the configuration.
    const Json idle_in = of_link(node, "ingress", 0);
    const Json in = of_link(node, "ingress", 1);
    const Json out = of_link(node, "egress", 2);
    const Json idle_out = of_link(node, "egress", 3);
    EXPECT_EQ(value(in, "received"), kBundles) << node.counters();
    EXPECT_EQ(value(in, "received"), sent["bundles"].get<std::uint64_t>()) << sent;
    EXPECT_EQ(value(in, "received_bytes"), node.value("ingress_received_bytes"));
    EXPECT_EQ(value(in, "sessions_opened"), 1U);
    EXPECT_EQ(value(in, "refused"), 0U);
    EXPECT_EQ(value(idle_in, "received"), 0U);
    EXPECT_EQ(value(out, "sent"), kBundles);
    EXPECT_EQ(value(out, "sent"), received["received"].get<std::uint64_t>()) << received;
    EXPECT_EQ(value(out, "sent_bytes"), node.value("egress_forwarded_bytes"));
    EXPECT_EQ(value(out, "queued"), 0U);
    EXPECT_EQ(value(out, "send_refused"), 0U);
    EXPECT_EQ(value(idle_out, "sent"), 0U);
}

}  // namespace
}  // namespace farlink::test::link_counters_test
