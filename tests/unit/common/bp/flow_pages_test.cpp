// SPDX-License-Identifier: Apache-2.0
#include "common/bp/flow_pages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace farlink::flow_pages_test {
namespace {

TEST(FlowPages, AnEntryIsFoundByItsFlow) {
    FlowPages<int> pages;
    EXPECT_EQ(pages.find(7), nullptr);
    pages[7] = 70;
    pages[5'000] = 50;
    ASSERT_NE(pages.find(7), nullptr);
    EXPECT_EQ(*pages.find(7), 70);
    EXPECT_EQ(*pages.find(5'000), 50);
    ASSERT_NE(pages.find(8), nullptr) << "of the same page";
    EXPECT_EQ(*pages.find(8), 0);
    EXPECT_EQ(pages.find(2'000), nullptr) << "of a page without flows";
}

TEST(FlowPages, AVisitReachesEveryEntryOfThePages) {
    FlowPages<int> pages;
    pages[7] = 70;
    pages[5'000] = 50;
    pages.for_each([](std::size_t, int &value) { value *= 2; });
    std::map<std::size_t, int> found;
    std::as_const(pages).for_each([&](std::size_t flow, const int &value) {
        if (value != 0) found[flow] = value;
    });
    EXPECT_EQ(found, (std::map<std::size_t, int>{{7, 140}, {5'000, 100}}));
}

TEST(FlowPages, PagesWithoutAnythingAreFreedAndAFewKept) {
    constexpr std::size_t kFlows = std::size_t{1} << bp::kFlowBits;
    constexpr std::size_t kUsed = kFlows - 7;
    const auto pages = std::make_unique<FlowPages<int>>();
    const auto is_empty = [](int value) { return value == 0; };
    (*pages)[7] = 0;
    EXPECT_EQ(pages->free_empty(is_empty), 0U) << "it would be made again for the next bundle";
    for (std::size_t flow = 0; flow < kFlows; ++flow) (*pages)[flow] = flow == kUsed ? 1 : 0;
    std::size_t freed = 0;
    for (std::size_t call = 0; call < 2 * FlowPages<int>::kParts; ++call)
        freed += pages->free_empty(is_empty);
    EXPECT_GT(freed, kFlows * sizeof(int) / 10 * 9);
    EXPECT_EQ(pages->find(0), nullptr);
    ASSERT_NE(pages->find(kUsed), nullptr);
    EXPECT_EQ(*pages->find(kUsed), 1);
    EXPECT_EQ((*pages)[0], 0);
}

}  // namespace
}  // namespace farlink::flow_pages_test
