// SPDX-License-Identifier: Apache-2.0
// A node whose modules are processes of their own, under load: one after the other is killed, or
// stopped for a while. Bundles flow again soon, and every bundle that was acknowledged to its
// sender is delivered in the end. FARLINK_SEED repeats a run as far as timing allows,
// FARLINK_ROUNDS sets the number of kills of each; without it, most next hops stop two modules.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/runtime/entropy.hpp"
#include "tests/support/crash_world.hpp"

namespace farlink::test::survival_test {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFlowsAgainWithin = kSanitized ? 30s : 3s;

std::uint64_t number_of(const char *variable, std::uint64_t otherwise) {
    const char *text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Survival : public testing::TestWithParam<const char *> {
protected:
    Survival() {
        std::cout << "survival: FARLINK_SEED=" << seed << '\n' << std::flush;
        world.start();
        world.near().come();
        EXPECT_TRUE(world.wait_ready()) << world.errors();
    }
    [[nodiscard]] Random &random() { return world.random(); }

    /// Waits until the process exists.
    pid_t process_of(const std::string &module) {
        pid_t pid = 0;
        EXPECT_TRUE(world.run_until([&] { return (pid = world.module(module)) != 0; }, 10s))
            << module << ": " << world.errors();
        return pid;
    }
    /// Senders get acknowledgements and the sink gets bundles.
    void expect_flow(const std::string &after) {
        const TimePoint begin = monotonic_now();
        const std::uint64_t acknowledged = world.book().acknowledged();
        const std::uint64_t delivered = world.book().delivered();
        EXPECT_TRUE(world.run_until(
            [&] {
                return world.book().acknowledged() > acknowledged + 50 &&
                       world.book().delivered() > delivered + 50;
            },
            kFlowsAgainWithin))
            << after << ": " << world.book().acknowledged() - acknowledged << " acknowledged, "
            << world.book().delivered() - delivered << " delivered\n"
            << world.errors();
        longest = std::max(longest, monotonic_now() - begin);
    }
    void finish() {
        world.set_making(false);
        world.near().come();
        world.far().come();
        const bool quiet = world.run_until(
            [this] { return world.all_acknowledged() && world.book().waiting() == 0; }, 60s);
        EXPECT_TRUE(quiet) << world.book().waiting()
                           << " acknowledged bundles are lost:" << world.book().missing() << "\n"
                           << world.errors();
        nlohmann::json counters;
        world.stop(counters);
        const CrashBook &book = world.book();
        EXPECT_EQ(book.faults(), "");
        EXPECT_EQ(book.acknowledged(), book.made());
        std::cout << "survival: " << book.made() << " bundles, " << book.delivered()
                  << " delivered, " << book.repeats() << " repeats; flowed again after at most "
                  << std::chrono::duration_cast<milliseconds>(longest).count() << " ms\n"
                  << std::flush;
    }

    std::uint64_t seed = number_of("FARLINK_SEED", entropy_seed());
    TempFolder store;
    [[nodiscard]] static std::string hop() { return GetParam(); }
    [[nodiscard]] static std::size_t instances() { return hop() == "pairs" ? 2 : 1; }
    [[nodiscard]] static std::vector<const char *> modules() {
        std::vector<const char *> all{"ingress",   "egress", "storage",
                                      "scheduler", "router", "telemetry"};
        if (instances() > 1) all.insert(all.end(), {"ingress2", "egress2"});
        return all;
    }
    [[nodiscard]] std::vector<const char *> stopped_modules() {
        std::vector<const char *> all = modules();
        if (hop() == "tcpclv4" || std::getenv("FARLINK_ROUNDS") != nullptr) return all;
        const std::size_t first = random().below(all.size());
        return {all[first], all[(first + 1) % all.size()]};
    }
    CrashWorld world{store.path(), seed, hop() != "stcp", true, instances()};
    Duration longest{};
};

/// "pairs": two instances of ingress and of egress, and next hops by TCPCLv4.
INSTANTIATE_TEST_SUITE_P(NextHops, Survival, testing::Values("tcpclv4", "stcp", "pairs"),
                         [](const auto &hop) { return std::string(hop.param); });

TEST_P(Survival, OfModulesThatAreKilled) {
    const std::uint64_t rounds = number_of("FARLINK_ROUNDS", hop() == "tcpclv4" ? 3 : 1);
    for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
        for (const char *module : modules()) {
            world.run_for(milliseconds(20 + random().below(200)));
            ASSERT_EQ(::kill(process_of(module), SIGKILL), 0);
            expect_flow(module);
        }
    }
    finish();
}

// The next hop disconnects and reconnects, so that bundles are stored and released.
TEST_P(Survival, OfModulesThatAreKilledWhileALinkGoesDownAndUp) {
    const std::uint64_t rounds = number_of("FARLINK_ROUNDS", 1);
    for (std::uint64_t kill = 0; kill < 6 * rounds && !HasFailure(); ++kill) {
        static constexpr std::array kModules{"ingress", "egress", "storage", "ingress2", "egress2"};
        world.near().go();
        world.run_for(milliseconds(20 + random().below(100)));
        if (random().chance(1, 2)) world.near().come();
        world.run_for(milliseconds(random().below(60)));
        ASSERT_EQ(::kill(process_of(kModules[random().below(instances() > 1 ? 5 : 3)]), SIGKILL),
                  0);
        world.run_for(milliseconds(random().below(100)));
        world.near().come();
        expect_flow("kill " + std::to_string(kill));
    }
    finish();
}

// Bundles that need the stopped module wait; none is lost, and the node recovers by itself.
TEST_P(Survival, OfModulesThatAreStoppedForAWhile) {
    for (const char *module : stopped_modules()) {
        const pid_t process = process_of(module);
        ASSERT_EQ(::kill(process, SIGSTOP), 0);
        world.run_for(milliseconds(200 + random().below(1000)));
        ASSERT_EQ(::kill(process, SIGCONT), 0);
        expect_flow(module);
    }
    finish();
}

}  // namespace
}  // namespace farlink::test::survival_test
