// SPDX-License-Identifier: Apache-2.0
#include "common/bp/flow_pages.hpp"

#include <gtest/gtest.h>

#include <map>

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

}  // namespace
}  // namespace farlink::flow_pages_test
