// SPDX-License-Identifier: Apache-2.0
// Critical bundles: one record, sent to every neighbour that may bring it to its destination; and
// how they end: by coming again, expiring, being damaged, or a crash.
#include "module/storage/core/release/critical_releaser.hpp"

#include "tests/unit/module/storage/core/release/critical_rig.hpp"

namespace farlink::test::critical_releaser_test {
namespace {

TEST_F(Critical, GoesToEveryNeighbourWhoseLinkIsUp) {
    route_by_both(rig);
    both_up();
    store(critical());
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.released[0].octets, encode(critical()));
    EXPECT_EQ(rig.released[1].octets, encode(critical()));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kCriticalSent), 2U);
    EXPECT_EQ(rig.count(StorageCounter::kCriticalReleased), 1U);
    expect_balance(rig, 1, 2);
}

TEST_F(Critical, OneRecordWaitsForTheNeighboursWhoseLinkIsDown) {
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    store(critical());
    EXPECT_EQ(released_by(rig), Links{kLink20});
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredTotal), 1U);
    expect_balance(rig, 1, 1);
    rig.run_for(seconds(600));
    EXPECT_EQ(released_by(rig), Links{kLink20}) << "once for each";
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 2);
}

TEST_F(Critical, BothLinksHaveItAtTheSameTime) {
    rig.send_at_once = false;
    route_by_both(rig);
    both_up();
    store(critical());
    ASSERT_EQ(rig.lent.size(), 2U) << "a slow one does not keep it from the other";
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 2);
}

TEST_F(Critical, WhatALinkGivesBackIsSentByItAgain) {
    rig.send_at_once = false;
    route_by_both(rig);
    both_up();
    store(critical());
    rig.link_down(kLink20, kNode20);
    ASSERT_EQ(rig.lent.size(), 2U);
    const std::size_t broken = rig.lent[0]->link == kLink20 ? 0 : 1;
    rig.set_outcome(broken, Outcome::kNotSent);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_TRUE(rig.lent.empty());
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->link, kLink20);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 1U);
    expect_balance(rig, 1, 2);
}

TEST_F(Critical, AWayThatIsGoneIsNotWaitedFor) {
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    store(critical());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    route_far(rig, {by(kNode20, kLink20)});
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 1);
}

TEST_F(Critical, AWayThatComesUpMeanwhileCounts) {
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink50, kNode50);
    store(critical());
    route_far(rig, {by(kNode20, kLink20), by(kNode30, kLink30), by(kNode50, kLink50)});
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink50}));
    route_far(rig, {by(kNode50, kLink50)});
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, WithoutAnyWayItWaitsForOne) {
    both_up();
    store(critical());
    EXPECT_TRUE(rig.released.empty());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    route_by_both(rig);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, AWayOnWhichItComesTooLateIsNone) {
    bus::RouteCandidate late = by(kNode30, kLink30);
    late.arrival = kRigStartMs + 7'200'000;  // its lifetime is an hour
    route_far(rig, {by(kNode20, kLink20), late});
    both_up();
    store(critical());
    EXPECT_EQ(released_by(rig), Links{kLink20});
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, ItGoesNotBackToItsSender) {
    route_by_both(rig);
    both_up();
    BatchPtr batch = rig.make_batch({critical()});
    batch->next_hop = kNode20;
    rig.core().handle(bus::StoreBatch{std::move(batch)}, rig.now);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), Links{kLink30});
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, ItGoesBeforeWhatWaits) {
    route_by_both(rig);
    BundleSpec urgent = bundle_numbered(1);
    urgent.destination_node = kFar.value();
    urgent.priority = Priority::kExpedited;
    rig.store({urgent});
    store(critical(2));
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.released_sequences(), (std::vector<std::uint64_t>{2, 1}));
}

TEST_F(Critical, OthersOfItsFlowDoNotStayBehindIt) {
    store(critical());
    ASSERT_FALSE(rig.backlogs.empty());
    EXPECT_EQ(rig.backlogs.back().waiting, 0U);
    EXPECT_EQ(rig.backlogs.back().taken[0], 1U);
}

TEST_F(Critical, TooLateForAContactItWaitsForTheNext) {
    rig.send_at_once = false;
    route_by_both(rig);
    both_up();
    store(critical());
    ASSERT_EQ(rig.lent.size(), 2U);
    const LinkId late = rig.lent[0]->link;
    const NodeNumber neighbour = late == kLink20 ? kNode20 : kNode30;
    rig.set_outcome(0, Outcome::kTooLate);
    rig.set_outcome(0, Outcome::kSent);
    rig.run_for(seconds(10));
    EXPECT_TRUE(rig.lent.empty());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.link_down(late, neighbour);
    rig.link_up(late, neighbour);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, ALinkThatLeadsElsewhereTakesNothingForTheNeighbourBefore) {
    route_by_both(rig);
    rig.link_up(kLink30, kNode30);
    rig.link_up(kLink20, kNode50);  // without a new route
    store(critical());
    EXPECT_EQ(released_by(rig), Links{kLink30});
    rig.link_down(kLink20, kNode50);
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, ItIsNotLentTwiceToALinkThatChangesItsNeighbour) {
    rig.send_at_once = false;
    route_far(rig, {by(kNode20, kLink20)});
    rig.link_up(kLink20, kNode20);
    store(critical());
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.link_up(kLink20, kNode50);
    route_far(rig, {by(kNode50, kLink20)});
    EXPECT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kNotSent);
    rig.link_up(kLink20, kNode50);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->next_hop, kNode50);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Critical, ManyGoEachOnceToEach) {
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    std::vector<BundleSpec> many;
    for (std::uint64_t sequence = 1; sequence <= 500; ++sequence)
        many.push_back(critical(sequence));
    rig.store(many);
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.released.size(), 500U);
    route_by_both(rig);  // nothing has changed
    rig.link_up(kLink30, kNode30);
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.released.size(), 1000U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 500, 1000);
}

TEST(CriticalInStripes, GoesToEveryNeighbour) {
    std::array<SimDirectory, 2> directories;
    RigOptions options;
    options.stripe_above_bytes = 10'000;
    Rig rig(std::vector{&directories[0], &directories[1]}, options);
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    BundleSpec large = critical();
    large.payload_bytes = 40'000;
    rig.store({large});
    rig.run_for(milliseconds(100));
    EXPECT_EQ(released_by(rig), (Links{kLink20, kLink30}));
    for (const Released &each : rig.released) EXPECT_EQ(each.octets, encode(large));
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

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

/// The neighbour that has given it back may have been the only one with it.
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

TEST_F(CriticalEnds, ItExpiresUnsent) {
    route_by_both(rig);
    BundleSpec brief = critical();
    brief.lifetime_ms = 10'000;
    store(brief);
    rig.run_for(seconds(10));
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 0);
}

TEST_F(CriticalEnds, ItExpiresAfterACopyWasSent) {
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
}  // namespace farlink::test::critical_releaser_test
