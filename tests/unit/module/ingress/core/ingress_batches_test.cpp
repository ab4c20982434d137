// SPDX-License-Identifier: Apache-2.0
// Windows, back-pressure, spilling and outcomes: what ingress_batches.cpp does.
#include "common/bp/flow.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

using test::TestBundle;

class IngressBatches : public IngressFixture {
protected:
    /// A window of one batch by link A.
    void narrow() { config.outducts[0].max_in_flight_bytes = 1; }
    static std::vector<std::uint64_t> numbers(std::uint64_t from, std::size_t count) {
        std::vector<std::uint64_t> list(count);
        for (std::uint64_t &each : list) each = from++;
        return list;
    }
};

TEST_F(IngressBatches, CloseAtTheirLimits) {
    config.outducts[0].max_in_flight_bundles = 100'000;
    config.outducts[0].max_in_flight_bytes = 100'000'000;
    all_up();
    receive(bundles(2 * kBatchBundles + 10));
    ASSERT_EQ(at_egress.size(), 3U);
    EXPECT_EQ(at_egress[0]->bundles.size(), kBatchBundles);
    EXPECT_EQ(at_egress[2]->bundles.size(), 10U);
    finish();

    receive(bundles(11, 2, 60'000));
    ASSERT_EQ(at_egress.size(), 3U);
    for (const BatchPtr &batch : at_egress) EXPECT_LE(batch->bytes, kBatchBytes);
    finish();

    receive({bundle().octets(), bundle(2, 300'000).octets(), bundle().octets()});
    ASSERT_EQ(at_egress.size(), 3U) << "a large bundle travels alone";
    EXPECT_EQ(at_egress[1]->bundles.size(), 1U);
}

TEST_F(IngressBatches, AFullWindowPausesTheUpstreamUntilThereIsRoom) {
    narrow();
    all_up();
    receive(bundles(3));
    EXPECT_FALSE(paused());
    receive(bundles(2));
    receive(bundles(1), kUp2);
    EXPECT_EQ(at_egress.size(), 1U) << "one batch may always be on its way";
    EXPECT_TRUE(paused(kUp));
    EXPECT_TRUE(paused(kUp2));
    EXPECT_EQ(value(IngressCounter::kPauses), 2U);

    egress_answers(Outcome::kSent);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(arrivals(*at_egress[0]), numbers(1003, 2));
    EXPECT_TRUE(paused(kUp)) << "something still waits";
    egress_answers(Outcome::kSent);
    EXPECT_EQ(arrivals(*at_egress[0]), numbers(1005, 1));
    EXPECT_FALSE(paused(kUp));
    EXPECT_FALSE(paused(kUp2));
    EXPECT_TRUE(at_storage.empty());
}

TEST_F(IngressBatches, AWindowCountsBundlesToo) {
    config.outducts[0].max_in_flight_bundles = 5;
    all_up();
    receive(bundles(4));
    EXPECT_FALSE(paused());
    receive(bundles(4));
    EXPECT_FALSE(paused()) << "there was room for one";
    receive(bundles(1));
    EXPECT_TRUE(paused());
}

TEST_F(IngressBatches, AreStoredWhenTheUpstreamWasPausedForLong) {
    narrow();
    all_up();
    receive(bundles(1));
    EXPECT_EQ(core().next_timeout(), kNever);
    receive(bundles(2));
    EXPECT_EQ(core().next_timeout(), now + config.max_pause);
    advance(config.max_pause - milliseconds(1));
    EXPECT_TRUE(at_storage.empty());
    advance(milliseconds(1));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1001, 2));
    EXPECT_EQ(value(IngressCounter::kSpilled), 2U);
    EXPECT_FALSE(paused());
    EXPECT_EQ(core().next_timeout(), kNever);

    receive(bundles(1));
    ASSERT_EQ(at_storage.size(), 2U) << "the flow's younger bundles follow";
    EXPECT_EQ(value(IngressCounter::kSpilled), 2U);
}

TEST_F(IngressBatches, OfAnUpstreamThatFeedsOthersTooAreStoredAtOnce) {
    narrow();
    all_up();
    receive(bundles(1));
    receive({bundle(3).octets(), bundle(2).octets()});
    EXPECT_FALSE(paused()) << "what goes by link B must not wait for link A";
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_egress.size(), 2U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1002, 1));

    // A second later it feeds one link only.
    finish();
    storage_ran_empty(bp::ipn_eid(2, 1));
    now += seconds(2);
    receive(bundles(1));
    receive(bundles(1));
    EXPECT_TRUE(paused());
}

TEST_F(IngressBatches, ThatWaitAreStoredBeforeYoungerOnes) {
    narrow();
    all_up();
    receive(bundles(1));
    receive(bundles(2), kUp2);  // waits
    EXPECT_TRUE(paused(kUp2));
    receive({bundle(3).octets(), bundle(2).octets()});  // a mixed upstream
    ASSERT_EQ(at_storage.size(), 2U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1001, 2));
    EXPECT_EQ(arrivals(*at_storage[1]), numbers(1004, 1));
    EXPECT_FALSE(paused(kUp2));
}

