// SPDX-License-Identifier: Apache-2.0
// Signals to the first process of `--isolate`, and its exit code when it gets SIGTERM while one of
// its processes is dead.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "tests/support/crash_world.hpp"

namespace farlink::test::isolation_test {
namespace {

class Isolation : public testing::TestWithParam<const char *> {
protected:
    TempFolder store;
    CrashWorld world{store.path(), entropy_seed(), true, true};
};

// The process with the scheduler stops the others; without it each of them gets SIGTERM.
TEST_P(Isolation, EndsOnSigtermWhileAProcessIsDead) {
    world.start();
    ASSERT_TRUE(world.wait_ready()) << world.errors();
    const pid_t process = world.module(GetParam());
    ASSERT_NE(process, 0);
    ASSERT_EQ(::kill(process, SIGKILL), 0);
    ASSERT_TRUE(world.run_until(
        [&] { return world.errors().find("terminated by a signal: Killed") != std::string::npos; },
        std::chrono::seconds(10)));
    nlohmann::json counters;
    world.stop(counters);
}

TEST(IsolationSignals, TheFirstProcessConfirmsTheClockAndReloads) {
    const TempFolder store;
    CrashWorld world{store.path(), entropy_seed(), true, true};
    world.start();
    ASSERT_TRUE(world.wait_ready()) << world.errors();
    const auto logs = [&](const char *text) {
        return world.run_until([&] { return world.errors().find(text) != std::string::npos; },
                               std::chrono::seconds(10));
    };
    world.signal(SIGUSR1);
    EXPECT_TRUE(logs("clock confirmed by SIGUSR1")) << world.errors();
    world.signal(SIGHUP);
    EXPECT_TRUE(logs("by SIGHUP")) << world.errors();
    nlohmann::json counters;
    world.stop(counters);
}

// As without `--isolate`: the counters of such a start mean nothing.
TEST(IsolationStart, ANodeThatCannotListenPrintsNoLedger) {
    const TempFolder folder;
    const auto config = [](std::uint16_t port, const char *store) {
        return nlohmann::json{
            {"myNodeId", 10},
            {"stateFolder", std::string(store) + "/state"},
            {"storageConfig", {{"storeFilePath", std::string(store) + "/store"}}},
            {"inductsConfig", nlohmann::json::array({{{"url", loopback_url("stcp", port)}}})}};
    };
    NodeProgram other(folder, config(0, "other"), "other.json");
    folder.write("node.json", config(other.port(), "store").dump());
    ChildProcess node({program("farlink"), "--config", folder / "node.json", "--isolate"});
    EXPECT_EQ(node.wait(), 1);
    const std::string &said = node.unread(ChildProcess::kErr);
    EXPECT_NE(said.find("cannot listen on stcp://"), std::string::npos) << said;
    EXPECT_EQ(said.find("balanced"), std::string::npos) << said;
    EXPECT_EQ(said.find("ready: node"), std::string::npos) << said;
    other.stop();
}

// The processes end one after the other, each seen by telemetry, whose events outlast the node.
TEST(IsolationStop, LeavesNoEventOfALostModule) {
    const TempFolder folder;
    const nlohmann::json config{
        {"myNodeId", 10},
        {"stateFolder", "state"},
        {"controlSocket", "node.sock"},
        {"storageConfig", {{"storeFilePath", "store"}}},
        {"inductsConfig", nlohmann::json::array({{{"url", loopback_url("stcp", 0)}}})},
        {"outductsConfig",
         nlohmann::json::array({{{"url", loopback_url("udp", 9)}, {"nextHopNodeId", 20}}})}};
    folder.write("node.json", config.dump());
    ChildProcess node({program("farlink"), "--config", folder / "node.json", "--isolate"});
    for (std::string line = node.line(ChildProcess::kErr); !line.contains("ready: node");
         line = node.line(ChildProcess::kErr))
        ASSERT_FALSE(line.empty()) << "not ready";
    const auto is_up = [&folder] {
        ChildProcess events({program("farlinkctl"), "--socket", folder / "node.sock", "events"});
        return events.wait() == 0 &&
               events.unread(ChildProcess::kOut).find("is up") != std::string::npos;
    };
    const TimePoint limit = monotonic_now() + seconds(20);
    while (!is_up()) ASSERT_LT(monotonic_now(), limit);
    node.signal(SIGTERM);
    EXPECT_EQ(node.wait(), 0) << node.unread(ChildProcess::kErr);
    std::string events;
    for (const auto &entry : std::filesystem::directory_iterator(folder / "state/history")) {
        if (!entry.path().filename().string().starts_with("events")) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        events.append(std::istreambuf_iterator<char>(file), {});
    }
    EXPECT_NE(events.find("is up"), std::string::npos) << events;
    EXPECT_EQ(events.find("has ended or is not reachable"), std::string::npos) << events;
}

INSTANTIATE_TEST_SUITE_P(Processes, Isolation,
                         testing::Values("ingress", "egress", "storage", "scheduler", "router",
                                         "telemetry"),
                         [](const auto &module) { return std::string(module.param); });

}  // namespace
}  // namespace farlink::test::isolation_test
