// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/egress_core.hpp"

#include <algorithm>
#include <map>

#include "common/bp/parse.hpp"
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::egress_core_test {
namespace {

using test::TestBundle;

TEST_F(EgressCoreTest, SendsTheBundlesOfABatchAndSaysSo) {
    bring_up(kLink);
    const TestBundle first = bundle();
    const TestBundle second = bundle(5000);
    forward({first.octets(), second.octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(sent[i].token, i);
        const ByteView octets(sent[i].octets);
        const auto view = bp::parse({&octets, 1});
        ASSERT_TRUE(view.has_value());
        const Bytes payload = (i == 0 ? first : second).payload();
        EXPECT_TRUE(std::ranges::equal(octets.subspan(view->payload_offset, view->payload_length),
                                       payload));
    }
    EXPECT_TRUE(transmit().empty());
    EXPECT_TRUE(outcomes().empty());

    acknowledge(2);
    ASSERT_EQ(batches_back().size(), 1U);
    EXPECT_EQ(back[0]->uniform, Outcome::kSent) << "one octet for all of them";
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U);
    EXPECT_EQ(value(EgressCounter::kForwardedBytes), back[0]->bytes);
}

TEST_F(EgressCoreTest, EveryTokenSettlesTheBundlesBelowIt) {
    for (std::uint64_t token = 0; token <= 9; ++token) {
        restart(outducts());
        bring_up(kLink);
        for (int batch = 0; batch < 3; ++batch) forward(bundles(3));
        ASSERT_EQ(transmit().size(), 9U);
        acknowledge(token);
        EXPECT_EQ(outcomes().size(), token / 3 * 3) << "whole batches, in order";
        EXPECT_EQ(value(EgressCounter::kForwarded), token);
        acknowledge(token);
        EXPECT_EQ(value(EgressCounter::kForwarded), token) << "once each";

        core.handle_disconnected(kLink, now);
        Outcomes expected(token % 3, Outcome::kSent);
        expected.resize(9 - token / 3 * 3, Outcome::kNotSent);
        EXPECT_EQ(outcomes(), expected) << token;
        EXPECT_EQ(value(EgressCounter::kLinkDownReturns), 9 - token);
    }
}

TEST_F(EgressCoreTest, TokensGoOnAfterALostConnection) {
    bring_up(kLink);
    forward(bundles(3));
    EXPECT_EQ(transmit(kLink, 2).size(), 2U);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kNotSent));
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    forward(bundles(1));
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_GE(sent[0].token, 3U) << "no token is used twice";
    acknowledge(2);
    EXPECT_TRUE(outcomes().empty()) << "late news of the old connection";
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

// Whatever it says and however often: it goes back to its owner.
TEST_F(EgressCoreTest, NoRefusalOfANextHopDeletesABundle) {
    using enum NextHopRefusal;
    for (const NextHopRefusal refusal :
         {kNoRoom, kAgain, kLinkEnds, kNotAcceptable, kTooLarge, kUnacknowledged, kNotSent}) {
        bring_up(kLink);
        const std::vector<Bytes> same = bundles(1);
        std::size_t kept = 0;
        for (int times = 0; times < 50; ++times, now += seconds(6)) {
            core.handle_timeout(now);
            times % 2 == 0 ? forward(same) : release(same);
            const std::vector<Sent> sent = transmit();
            ASSERT_EQ(sent.size(), 1U);
            core.handle_refused(kLink, sent[0].token, refusal, now);
            acknowledge(sent[0].token + 1);
            const Outcomes back_now = outcomes();
            ASSERT_EQ(back_now.size(), 1U);
            EXPECT_TRUE(is_kept(back_now[0]));
            kept += back_now[0] == Outcome::kRefused ? 1 : 0;
        }
        // It waits by itself when the refusal is about it; each time it has come anew.
        EXPECT_EQ(kept, refusal == kNotAcceptable ? 50U : 0U);
    }
    EXPECT_EQ(value(EgressCounter::kForwarded), 0U);
    EXPECT_EQ(value(EgressCounter::kRefusedDeleted), 0U);
    EXPECT_EQ(value(EgressCounter::kRefused), 200U);
}

// What is refused was not taken: only what was ends the back-off.
TEST_F(EgressCoreTest, PausesTowardsANextHopWithoutRoomGrow) {
    bring_up(kLink);
    Duration before{};
    for (int times = 0; times < 12; ++times) {
        forward(bundles(1));
        const std::vector<Sent> sent = transmit();
        ASSERT_EQ(sent.size(), 1U);
        core.handle_refused(kLink, sent[0].token, NextHopRefusal::kNoRoom, now);
        acknowledge(sent[0].token + 1);
        const Duration pause = core.next_timeout() - now;
        EXPECT_TRUE(pause > before || pause == seconds(5)) << pause.count();
        before = pause;
        now = core.next_timeout();
        core.handle_timeout(now);
    }
    EXPECT_EQ(before, seconds(5));
}

// The link was changed while the batch was on its way.
TEST_F(EgressCoreTest, ReturnsBundlesForALinkThatLeadsElsewhere) {
    bring_up(kLink);
    auto batch = batch_for(BatchOwner::kIngress, kLink, bundles(2));
    batch->next_hop = NodeNumber{7};
    core.handle(bus::ForwardBatch{std::move(batch)}, now);
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kNotSent}));
}

