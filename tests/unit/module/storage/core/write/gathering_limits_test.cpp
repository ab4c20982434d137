// SPDX-License-Identifier: Apache-2.0
// The limits of fragments that storage joins.
#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/write/gathering_fixture.hpp"

namespace farlink::test::gathering_limits_test {
namespace {

using namespace gathering;

using GatheringLimitsTest = GatheringTest;

TEST_F(GatheringLimitsTest, ALimitOfItsSourceRefusesAFragmentForThisNode) {
    SimDirectory directory;
    RigOptions options = joining();
    options.reassembly.sets_per_source = 2;
    Rig rig(directory, options);
    const auto first_of = [](std::uint64_t sequence, NodeNumber to) {
        return cut_at(bundle_of(sequence, 300, to), {100})[0];
    };
    EXPECT_EQ(rig.store_octets(first_of(1, kThisNode)), Outcome::kStored);
    EXPECT_EQ(rig.store_octets(first_of(2, kThisNode)), Outcome::kStored);
    EXPECT_EQ(rig.store_octets(first_of(3, kThisNode)), Outcome::kTooManyFragments);
    // In transit it goes on as it is.
    EXPECT_EQ(rig.store_octets(first_of(4, kNode20)), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kSetsIncomplete), 2U);
    // A set that becomes complete makes room for another one.
    EXPECT_EQ(rig.store_octets(cut_at(bundle_of(1, 300, kThisNode), {100})[1]), Outcome::kStored);
    EXPECT_EQ(rig.store_octets(first_of(3, kThisNode)), Outcome::kStored);
}

TEST_F(GatheringLimitsTest, FragmentsAndBytesOfASourceAreLimited) {
    SimDirectory directory;
    RigOptions options = joining();
    options.reassembly.fragments_per_source = 2;
    options.reassembly.largest_bundle_bytes = 1000;
    Rig rig(directory, options);
    const auto fragments = cut_at(bundle_of(1, 400, kThisNode), {100, 200, 300});
    EXPECT_EQ(rig.store_octets(fragments[0]), Outcome::kStored);
    EXPECT_EQ(rig.store_octets(fragments[1]), Outcome::kStored);
    EXPECT_EQ(rig.store_octets(fragments[2]), Outcome::kTooManyFragments);
    EXPECT_EQ(rig.store_octets(cut_at(bundle_of(2, 1001, kThisNode), {100})[0]),
              Outcome::kTooManyFragments);
}

// All of them are read when the bundle leaves, so they are bounded with it.
TEST_F(GatheringLimitsTest, FragmentsOfASetOverlapOnlySoMuch) {
    SimDirectory directory;
    RigOptions options = joining();
    options.reassembly.largest_bundle_bytes = 400;
    Rig rig(directory, options);
    const Bytes whole = bundle_of(1, 400, kThisNode);
    std::uint64_t held = 0;
    for (std::uint64_t at = 1; at < 200; ++at) {
        const Bytes fragment = cut_at(whole, {at, at + 190})[1];  // one octet is new
        const Outcome outcome = rig.store_octets(fragment);
        EXPECT_EQ(outcome, held + 190 > 800 ? Outcome::kTooManyFragments : Outcome::kStored);
        if (outcome == Outcome::kStored) held += 190;
    }
    EXPECT_EQ(held, 760U);
}

}  // namespace
}  // namespace farlink::test::gathering_limits_test
