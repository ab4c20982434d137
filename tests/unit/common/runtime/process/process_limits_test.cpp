// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_limits.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

namespace farlink::process_limits_test {
namespace {

constexpr ProcessNeeds kNode{.modules = 6, .links = 3, .disks = 1};
constexpr std::uint64_t kMiB = 1024 * 1024;

TEST(ProcessLimits, WithoutLimitsNothingIsShort) {
    EXPECT_FALSE(find_shortage({}, kNode));
    EXPECT_FALSE(find_shortage({1024, 512 * kMiB}, kNode));
}

TEST(ProcessLimits, FewDescriptorsAreNamedWithWhatItTakes) {
    const auto wrong = find_shortage({64, kNoLimit}, kNode);
    ASSERT_TRUE(wrong);
    EXPECT_TRUE(wrong->starts_with(
        "the process may open only 64 files and sockets; this configuration needs at least 130"))
        << *wrong;
    EXPECT_TRUE(find_shortage({200, kNoLimit}, {.modules = 6, .links = 100, .disks = 1}));
}

TEST(ProcessLimits, LittleAddressSpaceIsNamedWithWhatItTakes) {
    const auto wrong = find_shortage({kNoLimit, 160 * kMiB}, kNode);
    ASSERT_TRUE(wrong);
    EXPECT_TRUE(wrong->starts_with("the process may use only 160 MiB of address space")) << *wrong;
}

TEST(ProcessLimits, TakesWhatTheSystemAllows) {
    EXPECT_GT(take_process_limits().descriptors, 0U);
}

TEST(ProcessLimitsDeathTest, AnExceptionEndsInWordsAndNotInASignal) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end_by = [](auto exception) {
        end_in_words();
        std::thread([&] { throw exception; }).join();
    };
    EXPECT_EXIT(end_by(std::bad_alloc()), testing::ExitedWithCode(1), "out of memory");
    EXPECT_EXIT(end_by(std::runtime_error("Too many open files")), testing::ExitedWithCode(1),
                "farlink: cannot continue: Too many open files");
}

}  // namespace
}  // namespace farlink::process_limits_test
