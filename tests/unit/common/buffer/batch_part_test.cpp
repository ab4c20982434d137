// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/batch_part.hpp"

#include <gtest/gtest.h>

namespace farlink::batch_part_test {
namespace {

/// Bundles of 1, 2, 4, ... octets.
struct BatchPartTest : testing::Test {
    BatchPartTest() {
        whole.owner = BatchOwner::kStorage;
        whole.link = LinkId{3};
        whole.sequence = 7;
        whole.bundles.resize(4);
        for (std::size_t place = 0; place < whole.bundles.size(); ++place)
            whole.bundles[place].size = std::uint64_t{1} << place;
    }
    Batch whole;
};

TEST_F(BatchPartTest, TellsOfSomeAndMarksThem) {
    const Outcome outcomes[] = {Outcome::kPending, Outcome::kTooLate, Outcome::kReturnedEarly,
                                Outcome::kExpired};
    const BatchPtr part = make_part(whole, [&](std::size_t place) { return outcomes[place]; });
    EXPECT_EQ(part->whole, &whole);
    EXPECT_EQ(part->owner, BatchOwner::kStorage);
    EXPECT_EQ(part->link, LinkId{3});
    EXPECT_EQ(part->sequence, 7U);
    EXPECT_EQ(part->done, 2U);
    EXPECT_EQ(part->bytes, 2U + 8U);
    ASSERT_EQ(part->bundles.size(), 4U);
    EXPECT_EQ(part->bundles[0].outcome, Outcome::kPending);
    EXPECT_EQ(part->bundles[1].outcome, Outcome::kTooLate);
    EXPECT_EQ(part->bundles[2].outcome, Outcome::kPending);
    EXPECT_EQ(part->bundles[3].outcome, Outcome::kExpired);
    EXPECT_EQ(whole.bundles[0].outcome, Outcome::kPending);
    EXPECT_EQ(whole.bundles[1].outcome, Outcome::kReturnedEarly);
    EXPECT_EQ(whole.bundles[2].outcome, Outcome::kPending);
    EXPECT_EQ(whole.bundles[3].outcome, Outcome::kReturnedEarly);
}

TEST_F(BatchPartTest, TellsNothingTwice) {
    const auto too_late = [](std::size_t) { return Outcome::kTooLate; };
    EXPECT_EQ(make_part(whole, too_late)->done, 4U);
    const BatchPtr again = make_part(whole, too_late);
    EXPECT_EQ(again->done, 0U);
    EXPECT_EQ(again->bytes, 0U);
    EXPECT_EQ(again->bundles[0].outcome, Outcome::kPending);
}

}  // namespace
}  // namespace farlink::batch_part_test
