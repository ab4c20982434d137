// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/link_counter_table.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::link_counter_table_test {
namespace {

constexpr bus::AgentId kIngress = bus::AgentId::kIngress;
constexpr bus::AgentId kEgress = bus::AgentId::kEgress;
constexpr LinkId kLink{3};

bus::LinkReport report(bus::AgentId module, const LinkCounters &counters, Bytes neighbour = {},
                       LinkId link = kLink) {
    return {module, link, std::move(neighbour), counters.short_snapshot()};
}
bus::LinkInfo info(bus::AgentId module, bool connected, bool removed = false) {
    return {.module = module, .connected = connected, .removed = removed, .link = kLink};
}
LinkCounters counters(std::uint64_t received, std::uint64_t sent, std::uint64_t queued = 0) {
    LinkCounters made;
    made.set(LinkCounter::kReceived, received);
    made.set(LinkCounter::kSent, sent);
    made.set(LinkCounter::kQueued, queued);
    return made;
}

TEST(LinkCounterTable, AddsWhatTheHostsOfALinkCount) {
    LinkCounterTable board;
    EXPECT_EQ(board.find(kLink), nullptr);
    board.handle(report(kIngress, counters(5, 1)));
    board.handle(report(kEgress, counters(0, 7, 2)));
    const KnownLink *link = board.find(kLink);
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->value(LinkCounter::kReceived), 5U);
    EXPECT_EQ(link->value(LinkCounter::kSent), 8U);
    EXPECT_EQ(link->value(LinkCounter::kQueued), 2U);
    EXPECT_EQ(link->value(LinkCounter::kDatagramsLost), 0U);
    board.handle(report(kEgress, counters(0, 9)));
    EXPECT_EQ(link->value(LinkCounter::kSent), 10U) << "the last report, not the sum of all";
    EXPECT_EQ(link->value(LinkCounter::kQueued), 0U) << "what is left out is 0";
}

TEST(LinkCounterTable, NeighboursCountBesideTheLinkAsAWhole) {
    LinkCounterTable board;
    LinkCounters first;
    first.set(LinkCounter::kReceived, 100);
    const std::uint64_t ltp[] = {1, 5};
    first.add(LinkCounter::kLtp, ltp);
    board.handle(report(kIngress, counters(7, 0)));
    board.handle(report(kIngress, first, {'a'}));
    board.handle(report(kIngress, first, {'b'}));
    EXPECT_EQ(board.find(kLink)->value(LinkCounter::kReceived), 7U);
    EXPECT_EQ(board.find(kLink)->value(LinkCounter::kLtp, 1), 10U);
}

TEST(LinkCounterTable, EveryChangeHasItsRevision) {
    LinkCounterTable board;
    board.handle(report(kEgress, counters(0, 1)));
    board.handle(report(kEgress, counters(0, 1), {}, LinkId{4}));
    const std::uint64_t before = board.revision();
    board.handle(report(kEgress, counters(0, 2)));
    EXPECT_GT(board.find(kLink)->revision, before);
    EXPECT_LE(board.find(LinkId{4})->revision, before);
    EXPECT_EQ(board.find(kLink)->revision, board.revision());
}

TEST(LinkCounterTable, TellsOfTheHostThatHasItConnected) {
    LinkCounterTable board;
    board.handle(report(kEgress, counters(0, 1)));
    EXPECT_EQ(board.find(kLink)->info(), nullptr);
    board.handle(info(kIngress, false));
    EXPECT_FALSE(board.find(kLink)->info()->connected);
    board.handle(info(kEgress, true));
    EXPECT_EQ(board.find(kLink)->info()->module, kEgress);
    board.handle(info(kEgress, false));
    board.handle(info(kIngress, true));
    EXPECT_EQ(board.find(kLink)->info()->module, kIngress);
}

TEST(LinkCounterTable, KeepsTheReasonUntilItIsConnected) {
    LinkCounterTable board;
    bus::LinkInfo down = info(kEgress, false);
    down.reason = {'n', 'o'};
    board.handle(down);
    board.handle(info(kEgress, false));
    EXPECT_EQ(board.find(kLink)->info()->reason, (Bytes{'n', 'o'})) << "it tries again";
    board.handle(info(kEgress, true));
    EXPECT_TRUE(board.find(kLink)->info()->reason.empty());
}

TEST(LinkCounterTable, ForgetsALinkThatIsRemoved) {
    LinkCounterTable board;
    board.handle(info(kEgress, true));
    board.handle(report(kEgress, counters(0, 1)));
    const std::uint64_t before = board.revision();
    board.handle(info(kEgress, false, true));
    EXPECT_EQ(board.find(kLink), nullptr);
    EXPECT_TRUE(board.links().empty());
    EXPECT_GT(board.revision(), before);
    board.handle(info(kEgress, false, true));
    EXPECT_TRUE(board.links().empty()) << "there was none";
    board.handle(info(kEgress, false));
    EXPECT_EQ(board.find(kLink)->value(LinkCounter::kSent), 0U);
}

TEST(LinkCounterTable, WhatADeadModuleHasCountedStaysAndItsLevelsGo) {
    LinkCounterTable board;
    board.handle(info(kEgress, true));
    board.handle(info(kIngress, true));
    board.handle(report(kEgress, counters(0, 7, 2)));
    board.handle(report(kIngress, counters(5, 0)));
    board.handle_death(kEgress);
    const KnownLink &link = *board.find(kLink);
    EXPECT_EQ(link.value(LinkCounter::kSent), 7U);
    EXPECT_EQ(link.value(LinkCounter::kQueued), 0U);
    EXPECT_EQ(link.value(LinkCounter::kReceived), 5U);
    EXPECT_FALSE(link.infos.at(kEgress).connected);
    EXPECT_TRUE(link.infos.at(kIngress).connected);
    board.handle(report(kEgress, counters(0, 3, 1)));
    EXPECT_EQ(link.value(LinkCounter::kSent), 10U);
    EXPECT_EQ(link.value(LinkCounter::kQueued), 1U);
}

}  // namespace
}  // namespace farlink::telemetry::link_counter_table_test