TEST_F(EgressCoreTest, LinksDoNotMixTheirTokens) {
    bring_up(kLink);
    bring_up(kOther);
    forward(bundles(2), kLink);
    forward(bundles(2), kOther);
    EXPECT_EQ(transmit(kLink).back().token, 1U);
    EXPECT_EQ(transmit(kOther).back().token, 1U);
    acknowledge(2);
    ASSERT_EQ(batches_back().size(), 1U);
    EXPECT_EQ(back[0]->link, kLink);
    core.handle_disconnected(kOther, now);
    EXPECT_EQ(batches_back().size(), 2U);
}

TEST_F(EgressCoreTest, TellsTheSchedulerOfConnections) {
    core.handle_disconnected(kLink, now);  // an attempt that failed is no news
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    core.handle_disconnected(kLink, now);
    core.handle_disconnected(kLink, now);
    core.handle_connected(kUnknown, ~std::uint64_t{0}, now);
    batches_back();
    ASSERT_EQ(statuses.size(), 2U);
    EXPECT_TRUE(statuses[0].connected);
    EXPECT_FALSE(statuses[1].connected);
    EXPECT_EQ(statuses[0].link, kLink);
    EXPECT_EQ(statuses[0].neighbour, NodeNumber{2});
    EXPECT_EQ(value(EgressCounter::kConnects), 1U);
    EXPECT_EQ(value(EgressCounter::kConnected), 0U);
}

TEST_F(EgressCoreTest, OpensAndClosesALinkOnceAContact) {
    const auto order = [&] { return core.poll_link_order(); };
    plan(kLink);
    plan(kLink);
    auto opened = order();
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(opened->link, kLink);
    EXPECT_EQ(opened->command, LinkCommand::kOpen);
    EXPECT_FALSE(order().has_value());
    end(kLink);
    end(kLink);
    const auto closed = order();
    ASSERT_TRUE(closed.has_value());
    EXPECT_EQ(closed->command, LinkCommand::kSuspend);
    EXPECT_FALSE(order().has_value());
    plan(kUnknown);
    EXPECT_FALSE(order().has_value());
}

TEST_F(EgressCoreTest, WhatWaitsForItsNextContactIsClosedAtTheEnd) {
    plan(kLink);
    end(kLink);
    while (core.poll_link_order()) {
    }
    core.drain();
    const auto closed = core.poll_link_order();
    ASSERT_TRUE(closed.has_value());
    EXPECT_EQ(closed->link, kLink);
    EXPECT_EQ(closed->command, LinkCommand::kClose);
    EXPECT_FALSE(core.poll_link_order().has_value());
}

TEST_F(EgressCoreTest, TellsTheLightTimeOfAContactOnceAndWhenItChanges) {
    plan(kLink);
    while (core.poll_link_order()) {
    }
    bus::LinkUp up;
    up.link = kLink;
    up.owlt = seconds(2);
    core.handle(up, now);
    core.handle(up, now);
    const auto published = core.poll_link_order();
    ASSERT_TRUE(published.has_value());
    EXPECT_EQ(published->command, LinkCommand::kSetOwlt);
    EXPECT_EQ(published->owlt, seconds(2));
    EXPECT_FALSE(core.poll_link_order().has_value());
}

TEST_F(EgressCoreTest, FollowsASnapshot) {
    bring_up(kLink);
    (void)core.poll_link_order();
    forward(bundles(1));
    bus::LinkSnapshot snapshot;
    snapshot.links.resize(3);
    snapshot.links[0].link = kLink;
    snapshot.links[1].link = kOther;
    snapshot.links[1].planned = true;
    snapshot.links[2].link = kUnknown;
    core.handle(snapshot, now);
    core.handle(snapshot, now);
    const auto first = core.poll_link_order();
    const auto second = core.poll_link_order();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->command, LinkCommand::kSuspend);
    EXPECT_EQ(second->command, LinkCommand::kOpen);
    EXPECT_EQ(second->link, kOther);
    EXPECT_FALSE(core.poll_link_order().has_value());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
}

TEST_F(EgressCoreTest, ALinkThatASnapshotDoesNotNameIsNotPlanned) {
    bring_up(kLink);
    (void)core.poll_link_order();
    forward(bundles(1));
    bus::LinkSnapshot snapshot;
    snapshot.links.resize(1);
    snapshot.links[0].link = kOther;
    core.handle(snapshot, now);
    const auto order = core.poll_link_order();
    ASSERT_TRUE(order);
    EXPECT_EQ(order->link, kLink);
    EXPECT_EQ(order->command, LinkCommand::kSuspend);
    EXPECT_FALSE(core.poll_link_order().has_value());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
}

