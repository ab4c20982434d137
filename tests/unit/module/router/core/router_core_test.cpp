// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/module/router/core/router_fixture.hpp"

namespace farlink::router::router_core_test {
namespace {

TEST_F(RouterCoreTest, SaysNothingBeforeThePlan) {
    start(12, 0);
    up(12, 1);
    EXPECT_FALSE(core.poll_message().has_value());
    EXPECT_EQ(core.next_recompute(), kNever);
}

TEST_F(RouterCoreTest, PublishesTheTableOfAPlanOnce) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    plan_both_ways();
    EXPECT_EQ(published(), "-");
}

TEST_F(RouterCoreTest, AnEmptyTableIsPublishedToo) {
    plan({});
    const auto message = core.poll_message();
    ASSERT_TRUE(message.has_value());
    const auto &update = std::get<bus::RouteUpdate>(message->message);
    EXPECT_TRUE(update.routes.empty());
    EXPECT_EQ(update.header.epoch, 5U);
    EXPECT_EQ(update.header.sequence, 1U);
}

TEST_F(RouterCoreTest, PermanentContactsLeadToNeighbours) {
    plan({{0, NodeNumber{1}, NodeNumber{2}, 0, kDtnNever, {}, {}},
          {1, NodeNumber{1}, NodeNumber{3}, 0, kDtnNever, {}, {}}});
    EXPECT_EQ(published(2), "12");
    EXPECT_EQ(core.next_recompute(), kNever);
}

TEST_F(RouterCoreTest, ALostLinkReRoutesAndItsReturnRestores) {
    plan_both_ways();
    start(12, 0);
    up(12, 1);
    EXPECT_EQ(published(), "12 13");
    lose(12, 10);
    EXPECT_EQ(published(), "13");
    up(12, 20);
    EXPECT_EQ(published(), "12 13");
}

TEST_F(RouterCoreTest, SaysWhichLinksCutBundlesToFitAContact) {
    plan_both_ways();
    published();
    const auto cutting = [this] {
        std::string text = "-";
        while (auto message = core.poll_message())
            for (const bus::Route &route : std::get<bus::RouteUpdate>(message->message).routes)
                for (const bus::RouteCandidate &candidate : route.candidates)
                    if (candidate.cuts_to_contact && route.destination == NodeNumber{4})
                        text = std::to_string(candidate.link.value());
        return text;
    };
    bus::LinkUp up_cutting;
    up_cutting.link = LinkId{12};
    up_cutting.neighbour = NodeNumber{2};
    up_cutting.cuts_to_contact = true;
    core.handle(up_cutting, at(1));
    EXPECT_EQ(cutting(), "12");
    bus::LinkSnapshot snapshot;
    snapshot.links.resize(2);
    for (std::size_t place = 0; place < 2; ++place) {
        const std::uint32_t link = place == 0 ? 12 : 13;
        snapshot.links[place].link = LinkId{link};
        snapshot.links[place].neighbour = neighbour_of(link);
        snapshot.links[place].cuts_to_contact = link == 13;
    }
    core.handle(snapshot, at(2));
    EXPECT_EQ(cutting(), "13");
}

TEST_F(RouterCoreTest, TheOnlyWayStaysWhenItIsLost) {
    plan_both_ways();
    published();
    lose(12, 10);
    EXPECT_EQ(published(2), "12");
}

TEST_F(RouterCoreTest, APlannedEndOfAContactIsNoLoss) {
    plan({contact(0, 1, 2, 0, 100), contact(1, 2, 4, 0, 1000), contact(2, 1, 2, 200, 300)});
    start(12, 0);
    up(12, 1);
    EXPECT_EQ(published(), "12");
    core.handle(bus::LinkDown{{}, LinkId{12}, {}, bus::LinkDownReason::kContactEnded}, at(100));
    core.handle(bus::ContactEnd{{}, LinkId{12}, {}}, at(100));
    EXPECT_EQ(published(), "12");  // by the later contact: the route is another one
    EXPECT_EQ(core.table().rows[1].candidates[0].contacts, (std::vector<std::uint64_t>{2, 1}));
}

TEST_F(RouterCoreTest, ALinkThatDoesNotConnectIsLostAfterTheGrace) {
    plan({contact(0, 1, 2, 0, 100'000), contact(1, 2, 4, 0, 100'000), contact(2, 1, 3, 0, 100'000),
          contact(3, 3, 4, 50'000, 100'000)});
    EXPECT_EQ(published(), "12 13");
    start(12, 0);
    const TimePoint grace = at(0) + kConnectGrace;
    while (core.next_recompute() < grace) core.handle_timeout(core.next_timeout());
    EXPECT_EQ(published(), "-");
    EXPECT_EQ(core.next_recompute(), grace);
    core.handle_timeout(grace);
    EXPECT_EQ(published(), "13");
}

TEST_F(RouterCoreTest, ARouteThatEndsIsReplacedInTime) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    while (core.next_recompute() < at(1000)) core.handle_timeout(core.next_timeout());
    published();
    ASSERT_EQ(core.next_recompute(), at(1000));
    core.handle_timeout(at(1000));
    EXPECT_EQ(published(), "13");
    core.handle_timeout(at(2000));
    EXPECT_EQ(published(), "");
    EXPECT_EQ(core.next_recompute(), kNever);
}

TEST_F(RouterCoreTest, OfTwoLinksToOneNeighbourTheOneThatIsUp) {
    core = RouterCore({NodeNumber{1},
                       {{LinkId{12}, NodeNumber{2}}, {LinkId{22}, NodeNumber{2}}},
                       5,
                       {at(0), kZero}});
    plan({contact(0, 1, 2, 0, 1000)});
    start(12, 0);
    start(22, 0);
    EXPECT_EQ(published(2), "12");
    up(22, 1);
    EXPECT_EQ(published(2), "22");
    up(12, 2);
    EXPECT_EQ(published(2), "12");
    lose(12, 3);
    EXPECT_EQ(published(2), "22");
    lose(22, 4);
    EXPECT_EQ(published(2), "12");
}

TEST_F(RouterCoreTest, ASnapshotOfLinksReplacesWhatWasKnown) {
    plan_both_ways();
    lose(12, 1);
    EXPECT_EQ(published(), "13");
    bus::LinkSnapshot snapshot;
    snapshot.links.push_back({LinkId{12}, NodeNumber{2}, {}, {}, 0, true, true});
    snapshot.links.push_back({LinkId{13}, NodeNumber{3}, {}, {}, 0, true, true});
    snapshot.links.push_back({LinkId{99}, NodeNumber{9}, {}, {}, 0, true, true});
    core.handle(snapshot, at(2));
    EXPECT_EQ(published(), "12 13");
}

TEST_F(RouterCoreTest, ALinkThatTheSnapshotDoesNotNameIsGone) {
    plan({contact(0, 1, 2, 0, 100'000)});
    start(12, 0);
    up(12, 1);
    start(22, 1);
    published();
    EXPECT_EQ(core.next_recompute(), at(1) + kConnectGrace) << "22 may come up until then";
    core.handle(bus::LinkSnapshot{{}, {{LinkId{12}, NodeNumber{2}, {}, {}, 0, true, true, 9}}},
                at(2));
    EXPECT_EQ(core.next_recompute(), at(100'000)) << "nobody waits for 22 any more";
}

TEST_F(RouterCoreTest, NothingWaitsForALinkThatWasRemoved) {
    plan_both_ways();
    EXPECT_EQ(published(2), "12");
    core.handle(bus::ContactEnd{{}, LinkId{12}, NodeNumber{2}}, at(1));
    EXPECT_EQ(published(), "-") << "there may be another contact: nothing changes";
    core.handle(bus::LinkSnapshot{{}, {{LinkId{13}, NodeNumber{3}, {}, {}, 0, true, true, 9}}},
                at(2));
    EXPECT_EQ(published(), "13");
    core.handle(bus::LinkSnapshot{{}, {{LinkId{13}, NodeNumber{3}, {}, {}, 0, true, true, 9}}},
                at(3));
    EXPECT_EQ(published(2), "-") << "no route, and no news";
}

TEST_F(RouterCoreTest, ALinkMayLeadToAnotherNeighbour) {
    plan_both_ways();
    EXPECT_EQ(published(2), "12");
    core.handle(bus::ContactEnd{{}, LinkId{12}, NodeNumber{2}}, at(1));
    core.handle(bus::ContactEnd{{}, LinkId{13}, NodeNumber{3}}, at(1));
    published();
    core.handle(bus::LinkUp{{}, LinkId{12}, NodeNumber{3}, {}}, at(2));
    const auto message = core.poll_message();
    ASSERT_TRUE(message);
    const auto &update = std::get<bus::RouteUpdate>(message->message);
    EXPECT_EQ(links(update, 2), "") << "no link to the next hop";
    EXPECT_EQ(links(update, 3), "12");
}

TEST_F(RouterCoreTest, AStepOfTheClockIsTakenAtOnce) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    core.set_wall_clock({at(10), kZero + 1500}, at(10));
    EXPECT_EQ(published(), "13");
}

TEST_F(RouterCoreTest, TheTableIsRepeatedInCaseItWasLost) {
    plan({{0, NodeNumber{1}, NodeNumber{2}, 0, kDtnNever, {}, {}}});
    published();
    EXPECT_EQ(core.next_timeout(), at(0) + bus::EventRepeat::kFirstPause);
    core.handle_timeout(core.next_timeout());
    const auto again = core.poll_message();
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(again->publish);
    EXPECT_EQ(std::get<bus::RouteUpdate>(again->message).header.sequence, 1U);
}

TEST_F(RouterCoreTest, ADriftOfTheClockMovesTheTimerOnly) {
    plan({contact(0, 1, 2, 0, 1000)});
    EXPECT_EQ(published(2), "12");
    EXPECT_EQ(core.next_recompute(), at(1000));
    core.set_wall_clock({at(10), kZero + 30}, at(10));
    EXPECT_EQ(published(2), "-");
    EXPECT_EQ(core.next_recompute(), at(980));
    core.handle_timeout(at(980));
    EXPECT_EQ(published(2), "");
}

TEST_F(RouterCoreTest, ALinkThatTheOperatorHasTakenDownIsNoWay) {
    plan_both_ways();
    start(12, 1);
    start(13, 1);
    up(12, 2);
    up(13, 2);
    EXPECT_EQ(published(), "12 13");
    core.handle(bus::LinkDown{{}, LinkId{12}, NodeNumber{2}, bus::LinkDownReason::kAdministrative},
                at(10));
    EXPECT_EQ(published(), "13");
    core.handle(bus::ContactEnd{{}, LinkId{12}, NodeNumber{2}}, at(10));
    EXPECT_EQ(published(), "-") << "not back before it is enabled";
    start(12, 20);
    up(12, 20);
    EXPECT_EQ(published(), "12 13");
}

TEST_F(RouterCoreTest, ASnapshotTellsWhichLinksAreDisabled) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    bus::LinkSnapshot snapshot;
    for (const std::uint32_t link : {12U, 13U}) {
        bus::LinkEntry entry;
        entry.link = LinkId{link};
        entry.neighbour = neighbour_of(link);
        entry.enabled = link == 13;
        snapshot.links.push_back(entry);
    }
    core.handle(snapshot, at(5));
    EXPECT_EQ(published(), "13");
    snapshot.links[0].enabled = true;
    core.handle(snapshot, at(6));
    EXPECT_EQ(published(), "12 13");
}

TEST_F(RouterCoreTest, ANeighbourWithoutRoomIsAvoidedForAWhile) {
    plan_both_ways();
    up(12, 2);
    up(13, 2);
    EXPECT_EQ(published(), "12 13");
    core.handle(bus::NeighbourDepleted{NodeNumber{2}, milliseconds(50)}, at(10));
    EXPECT_EQ(published(), "13");
    EXPECT_EQ(published(2), "-");
    EXPECT_EQ(core.next_recompute(), at(60));
    core.handle_timeout(at(60));
    EXPECT_EQ(published(), "12 13");
}

TEST_F(RouterCoreTest, WhatWaitsLeavesLessRoom) {
    bus::Contact brief = contact(0, 1, 2, 0, 10'000);
    brief.rate = BitRate{8000};
    plan({brief});
    const auto room = [this]() -> std::uint64_t {
        const auto message = core.poll_message();
        if (!message) return 0;
        const auto &update = std::get<bus::RouteUpdate>(message->message);
        return update.routes[0].candidates[0].room_bytes[0];
    };
    EXPECT_EQ(room(), 10'000U);
    const bus::BacklogReport report{bus::AgentId::kStorage,
                                    {{NodeNumber{2}, Priority::kNormal, 6000}}};
    core.handle(report, at(0));
    EXPECT_EQ(room(), 4000U);
    core.handle(report, at(0));
    EXPECT_FALSE(core.poll_message()) << "nothing is new";
    core.handle(
        bus::BacklogReport{bus::AgentId::kEgress, {{NodeNumber{2}, Priority::kNormal, 1000}}},
        at(0));
    EXPECT_EQ(room(), 3000U);
    core.handle(bus::BacklogReport{bus::AgentId::kStorage, {}}, at(0));
    EXPECT_EQ(room(), 9000U) << "what does not wait is free again";
    core.handle(bus::ModuleLost{bus::AgentId::kEgress}, at(0));
    EXPECT_EQ(room(), 10'000U) << "nobody holds it any more";
}

TEST_F(RouterCoreTest, TheLinkOfEachNeighbourIsTold) {
    plan_both_ways();
    published();
    start(12, 0);
    up(12, 1);
    std::vector<bus::NeighbourLink> published;
    while (auto message = core.poll_message())
        published = std::get<bus::RouteUpdate>(message->message).neighbours;
    EXPECT_EQ(published, (std::vector<bus::NeighbourLink>{{NodeNumber{2}, LinkId{12}, true},
                                                          {NodeNumber{3}, LinkId{13}, false}}));
}

TEST_F(RouterCoreTest, AHoldIsPublishedAndChangesNoRoute) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    const auto held = [this] {
        std::vector<NodeNumber> nodes;
        while (auto message = core.poll_message())
            nodes = std::get<bus::RouteUpdate>(message->message).held;
        return nodes;
    };
    core.handle(bus::DestinationHold{NodeNumber{4}, true}, at(1));
    core.handle(bus::DestinationHold{NodeNumber{2}, true}, at(1));
    EXPECT_EQ(held(), (std::vector{NodeNumber{2}, NodeNumber{4}}));
    core.handle(bus::DestinationHold{NodeNumber{4}, true}, at(2));
    EXPECT_FALSE(core.poll_message().has_value()) << "known already";
    core.handle(bus::DestinationHold{NodeNumber{2}, false}, at(3));
    EXPECT_EQ(held(), std::vector{NodeNumber{4}});
}

TEST_F(RouterCoreTest, WhatIsHeldTakesNoRoomOnTheWaysOfOthers) {
    plan({contact(0, 1, 2, 0, 1000), contact(1, 2, 4, 0, 1000), contact(2, 2, 5, 0, 1000)});
    (void)published();
    const auto booked = [this](std::uint64_t destination) {
        for (const bus::Route &route : core.table().routes())
            if (route.destination == NodeNumber{destination})
                return route.candidates.front().booked_bytes[1];
        return std::uint64_t{0};
    };
    core.handle(
        bus::BacklogReport{bus::AgentId::kStorage, {{NodeNumber{4}, Priority::kNormal, 500, 100}}},
        at(1));
    EXPECT_EQ(booked(4), 500U);
    core.handle(bus::DestinationHold{NodeNumber{4}, true}, at(2));
    EXPECT_EQ(booked(4), 0U);
    core.handle(bus::DestinationHold{NodeNumber{4}, false}, at(3));
    EXPECT_EQ(booked(4), 500U);
}

TEST(RouterCoreHolds, WhereHoldsAreAwaitedNoTableIsPublishedBeforeTheLast) {
    RouterSetup setup;
    setup.node = NodeNumber{1};
    setup.outducts = {{LinkId{12}, NodeNumber{2}}};
    setup.clock = {at(0), kZero};
    setup.awaits_holds = true;
    RouterCore core(setup);
    core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kIngress}, at(0));
    core.handle(bus::ContactsUpdate{{}, {contact(0, 1, 2, 0, 1000)}}, at(0));
    core.handle(bus::DestinationHold{NodeNumber{2}, true}, at(1));
    EXPECT_FALSE(core.poll_message().has_value());
    core.handle(bus::DestinationHold{}, at(2));
    std::size_t published = 0;
    for (; auto message = core.poll_message(); ++published)
        EXPECT_EQ(std::get<bus::RouteUpdate>(message->message).held, std::vector{NodeNumber{2}});
    EXPECT_EQ(published, 2U) << "published, and to who had asked";
}

}  // namespace
}  // namespace farlink::router::router_core_test
