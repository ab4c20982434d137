// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/store_verifier.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::store_verifier_test {
namespace {

using bus::StoreTask;
using bus::StoreTaskReply;
using bus::TaskState;
using bus::TaskVerb;
using storage::StoreVerifier;

constexpr std::uint64_t kFast = 1ULL << 40;  ///< octets a second

class StoreVerifierTest : public ::testing::Test {
protected:
    void begin(std::uint64_t bundles, RigOptions options = {}) {
        options.segment_bytes = 1 << 20;
        rig.emplace(std::vector{&one, &two}, options);
        for (std::uint64_t first = 1; first <= bundles; first += 1000)
            rig->store(bundles_numbered(first, std::min(bundles, first + 999)));
        rig->run_for(seconds(1));
    }
    StoreTaskReply publish(TaskVerb verb, std::uint64_t rate = kFast) {
        return rig->ask_task(StoreTask::kVerify, verb, rate);
    }
    StoreTaskReply verify() {
        EXPECT_EQ(publish(TaskVerb::kStart).state, TaskState::kRunning);
        rig->run_for(seconds(20));
        return publish(TaskVerb::kShow);
    }
    /// Spoils an octet of each file, behind so many.
    static void spoil(SimDirectory &directory, std::size_t at) {
        for (const FileNumber file : directory.files()) {
            Bytes &content = directory.content(file);
            if (content.size() > at) content[at] ^= 1;
        }
    }

