// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/module/scheduler/core/scheduler_fixture.hpp"

namespace farlink::scheduler::scheduler_core_test {
namespace {

TEST(SchedulerCore, WithoutAPlanEveryOutductIsPlannedForEver) {
    Fixture f(std::nullopt);
    EXPECT_EQ(f.drain(), (Lines{"plan of 1", "start 4 until 18446744073709551615"}));
    EXPECT_EQ(f.core.next_contact(), kNever);
    EXPECT_EQ(f.status(kLinkA, true, 5), Lines{"up 4 at 0"});
    EXPECT_EQ(f.status(kLinkA, false, 9), Lines{"down 4 lost"});
    EXPECT_EQ(f.core.plan()[0].source, kNode);
    EXPECT_EQ(f.core.plan()[0].destination, NodeNumber{2});
}

TEST(SchedulerCore, AnEmptyPlanPlansNothing) {
    Fixture f(std::vector<bus::Contact>{});
    EXPECT_EQ(f.drain(), Lines{"plan of 0"});
    EXPECT_EQ(f.status(kLinkA, true, 5), Lines{});
    EXPECT_EQ(f.core.next_contact(), kNever);
}

TEST(SchedulerCore, ALinkIsUpWhilePlannedAndConnected) {
    Fixture f({{contact(0, 2, kZero + 100, kZero + 200)}});
    EXPECT_EQ(f.drain(), Lines{"plan of 1"});
    EXPECT_EQ(f.core.next_contact(), at(100));
    EXPECT_EQ(f.advance(99), Lines{});
    EXPECT_EQ(f.advance(100), Lines{"start 4 until 1000200"});
    EXPECT_EQ(f.status(kLinkA, true, 120), Lines{"up 4 at 8000"});
    EXPECT_EQ(f.status(kLinkA, true, 121), Lines{});
    EXPECT_EQ(f.core.next_contact(), at(200));
    EXPECT_EQ(f.advance(200), (Lines{"down 4 ended", "end 4"}));
    EXPECT_EQ(f.status(kLinkA, false, 210), Lines{});
    EXPECT_EQ(f.core.next_contact(), kNever);
    EXPECT_EQ(f.last_sequence, 4U);
}

TEST(SchedulerCore, SaysWhichLinksCutBundlesToFitAContact) {
    Fixture f({{contact(0, 2, kZero, kZero + 200)}}, {{kLinkA, NodeNumber{2}, true}});
    f.drain();
    const auto in_snapshot = [&f] {
        f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kStorage},
                      at(1));
        bool cuts = false;
        while (auto message = f.core.poll_message())
            if (const auto *all = std::get_if<bus::LinkSnapshot>(&message->message))
                cuts = all->links.front().cuts_to_contact;
        return cuts;
    };
    EXPECT_TRUE(in_snapshot()) << "before it connects";
    bus::LinkStatus status{.link = kLinkA, .neighbour = NodeNumber{2}, .connected = true};
    f.core.handle(status, at(2));
    EXPECT_FALSE(in_snapshot()) << "as the link is now";
    status.connected = false;
    f.core.handle(status, at(3));
    f.drain();
    status.connected = status.cuts_to_contact = true;
    f.core.handle(status, at(4));
    const auto up = f.core.poll_message();
    ASSERT_TRUE(up.has_value() && std::holds_alternative<bus::LinkUp>(up->message));
    EXPECT_TRUE(std::get<bus::LinkUp>(up->message).cuts_to_contact);
}

TEST(SchedulerCore, AConnectionLostAndFoundAgainInsideAContact) {
    Fixture f({{contact(0, 2, kZero, kZero + 200)}});
    EXPECT_EQ(f.drain(), (Lines{"plan of 1", "start 4 until 1000200"}));
    EXPECT_EQ(f.status(kLinkA, true, 10), Lines{"up 4 at 8000"});
    EXPECT_EQ(f.status(kLinkA, false, 20), Lines{"down 4 lost"});
    EXPECT_EQ(f.status(kLinkA, true, 30), Lines{"up 4 at 8000"});
    EXPECT_EQ(f.status(kLinkA, false, 40), Lines{"down 4 lost"});
    EXPECT_EQ(f.advance(200), Lines{"end 4"});
}

TEST(SchedulerCore, ALinkThatIsConnectedBeforeItsContactComesUpWithIt) {
    Fixture f({{contact(0, 2, kZero + 100, kZero + 200)}});
    f.drain();
    EXPECT_EQ(f.status(kLinkA, true, 10), Lines{});
    EXPECT_EQ(f.advance(100), (Lines{"start 4 until 1000200", "up 4 at 8000"}));
}

