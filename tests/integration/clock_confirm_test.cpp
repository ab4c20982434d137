// SPDX-License-Identifier: Apache-2.0
// A node whose clock is behind its own store: no bundle expires until an operator confirms the
// clock.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/runtime/clock.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/store_writer.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test::clock_confirm_test {
namespace {

/// A bundle that expired long ago, with a reception time at this offset from the clock of this
/// machine.
void store_one(const std::string &path, std::uint64_t from_now_ms) {
    RecordHead head;
    head.arrival = 1;
    head.received = read_wall_clock().dtn_ms + from_now_ms;
    head.expiry = kStart;  // long ago
    head.identity = {1, 1};
    StoreWriter writer(path);
    writer.append(head, TestBundle());
    writer.sync();
}

TEST(ClockConfirm, AnOperatorsSignalLetsBundlesExpireAgain) {
    const TempFolder folder;
    constexpr std::uint64_t kHourMs = 3'600'000;
    store_one(folder / "store", kHourMs);
    NodeProgram node(folder, {{"myNodeId", 10},
                              {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
                              {"storageConfig", {{"storeFilePath", "store"}}}});
    const auto suspended = [&node] {
        return node.value("storage_expiry_suspended") + node.value("ingress_expiry_suspended") +
               node.value("egress_expiry_suspended");
    };
    EXPECT_TRUE(node.wait_until([&] { return suspended() == 3; }));
    EXPECT_EQ(node.value("storage_stored_now"), 1U);
    const auto logged = [&node](const char *text) {
        return node.unread(ChildProcess::kErr).find(text) != std::string::npos;
    };
    EXPECT_TRUE(
        node.wait_until([&] { return logged("error alarms: alarm clock-suspended raised"); }));
    node.signal(SIGUSR1);
    EXPECT_TRUE(node.wait_until([&] { return suspended() == 0; }));
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_expired") == 1; }));
    EXPECT_TRUE(
        node.wait_until([&] { return logged("info alarms: alarm clock-suspended ended"); }));
    node.stop();
    EXPECT_NE(node.unread(ChildProcess::kErr).find("the wall clock is not set, or behind"),
              std::string::npos);
    EXPECT_NE(node.unread(ChildProcess::kErr).find("the wall clock is trusted again"),
              std::string::npos);
}

/// A store that was last in use at this time.
void age_store(const std::string &path, std::int64_t seconds) {
    for (const auto &entry : std::filesystem::directory_iterator(path)) {
        const auto then = static_cast<std::int64_t>(unix_nanoseconds() / 1'000'000'000) - seconds;
        const timespec times[2] = {{.tv_sec = then, .tv_nsec = 0}, {.tv_sec = then, .tv_nsec = 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, entry.path().c_str(), times, 0), 0);
    }
}

TEST(ClockConfirm, AClockStepWhileTheNodeIsOffDeletesNoBundle) {
    const TempFolder folder;
    store_one(folder / "store", 0);
    age_store(folder / "store", 40LL * 24 * 3600);
    NodeProgram node(folder, {{"myNodeId", 10},
                              {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
                              {"storageConfig", {{"storeFilePath", "store"}}}});
    EXPECT_TRUE(node.wait_until([&] {
        return node.value("storage_expiry_suspended") + node.value("ingress_expiry_suspended") +
                   node.value("egress_expiry_suspended") ==
               3;
    }));
    EXPECT_EQ(node.value("storage_stored_now"), 1U);
    node.signal(SIGUSR1);
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_expired") == 1; }));
    node.stop();
    std::ifstream audit(folder / "farlink-state-10/audit.jsonl");
    std::string line;
    std::getline(audit, line);
    EXPECT_NE(line.find(R"("who":"SIGUSR1","change":"clock confirm","outcome":"done")"),
              std::string::npos)
        << line;
    EXPECT_NE(node.unread(ChildProcess::kErr)
                  .find("off for 40 days according to the wall clock, which is implausible: "
                        "1 of 1 stored bundles would expire"),
              std::string::npos)
        << node.unread(ChildProcess::kErr);
}

}  // namespace
}  // namespace farlink::test::clock_confirm_test
