// SPDX-License-Identifier: Apache-2.0
// Windows, back-pressure and spilling.
#include "common/bp/flow.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::next_hop_queues_test {
namespace {

using test::TestBundle;

class NextHopQueuesTest : public IngressFixture {};

TEST_F(NextHopQueuesTest, CloseAtTheirLimits) {
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

TEST_F(NextHopQueuesTest, AFullWindowPausesTheUpstreamUntilThereIsRoom) {
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

TEST_F(NextHopQueuesTest, AWindowCountsBundlesToo) {
    config.outducts[0].max_in_flight_bundles = 5;
    all_up();
    receive(bundles(4));
    EXPECT_FALSE(paused());
    receive(bundles(4));
    EXPECT_FALSE(paused()) << "there was room for one";
    receive(bundles(1));
    EXPECT_TRUE(paused());
}

TEST_F(NextHopQueuesTest, AreStoredWhenTheUpstreamWasPausedForLong) {
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

TEST_F(NextHopQueuesTest, OfAnUpstreamThatFeedsOthersTooAreStoredAtOnce) {
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

TEST_F(NextHopQueuesTest, ThatWaitAreStoredBeforeYoungerOnes) {
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

TEST_F(NextHopQueuesTest, ThatWaitAreStoredWhenTheLinkGoesDownOrTheNodeStops) {
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

TEST_F(NextHopQueuesTest, FollowTheirFlowIntoStorageUntilItHasRunEmpty) {
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

TEST_F(NextHopQueuesTest, TellStorageWhatEachEgressHasBeforeThem) {
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
TEST_F(NextHopQueuesTest, ThatStayInIngressAreNothingToBeBehind) {
    all_up();
    receive(bundles(1, 2));
    ASSERT_EQ(at_egress.size(), 1U);
    const std::uint64_t at_last = at_egress[0]->number;
    receive(bundles(1, 3));
    core().queues().withdraw_forwarded(kLinkB);
    receive(bundles(1, 9));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->behind[0], at_last);
}

TEST_F(NextHopQueuesTest, OfOtherFlowsAreCutThroughMeanwhile) {
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

TEST_F(NextHopQueuesTest, ThatWereNotSentAreStoredAsTheyCame) {
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

TEST_F(NextHopQueuesTest, ThatWereNotSentTakeWhatWaitsBehindThemAlong) {
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

TEST_F(NextHopQueuesTest, DuplicatesAndExpiredOnesAreLetGo) {
    receive(bundles(3));
    storage_answers({Outcome::kDuplicate, Outcome::kExpired, Outcome::kStored});
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    EXPECT_EQ(value(IngressCounter::kExpired), 1U);
}

TEST_F(NextHopQueuesTest, AFullWindowOfStoragePausesToo) {
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

TEST_F(NextHopQueuesTest, OfAnUpstreamThatEndedWhilePausedAreSentAllTheSame) {
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
TEST_F(NextHopQueuesTest, BalanceInAnyOrderOfEvents) {
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
TEST_F(NextHopQueuesTest, OfWhichEgressDeletesABundleAreSentButForThat) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive(bundles(3));
    egress_answers({Outcome::kSent, Outcome::kDeletedHopLimit, Outcome::kDeletedUnreadable});
    EXPECT_TRUE(at_storage.empty()) << "there is nothing to keep";
    EXPECT_EQ(value(IngressCounter::kCutThrough), 1U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    const auto edited = core().upstreams().poll_disposition();
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->count, 3U) << "nobody is to send them again";
    EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
}

// A bundle that the next hop refuses goes to storage, which knows what to do with it.
TEST_F(NextHopQueuesTest, ThatANextHopRefusesAreStored) {
    all_up();
    receive(bundles(2));
    egress_answers({Outcome::kSent, Outcome::kRefused});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(arrivals(*at_storage[0]), numbers(1001, 1));
    storage_answers(Outcome::kStored);
}

}  // namespace
}  // namespace farlink::ingress::next_hop_queues_test