TEST(SchedulerCore, ContactsThatTouchKeepTheLinkUpAndRepeatLinkUpForANewRate) {
    Fixture f({{contact(0, 2, kZero, kZero + 100, 8000), contact(1, 2, kZero + 100, kZero + 200),
                contact(2, 2, kZero + 200, kZero + 300, 16000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    EXPECT_EQ(f.core.next_contact(), at(200));
    EXPECT_EQ(f.advance(100), Lines{});
    EXPECT_EQ(f.advance(200), Lines{"up 4 at 16000"});
    EXPECT_EQ(f.advance(300), (Lines{"down 4 ended", "end 4"}));
}

TEST(SchedulerCore, TwoOutductsToOneNeighbourAreBothPlanned) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}},
              {{kLinkA, NodeNumber{2}}, {kLinkB, NodeNumber{2}}});
    EXPECT_EQ(f.drain(), (Lines{"plan of 1", "start 4 until 1000100", "start 5 until 1000100"}));
    EXPECT_EQ(f.status(kLinkB, true, 1), Lines{"up 5 at 8000"});
    EXPECT_EQ(f.advance(100), (Lines{"end 4", "down 5 ended", "end 5"}));
}

TEST(SchedulerCore, ContactsOfOtherNodesMoveNothingHere) {
    auto other = contact(0, 2, kZero, kZero + 100);
    other.source = NodeNumber{9};
    Fixture f({{other}});
    EXPECT_EQ(f.drain(), Lines{"plan of 1"});
    EXPECT_EQ(f.core.next_contact(), kNever);
}

TEST(SchedulerCore, ALateTimerEndsOneContactAndBeginsTheNext) {
    Fixture f({{contact(0, 2, kZero, kZero + 100), contact(1, 2, kZero + 110, kZero + 120),
                contact(2, 2, kZero + 150, kZero + 300)}});
    f.drain();
    f.status(kLinkA, true, 1);
    EXPECT_EQ(f.advance(160),
              (Lines{"down 4 ended", "end 4", "start 4 until 1000300", "up 4 at 8000"}));
}

TEST(SchedulerCore, AStatusBringsContactsUpToDateFirst) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.status(kLinkA, true, 1);
    EXPECT_EQ(f.status(kLinkA, false, 100), (Lines{"down 4 ended", "end 4"}));
}

TEST(SchedulerCore, ALinkThatComesLaterIsThereForEverWhereThePlanKnowsNothingOfIt) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}, .connected = true}, 10),
              (Lines{"plan of 2", "start 77 until " + std::to_string(kDtnNever), "up 77 at 0"}));
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}}, 20),
              (Lines{"down 77 lost"}));
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}, .connected = true}, 30),
              (Lines{"up 77 at 0"}));
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}, .removed = true}, 40),
              (Lines{"down 77 removed", "end 77", "snapshot 4p-"}));
    EXPECT_EQ(f.core.plan().size(), 2U);
}

TEST(SchedulerCore, ALinkToANeighbourWithoutOutductFollowsThePlan) {
    Fixture f({{contact(0, 9, kZero + 50, kZero + 100)}});
    f.drain();
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}, .connected = true}, 10),
              Lines{});
    EXPECT_EQ(f.advance(50), (Lines{"start 77 until 1000100", "up 77 at 8000"}));
    EXPECT_EQ(f.advance(100), (Lines{"down 77 ended", "end 77"}));
}

TEST(SchedulerCore, ALinkThatComesLaterFollowsThePlan) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    EXPECT_EQ(f.report({.link = LinkId{77}, .neighbour = NodeNumber{2}, .connected = true}, 10),
              (Lines{"start 4 until 1000100", "start 77 until 1000100", "up 77 at 8000"}));
    EXPECT_EQ(f.advance(100), (Lines{"end 4", "down 77 ended", "end 77"}));
}

TEST(SchedulerCore, ALinkThatComesAgainHearsOfItsContact) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    EXPECT_EQ(f.status(kLinkA, false, 10), Lines{"start 4 until 1000100"});
    EXPECT_EQ(f.status(kLinkA, true, 20), Lines{"up 4 at 8000"});
    EXPECT_EQ(f.status(kLinkA, false, 30), Lines{"down 4 lost"}) << "it was there";
}

TEST(SchedulerCore, AStepOfTheClockDoesNotCutARunningContact) {
    Fixture f({{contact(0, 2, kZero, kZero + 100), contact(1, 2, kZero + 1000, kZero + 1100)}});
    f.drain();
    f.core.set_wall_clock({at(50), kZero + 550}, at(50));
    EXPECT_EQ(f.drain(), Lines{});
    EXPECT_EQ(f.core.next_contact(), at(100));
    EXPECT_EQ(f.advance(100), Lines{"end 4"});
    EXPECT_EQ(f.core.next_contact(), at(500));
    EXPECT_EQ(f.advance(500), Lines{"start 4 until 1001100"});
}