TEST_F(IngressBatches, ThatWaitAreStoredWhenTheLinkGoesDownOrTheNodeStops) {
    narrow();
    all_up();
    receive(bundles(1));
    receive(bundles(2));
    link_down(kLinkA);
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_FALSE(paused());
    finish();
    storage_ran_empty(bp::ipn_eid(2, 1));
    link_up(kLinkA);
    receive(bundles(1));
    receive(bundles(2));
    core().drain(now);
    collect();
    EXPECT_EQ(at_storage.size(), 1U);
    EXPECT_FALSE(paused());
}

TEST_F(IngressBatches, FollowTheirFlowIntoStorageUntilItHasRunEmpty) {
    route(2, kLinkA);
    receive(bundles(2));
    link_up(kLinkA);
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 2U) << "still on the way to storage";
    storage_answers(Outcome::kStored);
    storage_answers(Outcome::kStored);
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 1U) << "storage holds older ones";
    storage_ran_empty(bp::ipn_eid(2, 1));
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 2U) << "storage had not seen the last one when it said so";
    storage_answers(Outcome::kStored);
    storage_answers(Outcome::kStored);
    storage_ran_empty(bp::ipn_eid(2, 1));
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U);
}

TEST_F(IngressBatches, TellStorageWhatEachEgressHasBeforeThem) {
    config.threads.instances = 2;
    all_up();
    receive(bundles(1, 9));
    receive(bundles(1, 2));
    receive(bundles(1, 3));
    receive(bundles(1, 2));
    receive(bundles(1, 9));
    ASSERT_EQ(at_storage.size(), 2U);
    ASSERT_EQ(at_egress.size(), 3U);
    using Numbers = decltype(Batch::behind);
    EXPECT_EQ(at_storage[0]->behind, (Numbers{}));
    EXPECT_EQ(at_storage[1]->behind, (Numbers{at_egress[2]->number, at_egress[1]->number}));
    EXPECT_GT(at_egress[0]->number, kFirstArrival) << "an instance after this one goes on";
    core().handle(bus::ModuleBack{bus::AgentId::kEgress}, now);
    receive(bundles(1, 9));
    ASSERT_EQ(at_storage.size(), 3U);
    EXPECT_EQ(at_storage[2]->behind, (Numbers{0, at_egress[1]->number}));
}

// A session that ingress hosts takes it: egress never sees it.
TEST_F(IngressBatches, ThatStayInIngressAreNothingToBeBehind) {
    all_up();
    receive(bundles(1, 2));
    ASSERT_EQ(at_egress.size(), 1U);
    const std::uint64_t at_last = at_egress[0]->number;
    receive(bundles(1, 3));
    core().handle_kept(kLinkB);
    receive(bundles(1, 9));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->behind[0], at_last);
}

TEST_F(IngressBatches, OfOtherFlowsAreCutThroughMeanwhile) {
    route(2, kLinkA);
    receive(bundles(1));
    storage_answers(Outcome::kStored);
    link_up(kLinkA);
    TestBundle other_service = bundle();
    other_service.to = bp::ipn_eid(2, 9);
    receive({bundle().octets(), other_service.octets()});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_storage.size(), 1U);
}

TEST_F(IngressBatches, ThatWereNotSentAreStoredAsTheyCame) {
    all_up();
    const std::vector<Bytes> sent = bundles(4);
    receive(sent);
    const TimePoint arrived = now;
    now += milliseconds(50);
    egress_answers({Outcome::kSent, Outcome::kNotSent, Outcome::kExpired, Outcome::kNotSent});
    ASSERT_EQ(at_storage.size(), 1U);
    const Batch &kept = *at_storage[0];
    EXPECT_EQ(content(kept), (std::vector<Bytes>{sent[1], sent[3]}));
    EXPECT_EQ(arrivals(kept), (std::vector<std::uint64_t>{1001, 1003}));
    EXPECT_EQ(kept.bytes, sent[1].size() + sent[3].size());
    EXPECT_EQ(kept.link, kNoLink);
    for (const BatchedBundle &each : kept.bundles) {
        EXPECT_EQ(kept.outcome_of(each), Outcome::kPending);
        EXPECT_EQ(each.received, arrived);
    }
    EXPECT_EQ(value(IngressCounter::kCutThrough), 1U);
    EXPECT_EQ(value(IngressCounter::kExpired), 1U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 2U);

    receive(bundles(1));
    EXPECT_TRUE(at_egress.empty()) << "younger ones stay behind";
}

