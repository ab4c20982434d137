// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/fragments/fragmented_bundles.hpp"

#include <gtest/gtest.h>

namespace farlink::egress::fragmented_bundles_test {
namespace {

constexpr std::uint64_t kFirst = 100;

TEST(FragmentedBundles, ABundleIsHandedOverWithItsLastFragment) {
    FragmentedBundles cuts;
    cuts.begin(1, 101, 1000);
    cuts.last().fragments = 4;
    cuts.finish();
    const std::vector<std::uint64_t> whole{0, 1, 1, 1, 1, 2, 3};
    for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_EQ(cuts.whole_below(kFirst, kFirst + i), whole[i]) << i;
}

TEST(FragmentedBundles, ABundleThatIsBeingCutIsNotHandedOver) {
    FragmentedBundles cuts;
    cuts.begin(3, 103, 1000);
    cuts.last().fragments = 2;
    EXPECT_EQ(cuts.whole_below(kFirst, 103), 3U);
    EXPECT_EQ(cuts.whole_below(kFirst, 105), 3U);
    cuts.finish();
    EXPECT_EQ(cuts.whole_below(kFirst, 105), 4U);
}

TEST(FragmentedBundles, ATokenLeadsToItsBundle) {
    FragmentedBundles cuts;
    cuts.begin(1, 101, 1000);
    cuts.last().fragments = 4;
    cuts.finish();
    cuts.begin(3, 106, 1000);
    cuts.last().fragments = 2;
    const std::vector<std::uint64_t> places{0, 1, 1, 1, 1, 2, 3, 3};
    for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_EQ(cuts.place_of(kFirst, kFirst + i), places[i]) << i;
    EXPECT_EQ(cuts.find(0), nullptr);
    EXPECT_EQ(cuts.find(3), &cuts.last());
}

TEST(FragmentedBundles, WhatIsAbandonedHasItsOutcomeWhenTheLinkHasDoneWithIt) {
    FragmentedBundles cuts;
    cuts.begin(0, kFirst, 1000);
    cuts.last().fragments = 3;
    cuts.cover(kFirst + 2);
    EXPECT_FALSE(cuts.abandon(Outcome::kNotSent)) << "the third fragment is on the link";
    EXPECT_FALSE(cuts.open());
    EXPECT_EQ(cuts.outcome_of(0), Outcome::kNotSent);
    EXPECT_EQ(cuts.outcome_of(1), Outcome::kSent);

    FragmentedBundles done;
    done.begin(0, kFirst, 1000);
    done.last().fragments = 3;
    done.last().failure = Outcome::kRefused;
    done.cover(kFirst + 3);
    EXPECT_TRUE(done.abandon(Outcome::kNotSent));
    EXPECT_EQ(done.outcome_of(0), Outcome::kRefused) << "the first reason stays";
}

TEST(FragmentedBundles, WhatTheNextHopHasOfAPartIsKnown) {
    FragmentedBundles cuts;
    cuts.begin(0, kFirst, 1000);
    cuts.last().fragments = 3;
    cuts.last().payload_ends = {900, 1800, 2500};
    EXPECT_EQ(cuts.payload_handed_over(cuts.last()), 0U);
    cuts.cover(kFirst + 2);
    EXPECT_EQ(cuts.payload_handed_over(cuts.last()), 1800U);
    EXPECT_FALSE(cuts.has_part());
    EXPECT_FALSE(cuts.end_early()) << "the third fragment is on the link";
    EXPECT_FALSE(cuts.open());
    EXPECT_TRUE(cuts.has_part());
    EXPECT_EQ(cuts.outcome_of(0), Outcome::kPartSent);
    EXPECT_EQ(cuts.payload_handed_over(cuts.last()), 1800U);

    cuts.begin(1, kFirst + 3, 1000);
    cuts.last().fragments = 2;
    cuts.last().payload_ends = {900, 1800};
    cuts.cover(kFirst + 4);
    EXPECT_EQ(cuts.payload_handed_over(cuts.last()), 0U) << "a batch has one part";
    cuts.find(0)->failure = Outcome::kRefused;
    EXPECT_EQ(cuts.outcome_of(0), Outcome::kRefused);
}

}  // namespace
}  // namespace farlink::egress::fragmented_bundles_test