TEST(SchedulerCore, AContactGoesOnWhenTheClockWasSetBack) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.core.set_wall_clock({at(50), kZero + 20}, at(50));
    EXPECT_EQ(f.advance(100), Lines{});
    EXPECT_EQ(f.core.next_contact(), at(130));
    EXPECT_EQ(f.advance(130), Lines{"end 4"});
}

TEST(SchedulerCore, AStepOfTheClockCanBeginAContact) {
    Fixture f({{contact(0, 2, kZero + 1000, kZero + 2000)}});
    f.drain();
    f.core.set_wall_clock({at(10), kZero + 1500}, at(10));
    EXPECT_EQ(f.drain(), Lines{"start 4 until 1002000"});
    EXPECT_EQ(f.core.next_contact(), at(510));
}

TEST(SchedulerCore, ANewPlanKeepsALinkThatBothPlansHaveOpen) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.status(kLinkA, true, 1);
    f.core.replace_plan({contact(7, 2, kZero, kZero + 300)}, at(10));
    EXPECT_EQ(f.drain(), (Lines{"start 4 until 1000300", "up 4 at 8000", "plan of 1"}));
    f.core.replace_plan({}, at(20));
    EXPECT_EQ(f.drain(), (Lines{"down 4 ended", "end 4", "plan of 0"}));
}

TEST(SchedulerCore, TheStateOfLinksIsRepeatedInCaseAnEventWasLost) {
    Fixture f(std::nullopt);
    f.drain();
    EXPECT_EQ(f.core.next_timeout(), at(1000));
    EXPECT_EQ(f.advance(1000), Lines{"snapshot 4p-"});
    EXPECT_EQ(f.last_sequence, 1U);
    EXPECT_EQ(f.core.next_timeout(), at(3000));
    EXPECT_EQ(f.status(kLinkA, true, 2500), Lines{"up 4 at 0"});
    EXPECT_EQ(f.core.next_timeout(), at(3500));
}

TEST(SchedulerCore, ContactsFarAwayNeedNoTimer) {
    Fixture f({{contact(0, 2, kDtnNever - 10, kDtnNever)}});
    EXPECT_EQ(f.core.next_contact(), kNever);
}

