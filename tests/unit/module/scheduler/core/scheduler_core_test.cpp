// SPDX-License-Identifier: Apache-2.0
#include "module/scheduler/core/scheduler_core.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace farlink::scheduler {
namespace {

using Lines = std::vector<std::string>;

constexpr NodeNumber kNode{1};
constexpr LinkId kLinkA{4};
constexpr LinkId kLinkB{5};

template <class... Overloads>
struct Overloaded : Overloads... {
    using Overloads::operator()...;
};

std::string line(std::string_view what, LinkId link) {
    return std::string(what) + " " + std::to_string(link.value());
}

/// One line a message, so that a test reads as the story it tells.
std::string describe(const bus::Message &message) {
    return std::visit(
        Overloaded{
            [](const bus::ContactStart &m) {
                return line("start", m.link) + " until " + std::to_string(m.ends);
            },
            [](const bus::ContactEnd &m) { return line("end", m.link); },
            [](const bus::LinkUp &m) {
                return line("up", m.link) + " at " + std::to_string(m.rate.value());
            },
            [](const bus::LinkDown &m) {
                constexpr std::array kWhy{" ended", " lost", " by operator"};
                return line("down", m.link) + kWhy[static_cast<std::size_t>(m.reason)];
            },
            [](const bus::ContactsUpdate &m) {
                return "plan of " + std::to_string(m.contacts.size());
            },
            [](const bus::ContactsChange &m) {
                return "plan -" + std::to_string(m.removed.size()) + " +" +
                       std::to_string(m.added.size());
            },
            [](const bus::LinkSnapshot &m) {
                std::string text = "snapshot";
                for (const bus::LinkEntry &entry : m.links)
                    text += line("", entry.link) + (entry.planned ? "p" : "-") +
                            (entry.connected ? "c" : "-") + (entry.enabled ? "" : "x");
                return text;
            },
            [](const auto &) { return std::string("?"); },
        },
        message);
}

TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

bus::Contact contact(std::uint64_t id, std::uint64_t to, DtnTime start, DtnTime end,
                     std::uint64_t rate = 8000) {
    return {id, kNode, NodeNumber{to}, start, end, BitRate{rate}, {}};
}

/// DTN time 1,000,000 ms is monotonic time 0.
constexpr DtnTime kZero = 1'000'000;

struct Fixture {
    explicit Fixture(std::optional<std::vector<bus::Contact>> plan,
                     std::vector<OutductEntry> outducts = {{kLinkA, NodeNumber{2}}})
        : core({kNode, std::move(outducts), std::move(plan), 77, {at(0), kZero}}) {}

    Lines drain() {
        Lines lines;
        while (auto message = core.poll_message()) {
            if (message->publish) last_sequence = sequence_of(message->message);
            lines.push_back(describe(message->message));
        }
        return lines;
    }
    Lines status(LinkId link, bool connected, std::int64_t ms) {
        return report({.link = link, .neighbour = NodeNumber{2}, .connected = connected}, ms);
    }
    Lines report(const bus::LinkStatus &status, std::int64_t ms) {
        core.handle(status, at(ms));
        return drain();
    }
    Lines advance(std::int64_t ms) {
        core.handle_timeout(at(ms));
        return drain();
    }
    std::uint64_t sequence_of(const bus::Message &message) {
        return std::visit(
            [](const auto &event) -> std::uint64_t {
                if constexpr (requires { event.header; }) {
                    EXPECT_EQ(event.header.epoch, 77U);
                    return event.header.sequence;
                }
                return 0;
            },
            message);
    }

    SchedulerCore core;
    std::uint64_t last_sequence = 0;
};

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
              (Lines{"down 77 lost", "end 77", "snapshot 4p-"}));
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

TEST(SchedulerCore, ASnapshotCarriesTheLastSequenceAndGoesToTheRequesterOnly) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.status(kLinkA, true, 1);
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kStorage}, at(2));
    const auto answer = f.core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_FALSE(answer->publish);
    EXPECT_EQ(answer->to, bus::AgentId::kStorage);
    EXPECT_EQ(describe(answer->message), "snapshot 4pc");
    EXPECT_EQ(f.sequence_of(answer->message), 2U);
    EXPECT_FALSE(f.core.poll_message().has_value());
}

