// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/compactor.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::compactor_test {
namespace {

using storage::StorageCounter;

/// Bundles for two nodes; every twentieth goes to node 30 and stays.
BundleSpec spec(std::uint64_t sequence) {
    BundleSpec one;
    one.sequence = sequence;
    one.arrival = sequence;
    one.payload_bytes = 300;
    one.destination_node = sequence % 20 == 0 ? 30 : 20;
    return one;
}

struct Compaction : ::testing::Test {
    Compaction() {
        options.segment_bytes = 16 * 1024;
        options.compaction_threshold_bytes = 64 * 1024;
    }
    void store_and_send(Rig &rig, std::uint64_t first, std::uint64_t last) const {
        rig.route({{kNode20, kLink20}, {kNode30, kLink30}});
        rig.link_up(kLink20, kNode20);
        for (std::uint64_t sequence = first; sequence <= last; sequence += 10) {
            std::vector<BundleSpec> some;
            for (std::uint64_t at = sequence; at < sequence + 10; ++at) {
                some.push_back(spec(at));
                some.back().critical = critical && some.back().destination_node == 30;
            }
            rig.store(some);
            rig.run_for(milliseconds(10));
        }
        rig.run_for(seconds(3));
    }
    static void expect_the_rest_in_order(Rig &rig, std::uint64_t last) {
        rig.released.clear();
        rig.routes_to_both();
        rig.link_up(kLink30, kNode30);
        rig.run_for(seconds(1));
        ASSERT_EQ(rig.released.size(), last / 20);
        for (std::uint64_t at = 0; at < last / 20; ++at) {
            EXPECT_EQ(rig.released[at].sequence, (at + 1) * 20);
            EXPECT_EQ(rig.released[at].octets, encode(spec((at + 1) * 20)));
        }
    }
    SimDirectory directory;
    RigOptions options;
    bool critical = false;  ///< what stays goes to every neighbour
};

TEST_F(Compaction, MostlyDeadFilesGo) {
    Rig rig(directory, options);
    store_and_send(rig, 1, 2000);
    // 100 bundles of about 450 octets live; without moving them 60 files would stay.
    EXPECT_EQ(rig.core().figures().held(), 100U);
    EXPECT_LE(rig.segments(), 11U);
    EXPECT_GT(rig.count(StorageCounter::kMoved), 50U);
    expect_the_rest_in_order(rig, 2000);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Compaction, APassMovesWhatLivesWhateverTheThresholdSays) {
    options.compaction_threshold_bytes = 0;
    Rig rig(directory, options);
    store_and_send(rig, 1, 2000);
    EXPECT_EQ(rig.core().figures().held(), 100U);
    const std::size_t before = rig.segments();
    EXPECT_GT(before, 30U);
    const auto publish = [&rig](bus::TaskVerb verb) {
        return rig.ask_task(bus::StoreTask::kCompact, verb);
    };
    EXPECT_EQ(publish(bus::TaskVerb::kShow).state, bus::TaskState::kNever);
    EXPECT_EQ(publish(bus::TaskVerb::kStart).state, bus::TaskState::kRunning);
    EXPECT_TRUE(publish(bus::TaskVerb::kStart).refused);
    rig.run_for(seconds(5));
    const bus::StoreTaskReply done = publish(bus::TaskVerb::kShow);
    EXPECT_EQ(done.state, bus::TaskState::kDone);
    EXPECT_LE(rig.segments(), 6U);
    EXPECT_GE(done.files, 30U);
    EXPECT_GT(done.bundles, 90U);
    EXPECT_GT(done.freed_bytes, 30U * 10'000);
    EXPECT_LT(done.freed_bytes, before * options.segment_bytes);
    EXPECT_EQ(rig.core().poll_ended_task()->files, done.files);
    EXPECT_FALSE(publish(bus::TaskVerb::kStart).refused);
    EXPECT_EQ(publish(bus::TaskVerb::kShow).state, bus::TaskState::kDone)
        << "nothing is left to do";
    EXPECT_EQ(publish(bus::TaskVerb::kShow).bundles, 0U);
    expect_the_rest_in_order(rig, 2000);
}

TEST_F(Compaction, APassIsCancelledBetweenFiles) {
    options.compaction_threshold_bytes = 0;
    Rig rig(directory, options);
    store_and_send(rig, 1, 2000);
    const auto publish = [&rig](bus::TaskVerb verb) {
        return rig.ask_task(bus::StoreTask::kCompact, verb);
    };
    EXPECT_TRUE(publish(bus::TaskVerb::kCancel).refused);
    publish(bus::TaskVerb::kStart);
    rig.run_for(milliseconds(20));
    const bus::StoreTaskReply cancelled = publish(bus::TaskVerb::kCancel);
    EXPECT_EQ(cancelled.state, bus::TaskState::kCancelled);
    rig.run_for(seconds(5));
    EXPECT_GT(rig.segments(), 20U);
    EXPECT_EQ(publish(bus::TaskVerb::kShow).bundles, cancelled.bundles);
    expect_the_rest_in_order(rig, 2000);
}

TEST_F(Compaction, WhatWasMovedSurvivesACrash) {
    {
        Rig rig(directory, options);
        store_and_send(rig, 1, 1000);
    }
    directory.crash(4);
    Rig rig(directory, options);
    expect_the_rest_in_order(rig, 1000);
}

TEST_F(Compaction, BundlesMayLeaveWhileTheyAreMoved) {
    for (int delay = 0; delay < 40; ++delay) {
        SimDirectory fresh;
        Rig rig(fresh, options);
        rig.route({{kNode20, kLink20}, {kNode30, kLink30}});
        store_and_send(rig, 1, 300);
        store_and_send(rig, 301, 400);
        rig.released.clear();
        rig.link_up(kLink30, kNode30);
        for (int step = 0; step < delay; ++step) rig.run_for(microseconds(150));
        rig.link_down(kLink30, kNode30);
        store_and_send(rig, 401, 600);
        rig.link_up(kLink30, kNode30);
        rig.run_for(seconds(12));
        std::uint64_t last = 0;
        for (const Released &bundle : rig.released) {
            if (bundle.link != kLink30) continue;
            EXPECT_EQ(bundle.sequence, last + 20) << delay;
            last = bundle.sequence;
        }
        EXPECT_EQ(last, 600U);
        EXPECT_EQ(rig.core().figures().held(), 0U);
    }
}

TEST_F(Compaction, CriticalBundlesAreMovedWhileTheyAreNotRead) {
    critical = true;
    Rig rig(directory, options);
    store_and_send(rig, 1, 2000);
    EXPECT_LE(rig.segments(), 11U);
    EXPECT_GT(rig.count(StorageCounter::kMoved), 50U);
    expect_the_rest_in_order(rig, 2000);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Compaction, CriticalBundlesMayLeaveWhileTheyAreMoved) {
    critical = true;
    for (int delay = 0; delay < 40; ++delay) {
        SimDirectory fresh;
        Rig rig(fresh, options);
        store_and_send(rig, 1, 400);
        rig.released.clear();
        rig.link_up(kLink30, kNode30);
        for (int step = 0; step < delay; ++step) rig.run_for(microseconds(150));
        rig.link_down(kLink30, kNode30);
        store_and_send(rig, 401, 600);
        rig.link_up(kLink30, kNode30);
        rig.run_for(seconds(12));
        EXPECT_EQ(std::ranges::count(rig.released, kLink30, &Released::link), 30) << delay;
        EXPECT_EQ(rig.core().figures().held(), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 0U);
    }
}

TEST_F(Compaction, AFailureLeavesEverythingWhereItIs) {
    std::uint64_t operations = 0;
    {
        SimDirectory fresh;
        Rig rig(fresh, options);
        store_and_send(rig, 1, 400);
        operations = fresh.faults().operations();
    }
    for (std::uint64_t at = 0; at < operations; at += 3) {
        SimDirectory fresh;
        Rig rig(fresh, options);
        fresh.faults().fail_at(at, storage::FileError::kIo);
        rig.route({{kNode20, kLink20}, {kNode30, kLink30}});
        store_and_send(rig, 1, 400);
        std::uint64_t stored = 0;
        for (std::uint64_t sequence = 20; sequence <= 400; sequence += 20)
            stored += rig.outcome(sequence) == Outcome::kStored ? 1 : 0;
        rig.released.clear();
        rig.link_up(kLink30, kNode30);
        rig.run_for(seconds(1));
        EXPECT_EQ(rig.released.size(), stored) << "operation " << at;
        EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 0U);
    }
}

TEST_F(Compaction, EndsWhenTheNodeEnds) {
    Rig rig(directory, options);
    store_and_send(rig, 1, 395);
    rig.drain();
    EXPECT_TRUE(rig.core().idle());
}

}  // namespace
}  // namespace farlink::test::compactor_test
