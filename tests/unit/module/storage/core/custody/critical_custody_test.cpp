// SPDX-License-Identifier: Apache-2.0
// Critical bundles that request custody, too.
#include "tests/unit/module/storage/core/custody/custody_rig.hpp"
#include "tests/unit/module/storage/core/release/critical_rig.hpp"

namespace farlink::test::critical_custody_test {
namespace {

class CriticalCustody : public CustodyRig {
protected:
    CriticalCustody() {
        bundle.critical = true;
        bundle.to = bp::ipn_eid(kFar.value(), 1);
        bundle.custody_id = 5;
    }
    void start(bool second_up = true) {
        route_by_both(rig());
        rig().link_up(kLink20, kNode20);
        if (second_up) rig().link_up(kLink30, kNode30);
        ASSERT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    }
    /// The next custodian of the last bundle released accepts it.
    void accept(std::string_view from, std::uint64_t id) {
        rig().signal_custody(from, encode(bp::v6::AggregateCustodySignal{true, 0, {{id, id}}}));
        rig().run_for(kRigMoment);
    }
};

TEST_F(CriticalCustody, StaysUntilOneOfThemHasTakenCustody) {
    start();
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 1U);
    EXPECT_EQ(rig().core().figures().held(), 1U);
    const std::uint64_t id = released_id();
    accept("ipn:30.0", id);
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(count(StorageCounter::kCustodyReleased), 1U);
    accept("ipn:20.0", id);  // the second answer changes nothing
    expect_balance(rig(), 1, 2);
}

TEST_F(CriticalCustody, WithoutAnAnswerItGoesToAllOfThemAgain) {
    start();
    rig().run_for(seconds(11));
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink20, kLink30, kLink30}));
    EXPECT_EQ(count(StorageCounter::kCustodyRetransmissions), 2U);
    accept("ipn:20.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 0U);
    expect_balance(rig(), 1, 4);
}

TEST_F(CriticalCustody, AnAnswerDoesNotKeepItFromTheOthers) {
    start(false);
    accept("ipn:20.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 1U);
    rig().run_for(seconds(100));
    EXPECT_EQ(released_by(rig()), Links{kLink20}) << "it is not sent to the first again";
    rig().link_up(kLink30, kNode30);
    rig().run_for(kRigMoment);
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    expect_balance(rig(), 1, 2);
}

TEST_F(CriticalCustody, WhenItComesAgainItsCustodyIsTakenAgainAndItGoesOneWay) {
    start();
    accept("ipn:20.0", released_id());
    ASSERT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 2U);
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink20, kLink30}));
    accept("ipn:20.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 0U);
    expect_balance(rig(), 2, 3);
}

TEST_F(CriticalCustody, TheFirstCopyOfAnotherCustodianEndsWithoutAnAnswer) {
    start();
    accept("ipn:20.0", released_id());
    ASSERT_EQ(rig().core().figures().held(), 0U);
    rig().run_for(seconds(2));
    rig().signals.clear();
    bundle.custodian = bp::ipn_eid(30, 0);
    bundle.custody_id = 8;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kDuplicate);
    rig().run_for(seconds(2));
    EXPECT_TRUE(rig().signals.empty()) << "node 30 may be the only custodian";
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 1U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored) << "it gets no other answer";
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 2U);
    accept("ipn:20.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink20, kLink30}));
    expect_balance(rig(), 3, 3);
}

TEST_F(CriticalCustody, ACopyOfNoCustodianIsTakenAtOnce) {
    start();
    accept("ipn:20.0", released_id());
    bundle.custodian = {};
    bundle.custody_id.reset();
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored) << "no other node keeps it";
}

TEST_F(CriticalCustody, WhenItsDestinationHasItNoOtherNodeGetsIt) {
    start(false);
    accept("ipn:40.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 0U);
    rig().link_up(kLink30, kNode30);
    rig().run_for(kRigMoment);
    EXPECT_EQ(released_by(rig()), Links{kLink20});
    expect_balance(rig(), 1, 1);
}

/// Node 20 is the destination itself, node 30 another custodian.
class CriticalNextToItsDestination : public CriticalCustody {
protected:
    CriticalNextToItsDestination() { bundle.to = bp::ipn_eid(kNode20.value(), 1); }
    void begin() {
        bus::RouteUpdate update;
        update.routes.push_back({kNode20, {by(kNode20, kLink20), by(kNode30, kLink30)}});
        rig().core().handle(update, rig().now);
        rig().link_up(kLink20, kNode20);
        rig().link_up(kLink30, kNode30);
        ASSERT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
        ASSERT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
        accept("ipn:30.0", released_id());
    }
};

TEST_F(CriticalNextToItsDestination, AnotherCustodianIsNoReasonToForgetItBeforeItHasAnswered) {
    begin();
    EXPECT_EQ(rig().core().figures().held(), 1U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kDuplicate)
        << "from the other custodian, perhaps";
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 1U);
    accept("ipn:20.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kDuplicate);
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
    expect_balance(rig(), 3, 2);
}

TEST_F(CriticalNextToItsDestination, WhoNeverAnswersIsNotWaitedForForEver) {
    begin();
    rig().run_for(seconds(11));
    EXPECT_EQ(rig().core().figures().held(), 0U) << "the other custodian has it";
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
    EXPECT_EQ(count(StorageCounter::kCustodyRetransmissions), 0U);
    expect_balance(rig(), 1, 2);
}

TEST_F(CriticalCustody, WhatComesAgainEndsHereWhenItsDestinationHasIt) {
    start();
    accept("ipn:40.0", released_id());
    ASSERT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kDuplicate);
    EXPECT_EQ(count(StorageCounter::kCustodyRedundant), 1U) << "its custodian may let go of it";
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 1U);
    EXPECT_EQ(released_by(rig()), (Links{kLink20, kLink30}));
    expect_balance(rig(), 2, 2);
}

TEST_F(CriticalCustody, WhatIsBeingSentWhenItsDestinationHasItEndsThen) {
    rig().send_at_once = false;
    start();
    ASSERT_EQ(rig().lent.size(), 2U);
    rig().set_outcome(0, Outcome::kSent);
    accept("ipn:40.0", released_id());
    EXPECT_EQ(rig().core().figures().held(), 1U);
    rig().set_outcome(0, Outcome::kNotSent);
    rig().run_for(kRigMoment);
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_TRUE(rig().lent.empty()) << "it is not sent again";
}

TEST_F(CriticalCustody, WithoutAnAnswerItExpiresHere) {
    bundle.lifetime_s = 60;
    start();
    rig().run_for(seconds(70));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(count(StorageCounter::kExpired), 1U);
}

}  // namespace
}  // namespace farlink::test::critical_custody_test
