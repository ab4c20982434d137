// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/widest_path.hpp"

#include <gtest/gtest.h>

namespace farlink::router::widest_path_test {
namespace {

/// Rates in octets a second, times in seconds.
bus::Contact contact(std::uint64_t from, std::uint64_t to, DtnTime start, DtnTime end,
                     std::uint64_t octets_per_s) {
    return {0,
            NodeNumber{from},
            NodeNumber{to},
            start * 1000,
            end == kDtnNever ? end : end * 1000,
            BitRate{octets_per_s * 8},
            {}};
}

Width width(const std::vector<bus::Contact> &plan, std::uint64_t to, DtnTime time_s = 0) {
    const ContactGraph graph(plan);
    const auto here = graph.find(NodeNumber{1});
    const auto there = graph.find(NodeNumber{to});
    if (!here || !there) return {};
    return widest_paths(graph, *here, time_s * 1000)[*there];
}

TEST(WidestPath, AContactCarriesItsRateTimesItsLength) {
    const std::vector<bus::Contact> plan{contact(1, 2, 10, 20, 100)};
    EXPECT_EQ(width(plan, 2).max_bundle_bytes, 1000U);
    EXPECT_EQ(width(plan, 2).valid_until, 20'000U);
    EXPECT_EQ(width(plan, 2, 19).max_bundle_bytes, 1000U);
    EXPECT_EQ(width(plan, 2, 20).max_bundle_bytes, 0U) << "it is over";
}

TEST(WidestPath, ABundleMustPassTheNarrowestPlaceOfTheWidestWay) {
    const std::vector<bus::Contact> plan{contact(1, 2, 0, 10, 100), contact(2, 4, 0, 10, 5),
                                         contact(1, 3, 0, 10, 20), contact(3, 4, 0, 10, 30)};
    EXPECT_EQ(width(plan, 4).max_bundle_bytes, 200U);
    EXPECT_EQ(width(plan, 2).max_bundle_bytes, 1000U);
}

TEST(WidestPath, TheLargestOfSeveralContactsCounts) {
    const std::vector<bus::Contact> plan{contact(1, 2, 0, 10, 100), contact(1, 2, 20, 50, 100),
                                         contact(1, 2, 60, 70, 200)};
    EXPECT_EQ(width(plan, 2).max_bundle_bytes, 3000U);
    EXPECT_EQ(width(plan, 2).valid_until, 50'000U);
    EXPECT_EQ(width(plan, 2, 55).max_bundle_bytes, 2000U);
}

TEST(WidestPath, GaplessContactsAreOne) {
    const std::vector<bus::Contact> plan{contact(1, 2, 0, 10, 100), contact(1, 2, 10, 20, 50)};
    EXPECT_EQ(width(plan, 2).max_bundle_bytes, 1500U);
    EXPECT_EQ(width(plan, 2).valid_until, 10'000U);
    EXPECT_EQ(width(plan, 2, 10).max_bundle_bytes, 500U);
}

TEST(WidestPath, NoRateAndNoEndAreNoLimit) {
    EXPECT_EQ(width({contact(1, 2, 0, 10, 0)}, 2).max_bundle_bytes, kUnlimitedBytes);
    EXPECT_EQ(width({contact(1, 2, 0, kDtnNever, 9)}, 2).max_bundle_bytes, kUnlimitedBytes);
    const std::vector<bus::Contact> far{contact(1, 2, 0, kDtnNever / 2000, 1ULL << 40)};
    EXPECT_EQ(width(far, 2).max_bundle_bytes, kUnlimitedBytes) << "saturates";
}

TEST(WidestPath, WhereNothingLeadsNothingFits) {
    EXPECT_EQ(width({contact(2, 1, 0, 10, 9)}, 2).max_bundle_bytes, 0U);
    EXPECT_EQ(width({}, 2).max_bundle_bytes, 0U);
}

}  // namespace
}  // namespace farlink::router::widest_path_test