    SimDirectory one;
    SimDirectory two;
    std::optional<Rig> rig;
};

TEST_F(StoreVerifierTest, ItHasNeverRunAtFirst) {
    begin(0);
    EXPECT_EQ(publish(TaskVerb::kShow).state, TaskState::kNever);
    EXPECT_TRUE(publish(TaskVerb::kCancel).refused);
    const StoreTaskReply done = verify();
    EXPECT_EQ(done.state, TaskState::kDone);
    EXPECT_EQ(done.bundles, 0U);
    EXPECT_EQ(done.damaged, 0U);
}

TEST_F(StoreVerifierTest, EveryRecordOfAllDisksIsRead) {
    begin(5000);
    const StoreTaskReply done = verify();
    EXPECT_EQ(done.state, TaskState::kDone);
    EXPECT_EQ(done.bundles, 5000U);
    EXPECT_EQ(done.bundles_in_all, 5000U);
    EXPECT_EQ(done.bytes, done.bytes_in_all);
    EXPECT_EQ(done.damaged, 0U);
    EXPECT_GE(done.ended, done.started);
    EXPECT_EQ(rig->core().poll_ended_task()->bundles, 5000U);
    EXPECT_FALSE(rig->core().poll_ended_task());
}

TEST_F(StoreVerifierTest, FilesThatWereLostBeforeTheStartAreNamed) {
    begin(10);
    const std::vector<bus::LostFile> lost(150, bus::LostFile{.disk = 1, .file = 7, .records = 3});
    rig->core().handle_disk_opened(1, 2, false, lost);
    EXPECT_TRUE(publish(TaskVerb::kShow).lost_files.empty()) << "not verified yet";
    const StoreTaskReply done = verify();
    EXPECT_EQ(done.damaged, 0U);
    ASSERT_EQ(done.lost_files.size(), 100U) << "the first of them";
    EXPECT_EQ(done.lost_files[0].file, 7U);
}

TEST_F(StoreVerifierTest, WhatIsDamagedIsNamedAndStays) {
    begin(100);
    spoil(one, storage::kDataStart + kRecordHeaderBytes + 30);
    const StoreTaskReply done = verify();
    EXPECT_EQ(done.bundles, 100U);
    ASSERT_EQ(done.damaged, 1U);
    ASSERT_EQ(done.damages.size(), 1U);
    EXPECT_EQ(done.damages[0].disk, 0);
    EXPECT_EQ(done.damages[0].record >> 32, 1U);
    EXPECT_FALSE(done.damages[0].io_error);
    EXPECT_NE(done.damages[0].bundle, 0U);
    EXPECT_EQ(rig->core().figures().held(), 100U);
    EXPECT_EQ(rig->count(storage::StorageCounter::kDeletedUnreadable), 0U)
        << "it is quarantined when it is to be sent";
}

TEST_F(StoreVerifierTest, ADiskThatDoesNotReadIsNamed) {
    begin(40);
    for (SimDirectory *directory : {&one, &two}) directory->faults().set_removed(true);
    const StoreTaskReply done = verify();
    EXPECT_EQ(done.bundles, 40U);
    EXPECT_EQ(done.damaged, 40U);
    ASSERT_EQ(done.damages.size(), 40U);
    EXPECT_TRUE(done.damages[0].io_error);
    for (SimDirectory *directory : {&one, &two}) directory->faults().set_removed(false);
    EXPECT_EQ(verify().damaged, 0U) << "each run begins anew";
}

TEST_F(StoreVerifierTest, LargeRecordsAreReadInStretches) {
    begin(0);
    BundleSpec large = bundle_numbered(7);
    large.payload_bytes = 5 * StoreVerifier::kReadBytes / 2;
    rig->store({large, bundle_numbered(8)});
    rig->run_for(seconds(1));
    StoreTaskReply done = verify();
    EXPECT_EQ(done.bundles, 2U);
    EXPECT_EQ(done.bytes, done.bytes_in_all);
    EXPECT_EQ(done.damaged, 0U);
    for (SimDirectory *directory : {&one, &two}) spoil(*directory, 600'000);
    done = verify();
    EXPECT_EQ(done.bundles, 2U);
    EXPECT_EQ(done.damaged, 1U);
}

TEST_F(StoreVerifierTest, StripesCountAsOneBundle) {
    RigOptions options;
    options.stripe_above_bytes = 10'000;
    begin(0, options);
    for (const std::uint64_t bytes : {20'003ULL, 1'500'000ULL}) {
        BundleSpec spec = bundle_numbered(bytes);
        spec.payload_bytes = bytes;
        rig->store({spec});
    }
    rig->run_for(seconds(1));
    StoreTaskReply done = verify();
    EXPECT_EQ(done.bundles, 2U);
    EXPECT_EQ(done.bytes, done.bytes_in_all);
    EXPECT_EQ(done.damaged, 0U);
    spoil(two, storage::kDataStart + 4000);
    EXPECT_EQ(verify().damaged, 1U);
}

TEST_F(StoreVerifierTest, PiecesCountAsOneBundleOnceAllAreHere) {
    begin(1);
    const Bytes whole = encode(spooled_spec(2));
    const std::size_t last = piece_count(whole) - 1;
    store_pieces(*rig, whole, 1, 0, last);
    StoreTaskReply done = verify();
    EXPECT_EQ(done.bundles, 1U);
    EXPECT_EQ(done.bundles_in_all, 1U);
    EXPECT_EQ(done.bytes, done.bytes_in_all);
    store_pieces(*rig, whole, 1, last, last + 1);
    done = verify();
    EXPECT_EQ(done.bundles, 2U);
    EXPECT_EQ(done.bundles_in_all, 2U);
    EXPECT_EQ(done.bytes, done.bytes_in_all);
    EXPECT_EQ(done.damaged, 0U);
}

TEST_F(StoreVerifierTest, TheRateIsKept) {
    begin(1000);
    constexpr std::uint64_t kRate = 100 * StoreVerifier::kLeastBytes;
    EXPECT_EQ(publish(TaskVerb::kStart, kRate).rate_bytes_per_s, kRate);
    rig->run_for(seconds(4));
    const StoreTaskReply later = publish(TaskVerb::kShow);
    EXPECT_EQ(later.state, TaskState::kRunning);
    EXPECT_NEAR(static_cast<double>(later.bundles), 400, StoreVerifier::kReadRecords + 1);
    EXPECT_TRUE(publish(TaskVerb::kStart).refused) << "one at a time";
    rig->run_for(seconds(7));
    EXPECT_EQ(publish(TaskVerb::kShow).bundles, 1000U);
}

TEST_F(StoreVerifierTest, ItIsCancelledAndBegunAnew) {
    begin(1000);
    publish(TaskVerb::kStart, 100 * StoreVerifier::kLeastBytes);
    rig->run_for(seconds(2));
    const StoreTaskReply cancelled = publish(TaskVerb::kCancel);
    EXPECT_FALSE(cancelled.refused);
    EXPECT_EQ(cancelled.state, TaskState::kCancelled);
    EXPECT_EQ(rig->core().poll_ended_task()->state, TaskState::kCancelled);
    rig->run_for(seconds(20));
    EXPECT_EQ(publish(TaskVerb::kShow).bundles, cancelled.bundles);
    EXPECT_EQ(verify().bundles, 1000U);
}

TEST_F(StoreVerifierTest, AReadThatComesBackAfterTheCancellationIsOfNobody) {
    begin(10);
    rig->core().handle(
        bus::StoreTaskRequest{bus::RequestId{1}, StoreTask::kVerify, TaskVerb::kStart, kFast},
        rig->now);
    rig->core().handle_timeout(rig->now);
    DiskIndex disk = 0;
    DiskRequestPtr read = rig->core().poll_disk_request(disk, rig->now);
    if (read == nullptr) read = rig->core().poll_disk_request(++disk, rig->now);
    ASSERT_NE(read, nullptr);
    ASSERT_EQ(read->tag, StoreVerifier::kTag);
    EXPECT_EQ(publish(TaskVerb::kCancel).bundles, 0U);
    EXPECT_EQ(publish(TaskVerb::kStart).state, TaskState::kRunning);
    rig->run_for(seconds(1));
    EXPECT_EQ(publish(TaskVerb::kShow).state, TaskState::kRunning) << "one read at a time";
    rig->core().handle(disk, std::move(read), rig->now);
    rig->run_for(seconds(1));
    const StoreTaskReply done = publish(TaskVerb::kShow);
    EXPECT_EQ(done.state, TaskState::kDone);
    EXPECT_EQ(done.bundles, 10U);
    EXPECT_EQ(done.damaged, 0U);
}

TEST_F(StoreVerifierTest, BundlesComeAndGoMeanwhile) {
    begin(2000);
    rig->routes_to_both();
    publish(TaskVerb::kStart, 1000 * StoreVerifier::kLeastBytes);
    rig->run_for(milliseconds(500));
    rig->link_up(kLink20, kNode20);
    rig->run_for(milliseconds(100));
    EXPECT_EQ(rig->core().figures().held(), 0U);
    rig->store(bundles_numbered(5001, 5010));
    rig->run_for(seconds(5));
    const StoreTaskReply done = publish(TaskVerb::kShow);
    EXPECT_EQ(done.state, TaskState::kDone);
    EXPECT_EQ(done.damaged, 0U);
    EXPECT_LT(done.bundles, 1000U);
    EXPECT_GT(done.bundles, 400U);
}

TEST_F(StoreVerifierTest, ItDoesNotKeepTheStoreFromEnding) {
    begin(1000);
    publish(TaskVerb::kStart, StoreVerifier::kLeastBytes);
    rig->run_for(milliseconds(50));
    rig->drain();
    EXPECT_TRUE(rig->core().idle());
}

}  // namespace
}  // namespace farlink::test::store_verifier_test
