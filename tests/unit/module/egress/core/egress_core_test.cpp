// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/egress_core.hpp"

#include <algorithm>
#include <map>

#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress {
namespace {

using test::at_ms;
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

TEST_F(EgressCoreTest, NamesItselfAsThePreviousNode) {
    bring_up(kLink);
    forward(bundles(1));
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    // Canonical block of type 6 with the text of [2, [10, 0]] (RFC 9171 section 4.4.1).
    const Bytes previous{0x82, 0x02, 0x82, 0x0a, 0x00};
    EXPECT_FALSE(std::ranges::search(sent[0].octets, previous).empty());
    acknowledge(1);
    outcomes();
}

TEST_F(EgressCoreTest, EveryTokenSettlesTheBundlesBelowIt) {
    for (std::uint64_t token = 0; token <= 9; ++token) {
        EgressCore fresh(kHere, outducts(), test::kClock);
        std::swap(core, fresh);
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

TEST_F(EgressCoreTest, ReturnsWhatItWasNotAskedToRenderWhenTheConnectionIsLost) {
    bring_up(kLink);
    forward(bundles(4));
    forward(bundles(2));
    EXPECT_EQ(transmit(kLink, 3).size(), 3U);
    acknowledge(2);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent, Outcome::kNotSent,
                                    Outcome::kNotSent, Outcome::kNotSent, Outcome::kNotSent}));
    EXPECT_EQ(core.queued_bytes(kLink), 0U);
}

TEST_F(EgressCoreTest, AtTheEndOfAContactWhatWaitsGoesBackAndWhatIsBegunIsFinished) {
    bring_up(kLink);
    forward(bundles(3));
    forward(bundles(2));
    EXPECT_EQ(transmit(kLink, 2).size(), 2U);
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kNotSent)) << "all that is not on the link";
    EXPECT_TRUE(transmit().empty()) << "nothing new is begun";

    acknowledge(1);  // the link has finished the bundle that it had begun
    EXPECT_TRUE(outcomes().empty());
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kNotSent}));
}

TEST_F(EgressCoreTest, ReturnsBundlesForALinkThatIsNotUp) {
    forward(bundles(2));
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kNotSent)) << "neither planned nor connected";
    plan(kLink);
    release(bundles(1));
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "not connected";
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    end(kLink);
    forward(bundles(1));
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "not planned";
    forward(bundles(1), kUnknown);
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "no such link";
    forward(bundles(1), LinkId{3});
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent));
    EXPECT_TRUE(transmit().empty());
    EXPECT_TRUE(transmit(kUnknown).empty());
}

TEST_F(EgressCoreTest, GivesBackWhatExpiredInTheQueue) {
    bring_up(kLink);
    TestBundle brief = bundle();
    brief.lifetime_ms = 5000;
    const Bytes lasting = bundle().octets();
    forward({brief.octets(), lasting, brief.octets()});
    forward({brief.octets(), brief.octets()});
    forward({lasting});
    now = at_ms(5001);
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(outcomes(), Outcomes(4, Outcome::kExpired)) << "they wait for no acknowledgement";
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    acknowledge(sent[1].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    EXPECT_EQ(value(EgressCounter::kExpired), 4U);
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U);
}

TEST_F(EgressCoreTest, GivesBackAtOnceWhatHasAllExpired) {
    bring_up(kLink);
    TestBundle brief = bundle();
    brief.lifetime_ms = 10;
    forward({brief.octets(), brief.octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kExpired));
}

TEST_F(EgressCoreTest, DeletesABundleWithoutHopsLeft) {
    bring_up(kLink);
    TestBundle tired = bundle();
    tired.hop_limit = 3;
    tired.hops = 3;
    TestBundle fresh = bundle();
    fresh.hop_limit = 3;
    fresh.hops = 2;
    forward({tired.octets(), fresh.octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kDeletedHopLimit, Outcome::kSent}));
    EXPECT_EQ(value(EgressCounter::kRenderDeletedHopLimit), 1U);
    EXPECT_EQ(value(EgressCounter::kForwarded), 1U);

    forward({tired.octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kDeletedHopLimit});
    EXPECT_EQ(value(EgressCounter::kForwarded), 1U) << "a deletion is counted as such alone";
}

