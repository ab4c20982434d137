// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/outcomes/disconnected_transfers.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::ingress::disconnected_transfers_test {
namespace {

constexpr UpstreamId kSession{5};

struct Parsed {
    explicit Parsed(const test::TestBundle &bundle) : octets(bundle.octets()), slice(octets) {
        const auto parsed = bp::parse({&slice, 1});
        EXPECT_TRUE(parsed);
        view = *parsed;
    }
    Bytes octets;
    ByteView slice;
    bp::BundleView view;
};

Parsed numbered(std::uint64_t sequence) {
    test::TestBundle bundle;
    bundle.sequence = sequence;
    return Parsed(bundle);
}

TEST(DisconnectedTransfers, WithoutASourceTheyAreNotKnownAgain) {
    test::TestBundle anonymous;
    anonymous.from = {};
    anonymous.report_to = {};
    anonymous.flags = bp::v7::kMustNotFragment;
    const Parsed bundle(anonymous);
    DisconnectedTransfers orphans;
    orphans.add(bundle.view, 100, true);
    EXPECT_TRUE(orphans.empty());
    EXPECT_EQ(orphans.find(bundle.view), std::nullopt);
}

// Some nodes give all their records of one second the same creation timestamp.
TEST(DisconnectedTransfers, RecordsAreNotKnownAgain) {
    test::TestBundle record;
    record.flags = bp::v7::kIsAdminRecord;
    const Parsed bundle(record);
    DisconnectedTransfers orphans;
    orphans.add(bundle.view, 100, false);
    EXPECT_TRUE(orphans.empty());
    orphans.add(numbered(record.sequence).view, 101, false);
    EXPECT_EQ(orphans.find(bundle.view), std::nullopt);
}

TEST(DisconnectedTransfers, AreFoundByTheirWholeIdentity) {
    DisconnectedTransfers orphans;
    EXPECT_TRUE(orphans.empty());
    orphans.add(numbered(1).view, 100, false);
    EXPECT_FALSE(orphans.empty());
    EXPECT_EQ(orphans.find(numbered(1).view), false);
    EXPECT_EQ(orphans.find(numbered(2).view), std::nullopt);
    test::TestBundle other;
    other.sequence = 1;
    other.from = bp::ipn_eid(1, 2);
    EXPECT_EQ(orphans.find(Parsed(other).view), std::nullopt);
}

TEST(DisconnectedTransfers, WhoWaitsHearsOfTheCopyOrOfTheEnd) {
    DisconnectedTransfers orphans;
    orphans.add(numbered(1).view, 100, false);
    orphans.wait(numbered(1).view, {kSession, 7});
    const auto published = orphans.secure(100);
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].upstream, kSession);
    EXPECT_EQ(published[0].transfer, 7U);
    EXPECT_EQ(orphans.find(numbered(1).view), true) << "still here, and safe";
    EXPECT_TRUE(orphans.remove(100).empty());
    EXPECT_TRUE(orphans.empty());
    EXPECT_TRUE(orphans.remove(100).empty());
}

TEST(DisconnectedTransfers, ASessionThatEndsWaitsForNothing) {
    DisconnectedTransfers orphans;
    orphans.add(numbered(1).view, 100, false);
    orphans.wait(numbered(1).view, {kSession, 7});
    orphans.forget(kSession);
    EXPECT_TRUE(orphans.remove(100).empty());
}

TEST(DisconnectedTransfers, AreBounded) {
    DisconnectedTransfers orphans;
    Parsed bundle = numbered(0);
    for (std::uint64_t i = 0; i <= DisconnectedTransfers::kRemembered; ++i) {
        bundle.view.sequence = i;
        orphans.add(bundle.view, i, false);
    }
    EXPECT_EQ(orphans.find(bundle.view), std::nullopt);
    bundle.view.sequence = 0;
    EXPECT_EQ(orphans.find(bundle.view), false);
}

}  // namespace
}  // namespace farlink::ingress::disconnected_transfers_test