TEST(SchedulerCore, TheRouterGetsThePlanWithItsSnapshot) {
    Fixture f({{contact(0, 2, kZero + 50, kZero + 100)}});
    f.drain();
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kRouter}, at(2));
    EXPECT_EQ(f.drain(), (Lines{"plan of 1", "snapshot 4--"}));
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kRouter}, at(2));
    EXPECT_EQ(f.drain(), Lines{});
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

bus::LinkEntry only_entry(Fixture &f, std::int64_t ms) {
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor},
                  at(ms));
    bus::LinkEntry entry;
    while (auto message = f.core.poll_message())
        if (const auto *snapshot = std::get_if<bus::LinkSnapshot>(&message->message))
            entry = snapshot->links.at(0);
    return entry;
}

TEST(SchedulerCore, ASnapshotTellsTheNextContact) {
    Fixture f({{contact(0, 2, kZero + 100, kZero + 200), contact(1, 2, kZero + 300, kZero + 400)}});
    EXPECT_EQ(only_entry(f, 0).next_contact, kZero + 100);
    EXPECT_EQ(only_entry(f, 150).next_contact, kZero + 300);
    EXPECT_EQ(only_entry(f, 150).ends, kZero + 200);
    EXPECT_EQ(only_entry(f, 250).next_contact, kZero + 300);
    EXPECT_EQ(only_entry(f, 350).next_contact, kDtnNever);
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

TEST(SchedulerCore, ADryRunTellsTheRouterAndTheAskerAndChangesNothing) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    f.core.handle(bus::PlanReplace{true, {}}, at(10));
    const auto proposal = f.core.poll_message();
    ASSERT_TRUE(proposal && std::holds_alternative<bus::ContactsProposal>(proposal->message));
    EXPECT_EQ(proposal->to, bus::AgentId::kRouter);
    const auto answer = f.core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->to, bus::AgentId::kSupervisor);
    EXPECT_EQ(describe(answer->message), "snapshot 4-c");
    EXPECT_EQ(f.drain(), Lines{});
    EXPECT_TRUE(only_entry(f, 11).planned);
    f.core.handle(bus::PlanReplace{false, {}}, at(12));
    EXPECT_EQ(f.drain(), (Lines{"down 4 ended", "end 4", "plan -1 +0", "snapshot 4-c"}));
}

TEST(SchedulerCore, RepliesRepeatTheRequestId) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    const auto ids = [&f] {
        std::vector<std::uint64_t> found;
        while (const auto message = f.core.poll_message())
            std::visit(
                [&found](const auto &data) {
                    if constexpr (requires { data.id.value(); }) found.push_back(data.id.value());
                },
                message->message);
        return found;
    };
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor,
                                       bus::RequestId{7}},
                  at(1));
    EXPECT_EQ(ids(), std::vector<std::uint64_t>{7});
    f.core.handle(bus::PlanReplace{true, {}, bus::RequestId{8}}, at(2));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{8, 8})) << "the router gets it, too";
    f.core.handle(bus::PlanReplace{false, {}, bus::RequestId{9}}, at(3));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{9, 9}));
    f.core.handle(bus::PlanChange{{}, {}, bus::RequestId{10}}, at(4));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{10, 10}));
    f.core.handle(bus::LinkAdmin{kLinkA, false}, at(5));
    EXPECT_EQ(ids(), std::vector<std::uint64_t>{0}) << "an event answers nothing";
}

TEST(SchedulerCore, AChangeOfTheRunningPlanIsToldAsOne) {
    const bus::Contact first = contact(0, 2, kZero, kZero + 1000);
    Fixture f({{first, contact(1, 2, kZero + 5000, kZero + 6000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    const bus::Contact longer = contact(0, 2, kZero, kZero + 2000);
    f.core.handle(bus::PlanChange{{first}, {longer}}, at(10));
    EXPECT_EQ(f.drain(),
              (Lines{"start 4 until 1002000", "up 4 at 8000", "plan -1 +1", "snapshot 4pc"}));
    EXPECT_EQ(f.core.plan().size(), 2U);
    f.core.handle(bus::PlanChange{{longer}, {}}, at(20));
    EXPECT_EQ(f.drain(), (Lines{"down 4 ended", "end 4", "plan -1 +0", "snapshot 4-c"}));
    EXPECT_EQ(f.core.next_contact(), at(5000));
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
}  // namespace farlink::scheduler