// Whatever it says and however often: it goes back to its owner.
TEST_F(EgressCoreTest, NoRefusalOfANextHopDeletesABundle) {
    using enum NextHopRefusal;
    for (const NextHopRefusal refusal : {kNoRoom, kAgain, kLinkEnds, kNotAcceptable}) {
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

TEST_F(EgressCoreTest, StaysWithinTheBytesAndThePlacesItIsGiven) {
    bring_up(kLink);
    forward(bundles(10, 1000));
    EXPECT_EQ(transmit(kLink, 3).size(), 3U);
    EXPECT_EQ(transmit(kLink, 64, 2500).size(), 3U) << "stops when the bytes are reached";
    EXPECT_EQ(transmit(kLink, 64, 1).size(), 1U) << "at least one";
    EXPECT_EQ(transmit(kLink, 64, 0).size(), 1U);
    EXPECT_EQ(transmit(kLink, 0).size(), 0U);
    EXPECT_EQ(transmit().size(), 2U);
    acknowledge(10);
    EXPECT_EQ(outcomes().size(), 10U);
}

TEST_F(EgressCoreTest, RendersHeadsOfAnySize) {
    bring_up(kLink);
    TestBundle large = bundle();
    large.unknown_block_bytes = 200'000;
    const Bytes small = bundle().octets();
    forward({small, large.octets(), small, large.octets(), large.octets(), small});
    std::size_t sent = 0;
    for (int poll = 0; poll < 10 && sent < 6; ++poll) {
        for (const Sent &each : transmit()) {
            const ByteView octets(each.octets);
            EXPECT_TRUE(bp::parse({&octets, 1}).has_value());
            EXPECT_EQ(each.token, sent++);
        }
    }
    EXPECT_EQ(sent, 6U);
    acknowledge(6);
    EXPECT_EQ(outcomes().size(), 6U);
}

TEST_F(EgressCoreTest, SendsTheFurtherSlicesAsTheyLie) {
    bring_up(kLink);
    const TestBundle sliced = bundle(9000);
    auto batch = batch_for(BatchOwner::kIngress, kLink, {sliced.octets()}, 4);
    core.handle(bus::ForwardBatch{std::move(batch)}, now);
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    const ByteView octets(sent[0].octets);
    const auto view = bp::parse({&octets, 1});
    ASSERT_TRUE(view.has_value());
    EXPECT_TRUE(std::ranges::equal(octets.subspan(view->payload_offset, view->payload_length),
                                   sliced.payload()));
    acknowledge(1);
    outcomes();
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

TEST_F(EgressCoreTest, AsksForTheReportsOnStoredBundles) {
    bring_up(kLink);
    TestBundle curious = bundle();
    curious.flags = bp::v7::kReportForwardingFlag | bp::v7::kReportDeletionFlag;
    TestBundle brief = curious;
    brief.lifetime_ms = 10;
    release({curious.octets(), brief.octets()});
    release({curious.octets()});
    release(bundles(1));
    forward({curious.octets(), brief.octets()});  // ingress sees to its own
    EXPECT_EQ(transmit().size(), 4U);
    acknowledge(100);
    EXPECT_EQ(outcomes().size(), 6U);
    ASSERT_EQ(reports.size(), 3U);
    EXPECT_EQ(reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(reports[0].reason, static_cast<std::uint8_t>(bp::ReportReason::kLifetimeExpired));
    EXPECT_EQ(reports[0].payload_length, 20U);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(reports[i].event, bus::ReportEvent::kForwarded);
        const Bytes octets = curious.octets();
        EXPECT_TRUE(
            std::ranges::equal(reports[i].head, ByteView(octets).first(reports[i].head.size())));
    }
}

// Whatever happens in whatever order, each batch comes back once, with every outcome.
TEST_F(EgressCoreTest, NothingIsLostInAnyOrderOfEvents) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        EgressCore fresh(kHere, outducts(), test::kClock);
        std::swap(core, fresh);
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
}

}  // namespace
}  // namespace farlink::egress