std::vector<bus::Contact> half_minutes(std::size_t count) {
    std::vector<bus::Contact> contacts;
    for (std::size_t i = 0; i < count; ++i)
        contacts.push_back(contact(i, 2, kZero + i * 60'000, kZero + i * 60'000 + 30'000));
    return contacts;
}

TEST(SchedulerCore, ContactsThatRepeatForHoursComeAndGoOnTime) {
    constexpr std::size_t kHours = 5;
    Fixture f(half_minutes(kHours * 60));
    f.drain();
    f.status(kLinkA, true, 0);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(kHours) * 60; ++i) {
        const std::int64_t end = i * 60'000 + 30'000;
        ASSERT_EQ(f.core.next_contact(), at(end));
        ASSERT_EQ(f.advance(end), (Lines{"down 4 ended", "end 4"}));
        if (i + 1 == static_cast<std::int64_t>(kHours) * 60) break;
        ASSERT_EQ(f.core.next_contact(), at(end + 30'000));
        ASSERT_EQ(f.advance(end + 30'000).back(), "up 4 at 8000");
    }
    EXPECT_EQ(f.core.next_contact(), kNever);
}

TEST(SchedulerCore, OfOverlappingContactsTheYoungestIsInForce) {
    Fixture f({{contact(0, 2, kZero, kZero + 300, 1), contact(1, 2, kZero + 100, kZero + 200, 2)}});
    f.drain();
    EXPECT_EQ(f.status(kLinkA, true, 0), Lines{"up 4 at 1"});
    EXPECT_EQ(f.advance(100), Lines{"up 4 at 2"});
    EXPECT_EQ(f.advance(200), Lines{"up 4 at 1"});
    EXPECT_EQ(f.advance(300), (Lines{"down 4 ended", "end 4"}));
}

TEST(SchedulerCore, TheOperatorTakesALinkDownAndUpAgain) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    const auto order = [&](bool enabled, std::int64_t ms) {
        f.core.handle(bus::LinkAdmin{kLinkA, enabled}, at(ms));
        return f.drain();
    };
    EXPECT_EQ(order(false, 10), (Lines{"down 4 by operator", "end 4", "snapshot 4-cx"}));
    EXPECT_EQ(f.last_sequence, 5U) << "the snapshot is numbered, so that nobody passes it over";
    EXPECT_EQ(order(false, 11), Lines{});
    EXPECT_EQ(f.status(kLinkA, false, 12), Lines{});
    EXPECT_EQ(order(true, 20), (Lines{"start 4 until 1001000", "snapshot 4p-"}));
    EXPECT_EQ(f.status(kLinkA, true, 21), Lines{"up 4 at 8000"});
    f.core.handle(bus::LinkAdmin{LinkId{99}, false}, at(22));
    EXPECT_EQ(f.drain(), Lines{});
}

TEST(SchedulerCore, ALinkThatIsTakenDownHasNoContacts) {
    Fixture f({{contact(0, 2, kZero + 100, kZero + 200), contact(1, 2, kZero + 300, kZero + 400)}});
    f.drain();
    f.core.handle(bus::LinkAdmin{kLinkA, false}, at(1));
    EXPECT_EQ(f.drain(), Lines{"snapshot 4--x"});
    EXPECT_EQ(f.status(kLinkA, true, 2), Lines{});
    EXPECT_EQ(f.advance(100), Lines{});
    EXPECT_EQ(f.advance(200), Lines{});
    f.core.handle(bus::LinkAdmin{kLinkA, true}, at(250));
    EXPECT_EQ(f.drain(), Lines{"snapshot 4-c"});
    EXPECT_EQ(f.advance(300), (Lines{"start 4 until 1000400", "up 4 at 8000"}));
}

TEST(SchedulerCore, ANeighbourWithoutRoomIsKnownForAsLongAsItLasts) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    f.core.handle(bus::NeighbourDepleted{NodeNumber{2}, milliseconds(100)}, at(10));
    const auto published = f.core.poll_message();
    ASSERT_TRUE(published.has_value());
    EXPECT_EQ(published->to, bus::AgentId::kRouter);
    EXPECT_EQ(std::get<bus::NeighbourDepleted>(published->message).pause, milliseconds(100));
    EXPECT_EQ(only_entry(f, 40).depleted_for, milliseconds(70));
    EXPECT_EQ(only_entry(f, 200).depleted_for, Duration::zero());
    f.core.handle(bus::NeighbourDepleted{NodeNumber{77}, milliseconds(100)}, at(210));
    EXPECT_EQ(f.drain(), Lines{}) << "of no neighbour";
}

TEST(SchedulerCore, WhatThePlanDoesNotKnowGivesWayToAContact) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.report({.link = LinkId{77}, .neighbour = NodeNumber{9}, .connected = true}, 10);
    const bus::Contact planned = contact(1, 9, kZero + 50, kZero + 90);
    f.core.handle(bus::PlanChange{{}, {planned}}, at(20));
    EXPECT_EQ(f.drain(), (Lines{"down 77 ended", "end 77", "plan -1 +1", "snapshot 4p- 77-c"}));
    EXPECT_EQ(f.core.plan().size(), 2U);
    f.core.handle(bus::PlanChange{{}, {contact(2, 2, kZero + 200, kZero + 300)}}, at(30));
    EXPECT_EQ(f.drain(), (Lines{"plan -0 +1", "snapshot 4p- 77-c"}));
    f.core.handle(bus::PlanChange{{planned}, {}}, at(40));
    EXPECT_EQ(f.drain(), (Lines{"plan -1 +1", "start 77 until " + std::to_string(kDtnNever),
                                "up 77 at 0", "snapshot 4p- 77pc"}));
}

TEST(SchedulerCore, AStepOfTheClockIsTold) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    EXPECT_EQ(f.core.set_wall_clock({at(50), kZero + 50}, at(50)), milliseconds(0));
    EXPECT_EQ(f.core.set_wall_clock({at(60), kZero + 1060}, at(60)), milliseconds(1000));
    EXPECT_EQ(f.core.set_wall_clock({at(70), kZero + 70}, at(70)), milliseconds(-1000));
}

TEST(SchedulerCore, WithoutEgressNothingIsConnected) {
    Fixture f(std::nullopt, {{kLinkA, NodeNumber{2}}, {kLinkB, NodeNumber{2}}});
    f.drain();
    EXPECT_EQ(f.status(kLinkA, true, 1), Lines{"up 4 at 0"});
    f.core.handle(bus::ModuleLost{bus::AgentId::kStorage}, at(2));
    EXPECT_EQ(f.drain(), Lines{});
    f.core.handle(bus::ModuleLost{bus::AgentId::kEgress}, at(3));
    EXPECT_EQ(f.drain(), Lines{"down 4 lost"});
    EXPECT_EQ(f.status(kLinkA, true, 4), Lines{"up 4 at 0"}) << "it is back";
}

}  // namespace
}  // namespace farlink::scheduler::scheduler_core_test