TEST_F(IngressBatches, ThatWereNotSentTakeWhatWaitsBehindThemAlong) {
    narrow();
    all_up();
    receive(bundles(2));
    receive(bundles(2));
    egress_answers(Outcome::kNotSent);
    EXPECT_TRUE(at_egress.empty()) << "they would overtake";
    ASSERT_EQ(at_storage.size(), 2U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1000, 2));
    EXPECT_EQ(arrivals(*at_storage[1]), numbers(1002, 2));
    EXPECT_FALSE(paused());
}

TEST_F(IngressBatches, DuplicatesAndExpiredOnesAreLetGo) {
    receive(bundles(3));
    storage_answers({Outcome::kDuplicate, Outcome::kExpired, Outcome::kStored});
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    EXPECT_EQ(value(IngressCounter::kExpired), 1U);
}

class IngressHeldBatches : public IngressBatches, public testing::WithParamInterface<Outcome> {};

TEST_P(IngressHeldBatches, AreOfferedAgain) {
    const std::vector<Bytes> sent = bundles(3);
    receive(sent);
    storage_answers({Outcome::kStored, GetParam(), GetParam()});
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(value(IngressCounter::kInFlight), 2U) << "held, not deleted";
    for (int refusal = 0; refusal < 3; ++refusal) {
        ASSERT_NE(core().next_timeout(), kNever);
        EXPECT_GT(core().next_timeout(), now) << "a while later, not in a loop";
        advance(core().next_timeout() - now);
        ASSERT_EQ(at_storage.size(), 1U);
        EXPECT_EQ(content(*at_storage[0]), (std::vector<Bytes>{sent[1], sent[2]}));
        EXPECT_EQ(arrivals(*at_storage[0]), numbers(1001, 2));
        EXPECT_EQ(at_storage[0]->bundles[0].received, test::at_ms(1000));
        storage_answers(GetParam());
    }
    advance(core().next_timeout() - now);
    storage_answers(Outcome::kStored);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    EXPECT_EQ(core().next_timeout(), kNever);
}

TEST_P(IngressHeldBatches, HoldBackTheUpstreams) {
    receive(bundles(1));
    storage_answers(GetParam());
    receive(bundles(1));
    EXPECT_TRUE(at_storage.empty());
    EXPECT_TRUE(paused());
    advance(core().next_timeout() - now);
    EXPECT_FALSE(paused());
    ASSERT_EQ(at_storage.size(), 2U);
}

TEST_P(IngressHeldBatches, AreSentWhenTheirLinkComesUpMeanwhile) {
    route(2, kLinkA);
    receive(bundles(2));
    storage_answers(GetParam());
    link_up(kLinkA);
    advance(core().next_timeout() - now);
    EXPECT_TRUE(at_storage.empty());
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(arrivals(*at_egress[0]), numbers(1000, 2));
    egress_answers(Outcome::kSent);
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U) << "the flow is free again";
}

// A refusal comes back sooner than a write that fails.
TEST_P(IngressHeldBatches, AreOfferedInTheOrderOfTheirArrival) {
    receive(bundles(2));
    receive(bundles(2));
    receive(bundles(2));
    std::swap(at_storage[0], at_storage[2]);
    for (int i = 0; i < 3; ++i) storage_answers(GetParam());
    receive(bundles(2));
    advance(core().next_timeout() - now);
    std::vector<std::uint64_t> order;
    for (const BatchPtr &batch : at_storage)
        for (const std::uint64_t arrival : arrivals(*batch)) order.push_back(arrival);
    EXPECT_EQ(order, numbers(1000, 8));
}

TEST_P(IngressHeldBatches, GoBeforeWhatCameLaterButAlsoWaits) {
    narrow();
    all_up();
    receive(bundles(1));                // on its way to egress
    receive(bundles(1));                // waits for the window
    advance(config.max_pause);          // and is stored
    storage_answers(GetParam());        // or rather not
    egress_answers(Outcome::kNotSent);  // now the oldest waits for storage
    EXPECT_TRUE(at_storage.empty());
    advance(core().next_timeout() - now);
    std::vector<std::uint64_t> order;
    for (const BatchPtr &batch : at_storage)
        for (const std::uint64_t arrival : arrivals(*batch)) order.push_back(arrival);
    EXPECT_EQ(order, numbers(1000, 2));
}

