// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace farlink::processors_test {
namespace {

TEST(Processors, AThreadRunsOnTheProcessorThatItIsGiven) {
    std::uint32_t first = 0;
    while (first < 1'024 && !has_processor(first)) ++first;
    ASSERT_TRUE(has_processor(first));
    std::thread([first] {
        EXPECT_TRUE(run_on_processor(first));
        EXPECT_EQ(::sched_getcpu(), static_cast<int>(first));
    }).join();
}

TEST(Processors, ANumberBeyondAllProcessorsIsRefused) {
    EXPECT_FALSE(has_processor(~std::uint32_t{0}));
    EXPECT_FALSE(run_on_processor(~std::uint32_t{0}));
}

}  // namespace
}  // namespace farlink::processors_test
