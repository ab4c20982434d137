// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/custody/custody_ids.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::storage::custody_ids_test {
namespace {

TEST(CustodyIds, EachSourceHasRuns) {
    CustodyIds ids(1000);
    const std::uint64_t first = ids.next(bp::ipn_eid(2, 1));
    const std::uint64_t other = ids.next(bp::ipn_eid(3, 1));
    for (std::uint64_t i = 1; i < 256; ++i) {
        EXPECT_EQ(ids.next(bp::ipn_eid(2, 1)), first + i);
        EXPECT_EQ(ids.next(bp::ipn_eid(3, 1)), other + i);
    }
    EXPECT_GE(other, first + 256);
}

TEST(CustodyIds, NoneIsGivenTwice) {
    CustodyIds ids(1000);
    std::set<std::uint64_t> given;
    for (std::uint64_t i = 0; i < 20'000; ++i)
        EXPECT_TRUE(given.insert(ids.next(bp::ipn_eid(1 + i % 3000, 1))).second);
}

TEST(CustodyIds, ARestartBeginsAboveWhatWasGiven) {
    CustodyIds before(1000);
    std::uint64_t last = 0;
    for (int i = 0; i < 5000; ++i) last = before.next(bp::ipn_eid(2, 1));
    EXPECT_GT(CustodyIds(1010).next(bp::ipn_eid(2, 1)), last) << "ten milliseconds later";
    // The clock was set back in between, and a bundle of then is still on disk.
    CustodyIds after(1);
    after.stay_above_id(last);
    EXPECT_GT(after.next(bp::ipn_eid(2, 1)), last);
    CustodyIds unset(0);
    unset.stay_above(1010);
    EXPECT_GT(unset.next(bp::ipn_eid(2, 1)), last);
    unset.stay_above(~DtnTime{0});
    EXPECT_LT(unset.next(bp::ipn_eid(2, 1)), last * 2) << "no time at all";
}

}  // namespace
}  // namespace farlink::storage::custody_ids_test
