// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/freed_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "common/runtime/process/process_figures.hpp"
#include "tests/support/heap_bytes.hpp"

namespace farlink::freed_memory_test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

std::uint64_t resident_bytes() {
    const auto figures = read_process_figures();
    return figures ? figures->resident_bytes : 0;
}

TEST(FreedMemory, IsReturnedOnceNoMoreIsFreed) {
    (void)return_freed_memory();
    note_freed_memory(64 * kMiB);
    EXPECT_FALSE(return_freed_memory()) << "more may follow";
    note_freed_memory(1);
    EXPECT_FALSE(return_freed_memory()) << "more has followed";
    EXPECT_TRUE(return_freed_memory());
    EXPECT_FALSE(return_freed_memory()) << "nothing was freed since";
}

TEST(FreedMemory, ALittleIsKept) {
    note_freed_memory(100);
    EXPECT_FALSE(return_freed_memory());
    EXPECT_FALSE(return_freed_memory());
}

TEST(FreedMemory, LiesBetweenWhatIsInUse) {
    constexpr std::size_t kEach = 10'000;
    constexpr std::size_t kMany = 20'000;
    std::vector<std::unique_ptr<char[]>> pieces;
    for (std::size_t at = 0; at < kMany; ++at) {
        pieces.push_back(std::make_unique<char[]>(kEach));  // written, hence resident
    }
    if (test::heap_bytes() == 0) GTEST_SKIP() << "the allocator of a sanitizer";
    for (std::size_t at = 0; at < kMany; ++at)
        if (at % 1000 != 0) pieces[at].reset();
    const std::uint64_t before = resident_bytes();
    note_freed_memory(kEach * kMany);
    (void)return_freed_memory();
    ASSERT_TRUE(return_freed_memory());
    EXPECT_LT(resident_bytes() + 150 * kMiB, before);
}

}  // namespace
}  // namespace farlink::freed_memory_test
