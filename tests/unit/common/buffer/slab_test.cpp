// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/slab.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "tests/support/heap_bytes.hpp"

namespace farlink::slab_test {
namespace {

constexpr std::uint32_t kSlab = 64 * 1024;

TEST(SlabPool, RefusesAtItsLimitAndCountsIt) {
    SlabPool pool(kSlab, 3 * kSlab + 100);
    std::vector<SlabRef> held;
    for (int i = 0; i < 3; ++i) held.push_back(pool.acquire());
    for (const SlabRef &slab : held) {
        ASSERT_TRUE(slab);
        EXPECT_EQ(slab->capacity, kSlab);
    }
    EXPECT_FALSE(pool.acquire());
    EXPECT_FALSE(pool.acquire_sized(101));
    EXPECT_EQ(pool.refusals(), 2U);
    EXPECT_EQ(pool.pinned_bytes(), 3 * kSlab);

    const SlabRef fits = pool.acquire_sized(100);
    EXPECT_TRUE(fits);
    EXPECT_EQ(pool.pinned_bytes(), pool.limit_bytes());
    held.pop_back();
    EXPECT_EQ(pool.pinned_bytes(), 2 * kSlab + 100);
    EXPECT_TRUE(pool.acquire());
    EXPECT_EQ(pool.refusals(), 2U);
}

TEST(SlabPool, WhatCountsBesideTheSlabsLimitsReading) {
    SlabPool pool(kSlab, 3 * kSlab);
    std::uint64_t beside = 0;
    pool.set_beside([&] { return beside; });
    const SlabRef first = pool.acquire_to_read();
    EXPECT_TRUE(first);
    beside = kSlab + 1;
    EXPECT_EQ(pool.counted_bytes(), 2 * kSlab + 1);
    EXPECT_FALSE(pool.acquire_to_read());
    EXPECT_EQ(pool.refusals(), 1U);
    EXPECT_TRUE(pool.acquire()) << "what is in memory already may be copied";
    beside = kSlab;
    EXPECT_TRUE(pool.acquire_to_read());
    beside = 3 * kSlab;
    pool.set_beside({});
    EXPECT_TRUE(pool.acquire_to_read());
}

TEST(SlabPool, MayHaveALowerLimitForAWhile) {
    SlabPool pool(kSlab, 3 * kSlab);
    SlabRef first = pool.acquire();
    pool.set_limit(kSlab);
    EXPECT_FALSE(pool.acquire());
    pool.set_limit(10 * kSlab);
    EXPECT_EQ(pool.limit_bytes(), 3 * kSlab);
    EXPECT_TRUE(pool.acquire());
}

TEST(SlabPool, HandsOutTheWarmestSlabFirst) {
    SlabPool pool(kSlab, 8 * kSlab);
    SlabRef cold = pool.acquire();
    SlabRef warm = pool.acquire();
    const std::uint8_t *const cold_data = cold->data;
    const std::uint8_t *const warm_data = warm->data;
    cold.reset();
    warm.reset();
    const SlabRef first = pool.acquire();
    const SlabRef second = pool.acquire();
    EXPECT_EQ(first->data, warm_data);
    EXPECT_EQ(second->data, cold_data);
}

TEST(SlabPool, SizedSlabsAreOfTheirSizeAndNotPooled) {
    SlabPool pool(kSlab, kSlab);
    {
        const SlabRef sized = pool.acquire_sized(1000);
        ASSERT_TRUE(sized);
        EXPECT_EQ(sized->capacity, 1000U);
        std::fill_n(sized->data, sized->capacity, std::uint8_t{7});
        EXPECT_EQ(pool.pinned_bytes(), 1000U);
    }
    EXPECT_EQ(pool.pinned_bytes(), 0U);
    const SlabRef pooled = pool.acquire();
    ASSERT_TRUE(pooled);
    EXPECT_EQ(pooled->capacity, kSlab);
}

// As an unknown LTP engine that begins many blocks, and completes none, makes them.
TEST(SlabPool, ASmallSizedSlabTakesLittleMoreThanItsSize) {
    constexpr std::size_t kMany = 10'000;
    constexpr std::uint32_t kBytes = 100;
    SlabPool pool(kSlab, kMany * kBytes);
    std::vector<SlabRef> held;
    held.reserve(kMany);
    const std::size_t before = test::heap_bytes();
    for (std::size_t i = 0; i < kMany; ++i) held.push_back(pool.acquire_sized(kBytes));
    EXPECT_LT(test::heap_bytes() - before, kMany * 2 * kBytes);
    EXPECT_EQ(pool.pinned_bytes(), kMany * kBytes);
}

TEST(SlabPool, MayBeTakenBeyondItsLimitByName) {
    SlabPool pool(kSlab, kSlab);
    const SlabRef first = pool.acquire();
    const SlabRef second = pool.acquire_beyond_limit();
    ASSERT_TRUE(second);
    EXPECT_EQ(pool.pinned_bytes(), 2 * kSlab);
    EXPECT_FALSE(pool.acquire());
}

TEST(SlabRef, GivesTheSlabBackWithTheLastOfThem) {
    SlabPool pool(kSlab, kSlab);
    SlabRef first = pool.acquire();
    SlabRef copy = first;
    EXPECT_EQ(copy, first);
    EXPECT_EQ(first->references, 2U);
    SlabRef moved = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(moved->references, 2U);
    moved = static_cast<const SlabRef &>(moved);
    EXPECT_EQ(moved->references, 2U);
    copy = SlabRef{};
    EXPECT_EQ(pool.pinned_bytes(), kSlab);
    moved.reset();
    moved.reset();
    EXPECT_EQ(pool.pinned_bytes(), 0U);
}

TEST(SlabRef, OfDifferentSlabsDiffer) {
    SlabPool pool(kSlab, 2 * kSlab);
    const SlabRef one = pool.acquire();
    const SlabRef two = pool.acquire();
    EXPECT_NE(one, two);
    EXPECT_NE(one, SlabRef{});
}

using SlabPoolDeathTest = testing::Test;

TEST(SlabPoolDeathTest, DoesNotEndBeforeItsSlabs) {
    EXPECT_DEATH(
        {
            auto pool = std::make_unique<SlabPool>(kSlab, kSlab);
            const SlabRef held = pool->acquire();
            pool.reset();
        },
        "broken invariant");
}

// Nothing of the C library may throw where memory is limited from outside.
TEST(SlabPoolDeathTest, TakesTheSystemsLimitForItsOwn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory has no room under such a limit";
#endif
    const auto use_up = [] {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1;  // nothing more than there is
        ::setrlimit(RLIMIT_AS, &limit);
        std::vector<SlabRef> held;
        held.reserve(16);
        constexpr std::uint32_t kLarge = 64 * 1024 * 1024;
        SlabPool pool(kLarge, 16ULL * kLarge);
        const bool some =
            static_cast<bool>(pool.acquire()) || static_cast<bool>(pool.acquire_sized(kLarge));
        ::_exit(some || pool.refusals() != 2 ? 1 : 0);
    };
    EXPECT_EXIT(use_up(), testing::ExitedWithCode(0), "");
}

TEST(SlabPool, ReportsTheNextReleaseOnce) {
    SlabPool pool(kSlab, 2 * kSlab);
    int freed = 0;
    std::uint64_t pinned = 0;
    SlabRef one = pool.acquire();
    SlabRef two = pool.acquire();
    const auto wake = [&] {
        ++freed;
        pinned = pool.pinned_bytes();
    };
    pool.notify_when_freed(wake);
    pool.notify_when_freed(wake);
    EXPECT_EQ(freed, 0);
    one.reset();
    EXPECT_EQ(freed, 2);
    EXPECT_EQ(pinned, kSlab) << "the memory is free by then";
    two.reset();
    EXPECT_EQ(freed, 2);
}

}  // namespace
}  // namespace farlink::slab_test