// Whatever happens in whatever order, each batch comes back once, with every outcome.
TEST_F(EgressCoreTest, NothingIsLostInAnyOrderOfEvents) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        restart(outducts());
        std::uint64_t given = 0;
        std::map<Outcome, std::uint64_t> counted;
        std::array<std::uint64_t, 2> rendered{};
        std::array<std::uint64_t, 2> reported{};
        const auto collect = [&] {
            for (const Outcome outcome : outcomes()) ++counted[outcome];
        };
        for (int step = 0; step < 400; ++step) {
            const std::size_t which = random.below(2);
            const LinkId link = which == 0 ? kLink : kOther;
            now += milliseconds(random.below(20));
            switch (random.below(9)) {
                case 0:
                    plan(link);
                    break;
                case 1:
                    if (random.chance(1, 4)) end(link);
                    break;
                case 2:
                    core.handle_connected(link, ~std::uint64_t{0}, now);
                    break;
                case 3:
                    if (random.chance(1, 4)) core.handle_disconnected(link, now);
                    break;
                case 4:
                case 5: {
                    TestBundle each = bundle(random.below(3000));
                    each.created_ms += static_cast<std::uint64_t>(
                        std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count());
                    each.lifetime_ms = 20 + random.below(200);
                    const std::vector<Bytes> octets(1 + random.below(5), each.octets());
                    given += octets.size();
                    random.chance(1, 2) ? forward(octets, link) : release(octets, link);
                    break;
                }
                case 6:
                case 7:
                    for (const Sent &sent : transmit(link, random.below(6), random.below(5000)))
                        rendered[which] = sent.token + 1;
                    break;
                default:
                    reported[which] += random.below(rendered[which] - reported[which] + 1);
                    core.handle_transmitted(link, reported[which], now);
            }
            if (random.chance(1, 3)) collect();
        }
        for (const LinkId link : {kLink, kOther}) core.handle_disconnected(link, now);
        collect();
        EXPECT_EQ(counted[Outcome::kPending], 0U);
        EXPECT_EQ(counted[Outcome::kSent], value(EgressCounter::kForwarded));
        EXPECT_EQ(counted[Outcome::kExpired], value(EgressCounter::kExpired));
        EXPECT_EQ(counted[Outcome::kNotSent], value(EgressCounter::kLinkDownReturns));
        EXPECT_EQ(given, counted[Outcome::kSent] + counted[Outcome::kExpired] +
                             counted[Outcome::kNotSent]);
        EXPECT_EQ(value(EgressCounter::kQueued), 0U);
    }
}

TEST_F(EgressCoreTest, TellsASchedulerThatIsBackWhichLinksAreConnected) {
    bring_up(kLink);
    core.handle_connected(kOther, 5000, now);
    core.handle_disconnected(kOther, now);
    batches_back();
    statuses.clear();
    core.handle(bus::ModuleBack{bus::AgentId::kIngress}, now);
    batches_back();
    EXPECT_TRUE(statuses.empty());
    core.handle(bus::ModuleBack{bus::AgentId::kScheduler}, now);
    batches_back();
    ASSERT_EQ(statuses.size(), 1U);
    EXPECT_EQ(statuses[0].link, kLink);
    EXPECT_TRUE(statuses[0].connected);
    EXPECT_EQ(statuses[0].max_bundle_bytes, kAnyBytes);
    EXPECT_TRUE(statuses[0].fragments);
}

TEST_F(EgressCoreTest, TellsWhetherItCutsForALink) {
    OutductTraits traits = traits_of(outducts()[0]);
    traits.fragment = false;
    core.add_link(kLink, outducts()[0].next_hop, traits);
    bring_up(kLink);
    batches_back();
    ASSERT_FALSE(statuses.empty());
    EXPECT_FALSE(statuses.back().fragments);
}

// The session that is to end may last all the same.
TEST_F(EgressCoreTest, PausesAlsoTowardsANextHopThatEndsItsSession) {
    bring_up(kLink);
    forward(bundles(1));
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    core.handle_refused(kLink, sent[0].token, NextHopRefusal::kLinkEnds, now);
    acknowledge(sent[0].token + 1);
    forward(bundles(1));
    EXPECT_TRUE(transmit().empty());
    core.handle_disconnected(kLink, now);
    bring_up(kLink);
    forward(bundles(1));
    EXPECT_EQ(transmit().size(), 1U) << "the next session begins anew";
    core.handle_disconnected(kLink, now);
    batches_back();
}

}  // namespace
}  // namespace farlink::egress::egress_core_test
