// SPDX-License-Identifier: Apache-2.0
// How critical bundles end: by coming again, expiring, being damaged, or a crash.
#include "tests/unit/module/storage/core/release/critical_rig.hpp"

namespace farlink::testing {
namespace {

class CriticalEnds : public Critical {};

TEST_F(CriticalEnds, WhenItComesAgainItGoesOneWay) {
    route_by_both(rig);
    both_up();
    store(critical());
    EXPECT_EQ(rig.released.size(), 2U);
    for (std::size_t turn = 1; turn <= 3; ++turn) {
        rig.outcomes.clear();
        store(critical());
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
        ASSERT_EQ(rig.released.size(), 2 + turn);
        EXPECT_EQ(rig.released.back().link, kLink20) << "the best, like any other bundle";
        EXPECT_EQ(rig.count(StorageCounter::kCriticalRepeats), turn);
    }
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    store(critical(2));
    EXPECT_EQ(rig.released.size(), 7U) << "another one";
}

TEST_F(CriticalEnds, WhenItComesAgainItEndsHereIfItsDestinationHasIt) {
    BundleSpec near = critical();
    near.destination_node = kNode20.value();
    bus::RouteUpdate update;
    update.routes.push_back({kNode20, {by(kNode20, kLink20), by(kNode30, kLink30)}});
    rig.core().handle(update, rig.now);
    both_up();
    store(near);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    rig.outcomes.clear();
    store(near);
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.count(StorageCounter::kCriticalRepeats), 1U);
    EXPECT_EQ(rig.released.size(), 2U);
    expect_balance(rig, 2, 2);
}

TEST_F(CriticalEnds, ARepeatBeforeItWasSentIsADuplicate) {
    route_by_both(rig);
    rig.store({critical(), critical()});
    rig.run_for(kRigMoment);
    store(critical());
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 2U);
    both_up();
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 3, 2);
}

/// Who has it from here, and gave it back, may have been the only one.
TEST_F(CriticalEnds, WhatComesBackWhileItIsHereGoesOneWayMore) {
    rig.send_at_once = false;
    route_by_both(rig);
    both_up();
    store(critical());
    ASSERT_EQ(rig.lent.size(), 2U);
    store(critical());
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    store(critical());
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 1U) << "the second, not the first";
    rig.set_outcome(0, Outcome::kSent);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->link, kLink20);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 1U);
    expect_balance(rig, 3, 3);
}

TEST_F(CriticalEnds, NobodyGotItBeforeItExpired) {
    route_by_both(rig);
    BundleSpec brief = critical();
    brief.lifetime_ms = 10'000;
    store(brief);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 0);
}

TEST_F(CriticalEnds, SomebodyGotItBeforeItExpired) {
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    BundleSpec brief = critical();
    brief.lifetime_ms = 10'000;
    brief.report_deletion = true;
    store(brief);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kCriticalReleased), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_TRUE(rig.reports.empty());
    expect_balance(rig, 1, 1);
}

TEST_F(CriticalEnds, ItExpiresWithALink) {
    rig.send_at_once = false;
    route_far(rig, {by(kNode20, kLink20)});
    rig.link_up(kLink20, kNode20);
    BundleSpec brief = critical();
    brief.lifetime_ms = 10'000;
    store(brief);
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.set_outcome(0, Outcome::kExpired);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// An octet of the payload of the only bundle turns.
void damage(SimDirectory &directory) {
    directory.content(1)[4096 + 150] ^= 1;
}

TEST_F(CriticalEnds, WhatCannotBeReadIsNeverSent) {
    route_by_both(rig);
    store(critical());
    damage(directory);
    both_up();
    rig.run_for(kRigMoment);
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(rig.core().figures().held(), 1U) << "until it expires";
    expect_balance(rig, 1, 0);
}

TEST_F(CriticalEnds, WhatOneLinkHasCannotBeReadForTheOther) {
    rig.send_at_once = false;
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    store(critical());
    ASSERT_EQ(rig.lent.size(), 1U);
    damage(directory);
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 0U) << "one may still need it";
    rig.set_outcome(0, Outcome::kSent);
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
    expect_balance(rig, 1, 1);
}

TEST(CriticalReports, WhatExpiresUnsentIsReportedOnce) {
    SimDirectory directory;
    RigOptions options;
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec brief = critical();
    brief.lifetime_ms = 10'000;
    brief.report_deletion = true;
    rig.store({brief});
    rig.run_for(seconds(10));
    route_by_both(rig);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(CriticalAfterACrash, GoesToEveryNeighbourAgain) {
    SimDirectory directory;
    {
        Rig rig(directory);
        route_by_both(rig);
        rig.link_up(kLink20, kNode20);
        rig.store({critical()});
        rig.run_for(seconds(5));
        EXPECT_EQ(rig.released.size(), 1U);
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 0, 2);
}

TEST(CriticalWithoutRoom, IsNotDeletedForOthers) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 600;
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    rig.store({critical(1)});
    rig.run_for(kRigMoment);
    rig.store(bundles_numbered(2, 4));
    rig.run_for(kRigMoment);
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
}

}  // namespace
}  // namespace farlink::testing
