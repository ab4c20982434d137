// SPDX-License-Identifier: Apache-2.0
// A node whose clock is behind its own store: nothing expires until an operator confirms it.
#include <gtest/gtest.h>

#include "common/runtime/clock.hpp"
#include "module/storage/core/endpoint_label.hpp"
#include "module/storage/store/log_disk.hpp"
#include "module/storage/store/posix_directory.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {
namespace {

/// A bundle that was received an hour from now, by the clock of this machine.
void store_from_the_future(const std::string &path) {
    storage::PosixDirectory directory(path);
    storage::LogOptions options;
    options.node = NodeNumber{10};
    storage::LogDisk disk(directory, options);
    ASSERT_TRUE(disk.open([](const RestoredRecord &) {}));
    const TestBundle bundle;
    const Bytes octets = bundle.octets();
    const ByteView slice(octets);
    Bytes label;
    storage::encode_label(bundle.to, label);
    constexpr std::uint64_t kHourMs = 3'600'000;
    DiskRequest append;
    append.verb = DiskVerb::kAppend;
    DiskRecord &record = append.records.emplace_back();
    record.head.arrival = 1;
    record.head.received = read_wall_clock().dtn_ms + kHourMs;
    record.head.expiry = kStart;  // long ago
    record.head.identity = {1, 1};
    record.head.size = octets.size();
    record.label = label;
    record.slices = {&slice, 1};
    disk.execute(append);
    DiskRequest sync;
    sync.verb = DiskVerb::kSync;
    disk.execute(sync);
    ASSERT_EQ(sync.status, DiskStatus::kOk);
}

TEST(ClockConfirm, AnOperatorsSignalLetsBundlesExpireAgain) {
    const TempFolder folder;
    store_from_the_future(folder / "store");
    NodeProgram node(folder, {{"myNodeId", 10},
                              {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
                              {"storageConfig", {{"storeFilePath", "store"}}}});
    const auto suspended = [&node] {
        return node.value("storage_expiry_suspended") + node.value("ingress_expiry_suspended") +
               node.value("egress_expiry_suspended");
    };
    EXPECT_TRUE(node.wait_until([&] { return suspended() == 3; }));
    EXPECT_EQ(node.value("storage_stored_now"), 1U);
    node.signal(SIGUSR1);
    EXPECT_TRUE(node.wait_until([&] { return suspended() == 0; }));
    EXPECT_TRUE(node.wait_until([&] { return node.value("storage_expired") == 1; }));
    node.stop();
    EXPECT_NE(node.unread(ChildProcess::kErr).find("the clock is not set, or behind"),
              std::string::npos);
    EXPECT_NE(node.unread(ChildProcess::kErr).find("the clock is trusted again"),
              std::string::npos);
}

}  // namespace
}  // namespace farlink::test