TEST_P(IngressHeldBatches, PinTheirSlabsOnceHoweverOftenTheyAreOffered) {
    receive(bundles(300, 2, 500));
    const std::size_t slabs = at_storage[0]->slabs.size();
    ASSERT_GT(slabs, 2U);
    for (int refusal = 0; refusal < 6; ++refusal) {
        storage_answers(GetParam());
        advance(core().next_timeout() - now);
        ASSERT_EQ(at_storage.size(), 1U);
        ASSERT_EQ(at_storage[0]->slabs.size(), slabs);
    }
}

TEST_P(IngressHeldBatches, ExpireWhileTheyWait) {
    TestBundle brief = bundle();
    brief.lifetime_ms = 1050;
    TestBundle aged = bundle();
    aged.created_ms = 0;
    aged.age_ms = 0;
    aged.lifetime_ms = 50;
    receive({brief.octets(), aged.octets(), bundle().octets()});
    for (const BatchedBundle &each : at_storage[0]->bundles)
        EXPECT_GE(each.expiry, test::kStart + 1050);
    storage_answers(GetParam());
    advance(core().next_timeout() - now);
    EXPECT_EQ(value(IngressCounter::kExpired), 2U);
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->bundles.size(), 1U);
}

// The lifetime of a bundle from a source without a clock does not begin anew with each offer.
TEST_P(IngressHeldBatches, KeepTheirExpiry) {
    TestBundle aged = bundle();
    aged.created_ms = 0;
    aged.age_ms = 0;
    aged.lifetime_ms = 10'000;
    receive({aged.octets()});
    const DtnTime expiry = at_storage[0]->bundles[0].expiry;
    EXPECT_EQ(expiry, test::kStart + 11'001);
    storage_answers(GetParam());
    advance(core().next_timeout() - now);
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->bundles[0].expiry, expiry);
}

INSTANTIATE_TEST_SUITE_P(Refusals, IngressHeldBatches,
                         testing::Values(Outcome::kNoSpace, Outcome::kIoError));

// Held for its lifetime, such a bundle would block all others and use up the memory.
TEST_F(IngressBatches, WhatCanNeverBeStoredIsDeleted) {
    config.storage.capacity_bytes = 100'000;
    TestBundle far_name = bundle();
    const std::string name = "//" + std::string(70'000, 'x') + "/";
    far_name.to = {bp::EidScheme::kDtn, 0, 0, name};
    receive({bundle(2, 200'000).octets(), bundle(2, 20'000).octets()});
    receive({far_name.octets()});
    storage_answers(Outcome::kNoSpace);
    storage_answers(Outcome::kNoSpace);
    EXPECT_EQ(value(IngressCounter::kDeletedNoStorageSpace), 2U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 1U) << "the small one may find room later";
}

TEST_F(IngressBatches, AFullWindowOfStoragePausesToo) {
    constexpr std::size_t kBundle = 1'000'000;
    std::size_t received = 0;
    while (!paused() && received < 60) {
        receive(bundles(1, 2, kBundle));
        ++received;
    }
    EXPECT_TRUE(paused());
    EXPECT_GE(received, 33U);
    EXPECT_EQ(at_storage.size(), received - 1);
    EXPECT_EQ(core().next_timeout(), kNever) << "there is nowhere else to go";
    storage_answers(Outcome::kStored);
    storage_answers(Outcome::kStored);
    EXPECT_FALSE(paused());
}

TEST_F(IngressBatches, OfAnUpstreamThatEndedWhilePausedAreSentAllTheSame) {
    narrow();
    all_up();
    receive(bundles(1));
    receive(bundles(1));
    EXPECT_TRUE(paused());
    close(kUp);
    egress_answers(Outcome::kSent);
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_FALSE(paused()) << "no order for a session that is gone";
}

// Everything at random: the ledger balances, memory comes back, nobody stays paused.
TEST_F(IngressBatches, BalanceInAnyOrderOfEvents) {
    config.outducts[0].max_in_flight_bytes = 2000;
    config.outducts[1].max_in_flight_bundles = 7;
    all_up();
    Random random(1);
    constexpr Outcome kAtEgress[] = {Outcome::kSent, Outcome::kSent, Outcome::kNotSent,
                                     Outcome::kExpired};
    constexpr Outcome kAtStorage[] = {Outcome::kStored,  Outcome::kStored,  Outcome::kDuplicate,
                                      Outcome::kNoSpace, Outcome::kIoError, Outcome::kExpired};
    for (int step = 0; step < 5000; ++step) {
        const LinkId link = random.chance(1, 2) ? kLinkA : kLinkB;
        constexpr std::uint64_t kNodes[] = {2, 3, 20, 77};
        const std::uint64_t node = kNodes[random.below(4)];
        switch (random.below(8)) {
            case 0:
                if (random.chance(1, 4)) link_down(link);
                break;
            case 1:
                link_up(link);
                break;
            case 2:
                advance(milliseconds(random.below(200)));
                break;
            case 3:
                storage_ran_empty(bp::ipn_eid(node, 1));
                break;
            case 4:
                if (at_egress.empty()) break;
                egress_answers(kAtEgress[random.below(4)]);
                break;
            case 5: {
                if (at_storage.empty()) break;
                Outcomes outcomes;
                for (std::size_t i = at_storage.front()->bundles.size(); i > 0; --i)
                    outcomes.push_back(kAtStorage[random.below(6)]);
                storage_answers(outcomes);
                break;
            }
            default: {
                const UpstreamId from = random.chance(1, 2) ? kUp : kUp2;
                if (paused(from)) break;
                std::vector<Bytes> octets;
                for (std::size_t i = 1 + random.below(6); i > 0; --i)
                    octets.push_back(bundle(kNodes[random.below(4)], random.below(2000)).octets());
                receive(octets, from);
            }
        }
    }
}

// The fixture balances the ledger at the end.
TEST_F(IngressBatches, OfWhichEgressDeletesABundleAreSentButForThat) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive(bundles(3));
    egress_answers({Outcome::kSent, Outcome::kDeletedHopLimit, Outcome::kDeletedUnreadable});
    EXPECT_TRUE(at_storage.empty()) << "there is nothing to keep";
    EXPECT_EQ(value(IngressCounter::kCutThrough), 1U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    const auto edited = core().poll_disposition();
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->count, 3U) << "nobody is to send them again";
    EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
}

