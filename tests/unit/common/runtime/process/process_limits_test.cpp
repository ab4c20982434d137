// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "common/runtime/process/current_work.hpp"

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

TEST(ProcessLimits, ConnectionsToOtherProcessesNeedDescriptors) {
    constexpr ProcessNeeds kAlone{.modules = 1, .links = 3, .disks = 0};
    EXPECT_FALSE(find_shortage({60, kNoLimit}, kAlone));
    ProcessNeeds connected = kAlone;
    connected.connections = 6;
    EXPECT_TRUE(find_shortage({60, kNoLimit}, connected)) << "61 were seen";
    EXPECT_FALSE(find_shortage({96, kNoLimit}, connected));
}

TEST(ProcessLimits, WhatIsMappedAndInUseCounts) {
    ProcessNeeds needs = kNode;
    needs.mapped_bytes = 3 * 61 * kMiB;
    EXPECT_FALSE(find_shortage({kNoLimit, 512 * kMiB, 38 * kMiB}, needs));
    const auto wrong = find_shortage({kNoLimit, 340 * kMiB, 38 * kMiB}, needs);
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->find("of which 183 MiB for the bundle history"), std::string::npos) << *wrong;
    EXPECT_TRUE(find_shortage({kNoLimit, 512 * kMiB, 400 * kMiB}, needs));
    constexpr std::uint64_t kLargeStack = 64 * kMiB;
    EXPECT_TRUE(find_shortage({kNoLimit, 512 * kMiB, 38 * kMiB, kLargeStack}, needs));
}

TEST(ProcessLimits, TheNamedMinimumIsEnough) {
    const auto wrong = find_shortage({kNoLimit, 100 * kMiB, 38 * kMiB + 1}, kNode);
    ASSERT_TRUE(wrong);
    const std::string at_least = "needs at least ";
    const auto digits = wrong->find(at_least);
    ASSERT_NE(digits, std::string::npos) << *wrong;
    const std::uint64_t least = std::stoull(wrong->substr(digits + at_least.size()));
    EXPECT_FALSE(find_shortage({kNoLimit, least * kMiB, 38 * kMiB + 1}, kNode));
    EXPECT_TRUE(find_shortage({kNoLimit, (least - 1) * kMiB, 38 * kMiB + 1}, kNode));
}

TEST(ProcessLimits, TakesWhatTheSystemAllows) {
    const ProcessLimits limits = take_process_limits();
    EXPECT_GT(limits.descriptors, 0U);
    EXPECT_GT(limits.address_space_used, kMiB);
    EXPECT_GT(limits.stack_bytes, 0U);
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

TEST(ProcessLimitsDeathTest, TheLineNamesTheWorkAndTheLimit) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end_by = [](auto exception) {
        end_in_words();
        std::thread([&] {
            const CurrentWork outer("starting the node");
            const CurrentWork work("making module", "ingress");
            throw exception;
        }).join();
    };
    EXPECT_EXIT(end_by(std::bad_alloc()), testing::ExitedWithCode(1),
                "out of memory while making module ingress: the ");
    EXPECT_EXIT(end_by(std::runtime_error("epoll: Too many open files [system:24]")),
                testing::ExitedWithCode(1),
                "files .system:24. while making module ingress: the process may open only [0-9]+ "
                "files and sockets .ulimit -n");
    EXPECT_EXIT(end_by(std::system_error(EAGAIN, std::generic_category())),
                testing::ExitedWithCode(1),
                "cannot start a thread while making module ingress: .*limit of threads");
    EXPECT_EXIT(end_by(std::runtime_error("other")), testing::ExitedWithCode(1),
                "cannot continue: other while making module ingress");
}

TEST(ProcessLimits, TheWorkOfAThreadEndsWithItsScope) {
    EXPECT_EQ(CurrentWork::words().doing, "");
    const CurrentWork outer("starting the node");
    {
        const CurrentWork inner("making module", "egress");
        EXPECT_EQ(CurrentWork::words().what, "egress");
        std::thread([] { EXPECT_EQ(CurrentWork::words().doing, ""); }).join();
    }
    EXPECT_EQ(CurrentWork::words().doing, "starting the node");
    EXPECT_EQ(CurrentWork::words().what, "");
}

// A sanitizer reserves far more addresses than a limit here would allow.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ProcessLimitsDeathTest, MemoryBeyondTheLimitIsNamed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // In a thread: GoogleTest catches the exceptions of this one.
    const auto allocate = [](std::size_t bytes) {
        end_in_words();
        std::thread([bytes] {
            const rlim_t space = take_process_limits().address_space_used + 4 * kMiB;
            const rlimit limit{space, space};
            ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
            const CurrentWork work("reading the contact plan");
            if (bytes == 0)
                std::thread([] {}).join();
            else
                EXPECT_NE(std::make_unique<char[]>(bytes), nullptr);
        }).join();
    };
    EXPECT_EXIT(allocate(64 * kMiB), testing::ExitedWithCode(1),
                "out of memory while reading the contact plan: the process uses [0-9]+ MiB of "
                "address space, and may use [0-9]+ MiB .ulimit -v");
    EXPECT_EXIT(allocate(0), testing::ExitedWithCode(1),
                "cannot start a thread while reading the contact plan: its stack takes [0-9]+ "
                "MiB, the process uses [0-9]+ MiB of address space");
}
#endif

}  // namespace
}  // namespace farlink::process_limits_test
