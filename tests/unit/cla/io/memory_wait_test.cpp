// SPDX-License-Identifier: Apache-2.0
#include "cla/io/memory_wait.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::memory_wait_test {
namespace {

class MemoryWaitTest : public testing::Test {
protected:
    MemoryWaitTest() { bench.drive_clock(); }
    void start() {
        wait->start([this] { ++calls; });
    }
    void run(Duration length) {
        const TimePoint end = monotonic_now() + length;
        ASSERT_TRUE(bench.run_until([&] { return monotonic_now() >= end; }));
    }

    test::LinkBench bench;
    Owned<MemoryWait> wait = make_owned<MemoryWait>(bench.resources());
    int calls = 0;
};

TEST_F(MemoryWaitTest, EndsWithTheNextReleaseAndNotInsideOfIt) {
    SlabRef slab = bench.pool.acquire();
    start();
    slab.reset();
    EXPECT_EQ(calls, 0);
    const TimePoint begin = monotonic_now();
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_EQ(monotonic_now(), begin);
    run(2 * MemoryWait::kLongest);
    EXPECT_EQ(calls, 1) << "one call for each wait";
}

TEST_F(MemoryWaitTest, EndsAfterAWhileWithoutARelease) {
    const TimePoint begin = monotonic_now();
    start();
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_GE(monotonic_now() - begin, MemoryWait::kLongest);
}

TEST_F(MemoryWaitTest, MayBeCancelledAndStartedAgain) {
    SlabRef slab = bench.pool.acquire();
    start();
    EXPECT_TRUE(wait->waiting());
    wait->cancel();
    EXPECT_FALSE(wait->waiting());
    run(2 * MemoryWait::kLongest);
    EXPECT_EQ(calls, 0);
    start();
    slab.reset();
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
}

TEST_F(MemoryWaitTest, MayGoBeforeTheRelease) {
    SlabRef slab = bench.pool.acquire();
    start();
    wait.reset();
    slab.reset();
    bench.run_idle();
    EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace farlink::cla::memory_wait_test
