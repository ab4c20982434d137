// SPDX-License-Identifier: Apache-2.0
// A node with two neighbours that both lead to a third node: critical bundles leave by both, one
// record waits for the neighbour that is not connected yet, and every copy is in the ledger.
#include <gtest/gtest.h>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::critical_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kBundles = 500;

Json contact(int source, int destination) {
    return {{"contact", source * 10 + destination},
            {"source", source},
            {"dest", destination},
            {"startTime", 0},
            {"endTime", 3600},
            {"rateBitsPerSec", 1'000'000'000},
            {"owlt", 0}};
}

Json outduct(std::uint16_t port, int neighbour) {
    return {{"url", loopback_url("stcp", port)},
            {"nextHopNodeId", neighbour},
            {"reconnectMinMilliseconds", 10},
            {"reconnectMaxMilliseconds", 100}};
}

/// How bundles become critical.
struct Marked {
    std::vector<std::string> generator;
    Json routing;
};

class CriticalNode : public testing::TestWithParam<int> {
protected:
    [[nodiscard]] static Marked marked() {
        if (GetParam() == 6) return {{"--bp-version", "6", "--critical"}, Json::object()};
        const Json policy{{"destination", "ipn:2.*"}, {"critical", true}};
        return {{"--bp-version", "7"}, {{"policies", Json::array({policy})}}};
    }
};

TEST_P(CriticalNode, SendsThemByBothOfItsLinks) {
    const TempFolder folder;
    folder.write(
        "plan.json",
        Json{{"contacts", {contact(10, 3), contact(10, 4), contact(3, 2), contact(4, 2)}}}.dump());
    const ReservedPort second_port;
    const std::vector<std::string> all{"--bundles", std::to_string(kBundles)};
    SinkProgram first(loopback_url("stcp", 0), all);
    const Json config{
        {"myNodeId", 10},
        {"contactPlanFile", "plan.json"},
        {"routing", marked().routing},
        {"inductsConfig", {{{"url", loopback_url("tcpclv4", 0)}}}},
        {"outductsConfig", {outduct(first.port(), 3), outduct(second_port.number(), 4)}},
        {"storageConfig", {{"storeFilePath", "store"}}}};
    NodeProgram node(folder, config);
    GeneratorProgram generator(loopback_url("tcpclv4", node.port()),
                               joined(marked().generator, joined(all, {"--bundle-size", "400"})));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(generator.report()["acknowledgedBundles"], kBundles);
    EXPECT_EQ(first.wait(), 0) << first.unread(ChildProcess::kErr);
    EXPECT_EQ(first.report()["received"], kBundles);

    SinkProgram second(loopback_url("stcp", second_port.number()), all);
    EXPECT_EQ(second.wait(), 0) << second.unread(ChildProcess::kErr);
    EXPECT_EQ(second.report()["received"], kBundles);
    node.stop();
    EXPECT_EQ(node.value("storage_critical_sent"), 2 * kBundles);
    EXPECT_EQ(node.value("storage_critical_released"), kBundles);
    EXPECT_EQ(node.value("storage_stored_total"), kBundles) << "one record each";
    EXPECT_EQ(node.value("storage_stored_now"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Versions, CriticalNode, testing::Values(6, 7));

}  // namespace
}  // namespace farlink::test::critical_test
