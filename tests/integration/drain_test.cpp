// SPDX-License-Identifier: Apache-2.0
// A node in drain mode: it sends its bundles and accepts no new ones, until drain mode ends.
#include <gtest/gtest.h>

#include "tests/support/link_traffic.hpp"
#include "tests/support/module_threads.hpp"

namespace farlink::test::drain_test {
namespace {

using Json = nlohmann::json;

class Drain : public testing::TestWithParam<const char *> {
protected:
    [[nodiscard]] static std::string url(std::uint16_t port) {
        return std::string(GetParam()) + "://127.0.0.1:" + std::to_string(port);
    }
    [[nodiscard]] bool until(const std::function<bool()> &done) { return bench.run_until(done); }
    [[nodiscard]] bool refuses() const { return std::string_view(GetParam()) != "stcp"; }
    void begin() {
        modules.emplace(bench, Json{{"myNodeId", 10},
                                    {"inductsConfig", {{{"url", url(0)}}}},
                                    {"outductsConfig",
                                     {{{"url", url(sink.port())},
                                       {"nextHopNodeId", 2},
                                       {"rateLimitBitsPerSec", 8'000'000}}}}});
        source.go_to(url(modules->port(0)));
        source.send(500);
        ASSERT_TRUE(until([&] { return arrivals.different > 50; }));
    }

    LinkBench bench;
    Arrivals arrivals;
    LinkSink sink{bench, GetParam(), 2, arrivals};
    LinkSource source{bench, 2, 1000};
    std::optional<ModuleThreads> modules;
};

INSTANTIATE_TEST_SUITE_P(Layers, Drain, testing::Values("tcpclv4", "tcpclv3", "stcp"));

TEST_P(Drain, BundlesOfTheNodeLeaveAndOthersAreAcceptedAfterwards) {
    begin();
    modules->send(bus::AgentId::kIngress, bus::DrainMode{true});
    if (refuses()) {
        // Bundles that were accepted before the command are acknowledged, and leave.
        ASSERT_TRUE(until([&] {
            if (source.done()) source.send(1);
            return source.refused() > 0;
        }));
        ASSERT_TRUE(until([&] { return arrivals.different >= source.handed_over(); }));
        const std::size_t taken = source.handed_over();
        bench.run_idle();
        EXPECT_EQ(arrivals.different, taken);
    }
    modules->send(bus::AgentId::kIngress, bus::DrainMode{false});
    source.send(200);
    EXPECT_TRUE(until([&] { return arrivals.different == source.made(); }))
        << arrivals.different << " of " << source.made();
    EXPECT_EQ(arrivals.foreign, 0U);
}

TEST_P(Drain, ADrainedNodeStops) {
    begin();
    modules->send(bus::AgentId::kIngress, bus::DrainMode{true});
    modules->stop();
}

}  // namespace
}  // namespace farlink::test::drain_test