// A bundle that the next hop refuses goes to storage, which knows what to do with it.
TEST_F(IngressBatches, ThatANextHopRefusesAreStored) {
    all_up();
    receive(bundles(2));
    egress_answers({Outcome::kSent, Outcome::kRefused});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1001, 1));
    storage_answers(Outcome::kStored);
}

TEST_F(IngressBatches, ThatStorageRefusesAreOfferedAfterPausesThatGrow) {
    receive(bundles(3));
    std::vector<Duration> pauses;
    for (int times = 0; times < 8; ++times) {
        ASSERT_EQ(at_storage.size(), 1U);
        storage_answers(Outcome::kNoSpace);
        EXPECT_EQ(value(IngressCounter::kWithoutRoom), 3U);
        pauses.push_back(core().next_timeout() - now);
        advance(pauses.back());
    }
    EXPECT_EQ(pauses.front(), milliseconds(100));
    EXPECT_EQ(pauses.back(), seconds(2));
    EXPECT_TRUE(std::ranges::is_sorted(pauses));
    // What is taken begins anew.
    storage_answers({Outcome::kStored, Outcome::kNoSpace, Outcome::kNoSpace});
    EXPECT_EQ(core().next_timeout() - now, milliseconds(100));
    advance(milliseconds(100));
    storage_answers(Outcome::kStored);
    EXPECT_EQ(value(IngressCounter::kWithoutRoom), 0U);
}

// A peer that does not understand refusals is held by its own window.
TEST_F(IngressBatches, OfAPatientUpstreamAreKeptWhileThereIsNoRoom) {
    for (const bool patient : {false, true}) {
        const UpstreamId from = patient ? kUp2 : kUp;
        core().handle_upstream_opened(from, true);
        if (patient) core().set_patient(from);
        receive(bundles(2), from);
        for (int times = 0; times < 5 && !at_storage.empty(); ++times) {
            storage_answers(Outcome::kNoSpace);
            if (core().next_timeout() != kNever) advance(core().next_timeout() - now);
        }
        EXPECT_EQ(core().poll_disposition().has_value(), !patient);
        if (!patient) continue;
        ASSERT_EQ(at_storage.size(), 1U);
        storage_answers(Outcome::kStored);
        const auto edited = core().poll_disposition();
        ASSERT_TRUE(edited);
        EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
    }
}

}  // namespace
}  // namespace farlink::ingress
