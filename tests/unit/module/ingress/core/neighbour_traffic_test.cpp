// SPDX-License-Identifier: Apache-2.0
// What leaves by sessions that neighbours have opened, and what becomes of it.
#include "tests/unit/module/ingress/core/neighbour_fixture.hpp"

#include "common/bp/parse.hpp"

namespace farlink::ingress::neighbour_traffic_test {
namespace {

// ---- what leaves

TEST_F(NeighbourSessionsTest, BundlesLeaveAsTheyLieAndComeBackAsSent) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    give(batch_of({30, 40}));
    give(batch_of({50}));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1, 2}));
    EXPECT_EQ(half(1).flushes, 2U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(half(1).sent[i], octets_[i]);
    transmitted(1);
    EXPECT_TRUE(back.empty()) << "half of the first batch is under way";
    transmitted(3);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent}));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    EXPECT_TRUE(back.empty());
}

TEST_F(NeighbourSessionsTest, CreditIsKeptTo) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 50;
    give(batch_of({30, 30, 30}));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1})) << "the last one may be larger than the rest";
    core().handle_writable(kFirst);
    EXPECT_EQ(half(1).tokens.size(), 2U);
    half(1).credit = 1;
    core().handle_writable(kFirst);
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1, 2}));
    half(1).credit = 1000;
    core().handle_writable(kFirst);
    EXPECT_EQ(half(1).tokens.size(), 3U);
}

TEST_F(NeighbourSessionsTest, EachLinkHasTokensOfItsOwn) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    ASSERT_TRUE(claims(2, "ipn:8.0"));
    give(batch_of({30}, kSecond));
    give(batch_of({30, 30}, kFirst));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1}));
    EXPECT_EQ(half(2).tokens, Tokens{0});
    transmitted(1, kSecond);
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(back.front()->link, kSecond);
}

TEST_F(NeighbourSessionsTest, RefusalsBecomeOutcomes) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    give(batch_of({10}));
    give(batch_of({10, 10, 10, 10, 10, 10, 10, 10, 10}));
    using cla::Refusal;
    core().handle_refused(kFirst, 1, Refusal::kCompleted);
    core().handle_refused(kFirst, 2, Refusal::kNoResources);
    core().handle_refused(kFirst, 3, Refusal::kUnknown);
    core().handle_refused(kFirst, 4, Refusal::kNotAcceptable);
    core().handle_refused(kFirst, 5, Refusal::kExtensionFailure);
    core().handle_refused(kFirst, 6, Refusal::kRetransmit);
    core().handle_refused(kFirst, 7, Refusal::kSessionTerminating);
    core().handle_refused(kFirst, 8, Refusal::kTooLarge);
    core().handle_refused(kFirst, 9, Refusal::kUnacknowledged);
    core().handle_refused(kFirst, 99, Refusal::kUnknown);
    core().handle_refused(kSecond, 0, Refusal::kUnknown);
    transmitted(10);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    EXPECT_EQ(outcomes(),
              (Outcomes{Outcome::kSent, Outcome::kNoSpace, Outcome::kNoSpace, Outcome::kIoError,
                        Outcome::kIoError, Outcome::kRefused, Outcome::kNoSpace, Outcome::kTooLarge,
                        Outcome::kUnacknowledged}));
}

TEST_F(NeighbourSessionsTest, TheEndOfASessionGivesBackWhatItHad) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 50;
    give(batch_of({20, 20, 20, 20}));
    give(batch_of({20}));
    transmitted(1);
    core().handle_refused(kFirst, 1, cla::Refusal::kNoResources);
    closes(1);
    EXPECT_EQ(outcomes(),
              (Outcomes{Outcome::kSent, Outcome::kNoSpace, Outcome::kNotSent, Outcome::kNotSent}));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    EXPECT_EQ(changes(), "+0/7 -0/7") << "and egress hears of the end";
}

TEST_F(NeighbourSessionsTest, BatchesComeBackBeforeTheNewsOfTheEnd) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 0;
    give(batch_of({20}));
    closes(1);
    give(batch_of({20}));  // it was under way when the session ended
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    transmitted(5);
    core().handle_writable(kFirst);
    EXPECT_TRUE(back.empty());
}

TEST_F(NeighbourSessionsTest, ANeighbourThatDoesNotAnswerGetsNothingUntilItDoes) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_EQ(changes(), "+0/7");
    half(1).credit = 30;
    give(batch_of({30, 30}));
    core().handle_refused(kFirst, 0, cla::Refusal::kUnacknowledged);
    half(1).credit = 0;
    core().handle_state(kFirst, false, cla::LinkFault::kUnresponsive);
    core().handle_state(kFirst, false, cla::LinkFault::kUnresponsive);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kUnacknowledged, Outcome::kNotSent}));
    EXPECT_EQ(changes(), "-0/7");
    EXPECT_EQ(ended_by, cla::LinkFault::kUnresponsive) << "not the neighbour has ended it";
    give(batch_of({30}));  // egress has not heard of it yet
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});

    half(1).credit = 100;
    core().handle_state(kFirst, true, cla::LinkFault::kNone);
    EXPECT_EQ(changes(), "+0/7");
    give(batch_of({30}));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 2}));
    transmitted(3);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    core().handle_state(kSecond, false, cla::LinkFault::kUnresponsive);
    EXPECT_EQ(changes(), "") << "nobody";
}

TEST_F(NeighbourSessionsTest, TheReasonOfAnEndGoesToEgressAndToTheOperator) {
    const auto reason = [this] {
        std::string last;
        while (const auto info = core().poll_info()) last = as_text(info->reason);
        return last;
    };
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    closes(1, cla::LinkFault::kIdleTimeout, "30 s");
    EXPECT_EQ(ended_by, cla::LinkFault::kIdleTimeout);
    EXPECT_EQ(reason(), std::string(in_words(cla::LinkFault::kIdleTimeout)) + ": 30 s");
    core().publish_all_again();
    EXPECT_NE(reason(), "") << "a restarted telemetry gets it, too";
    ASSERT_TRUE(claims(2, "ipn:7.0"));
    EXPECT_EQ(reason(), "") << "it is connected";
    closes(2, cla::LinkFault::kPeerTerminated);
    EXPECT_EQ(ended_by, cla::LinkFault::kPeerTerminated);
    EXPECT_EQ(reason(), "") << "the neighbour may end its session at any time";
}

TEST_F(NeighbourSessionsTest, TheNextSessionBeginsAnew) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    give(batch_of({20, 20}));
    closes(1);
    (void)outcomes();
    ASSERT_TRUE(claims(2, "ipn:7.0"));
    give(batch_of({20}));
    EXPECT_EQ(half(2).tokens, Tokens{0});
    transmitted(1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

TEST_F(NeighbourSessionsTest, ALinkThatIsNotKnownTakesNothing) {
    give(batch_of({20}, kSecond));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    stops(kSecond);
    transmitted(3, kSecond);
    core().handle_writable(kSecond);
    EXPECT_EQ(changes(), "");
}

TEST_F(NeighbourSessionsTest, WhatHasNotBegunGoesBackWhenEgressStops) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 20;
    give(batch_of({20, 20}));
    give(batch_of({20}));
    give(batch_of({20}));
    stops();
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
    EXPECT_TRUE(back.empty()) << "the first has begun";
    half(1).credit = 1000;
    core().handle_writable(kFirst);
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1}));
    give(batch_of({20}));  // the next contact
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1, 2})) << "without a gap";
    transmitted(3);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent}));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

// A link may call back from inside transmit(): bundles stay in order and calls do not nest.
TEST_F(NeighbourSessionsTest, NewsFromInsideOfACallAreTakenInTurn) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 20;
    half(1).when_transmit = [this] {
        half(1).credit = 1000;
        core().handle_writable(kFirst);
        give(batch_of({20}));
        EXPECT_EQ(half(1).sent.size(), 1U);
    };
    give(batch_of({20, 20}));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1, 2}));
}

TEST_F(NeighbourSessionsTest, TheSessionMayEndInsideOfACall) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    half(1).credit = 20;
    half(1).when_transmit = [this] {
        half(1).credit = 1000;
        closes(1);
    };
    give(batch_of({20, 20}));
    EXPECT_EQ(half(1).tokens, Tokens{0});
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kNotSent}));
    EXPECT_EQ(changes(), "+0/7 -0/7");
}

// ---- what ingress sends itself

TEST_F(NeighbourSessionsTest, ABundleOfIngressGoesAtOnceWithAHeadOfThisNode) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    ASSERT_TRUE(takes());
    ASSERT_EQ(half(1).sent.size(), 1U);
    const ByteView sent(half(1).sent[0]);
    ASSERT_TRUE(bp::parse({&sent, 1}));
    EXPECT_GT(sent.size(), test::TestBundle{}.octets().size()) << "the previous node is named";
    EXPECT_EQ(half(1).flushes, 1U);
    EXPECT_TRUE(own.empty());
    transmitted(1);
    EXPECT_EQ(own_outcome(), Outcome::kSent);
    EXPECT_TRUE(back.empty()) << "egress knows nothing of it";
    EXPECT_EQ(counters.value(telemetry::IngressCounter::kForwarded), 1U);
    ASSERT_TRUE(takes());
    give(batch_of({20}));
    EXPECT_EQ(half(1).tokens, (Tokens{0, 1, 2}));
    transmitted(3);
    EXPECT_EQ(own_outcome(), Outcome::kSent);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

TEST_F(NeighbourSessionsTest, WhatCannotGoAtOnceIsForEgress) {
    EXPECT_FALSE(takes()) << "no such link";
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_FALSE(takes(1, kSecond));
    EXPECT_FALSE(takes(2)) << "it is not alone";
    EXPECT_FALSE(takes(1, kFirst, 1)) << "it has expired";
    half(1).credit = 0;
    EXPECT_FALSE(takes());
    half(1).credit = 1000;
    give(batch_of({20}));
    EXPECT_FALSE(takes()) << "another one is under way";
    transmitted(1);
    EXPECT_TRUE(takes());
    closes(1);
    EXPECT_EQ(own_outcome(), Outcome::kNotSent);
    EXPECT_FALSE(takes());
}

TEST_F(NeighbourSessionsTest, WhatIsToBeCutIsForEgress) {
    listener.peers_take = 40;
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_EQ(announced_bytes, 40U);
    EXPECT_FALSE(takes());
    closes(1);
    listener.peers_take = ~std::uint64_t{0};
    ASSERT_TRUE(claims(2, "ipn:7.0"));
    core().set_fragment_above(40);
    EXPECT_FALSE(takes());
    core().set_fragment_above(4'000);
    EXPECT_TRUE(takes());
}

TEST_F(NeighbourSessionsTest, TheSessionLearnsWhichBundlesAreFragmentsOfOne) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    BatchPtr batch = batch_of({30, 30, 30, 30});
    batch->bundles[1].flow = batch->bundles[2].flow = kContinuesFlow;
    give(std::move(batch));
    EXPECT_EQ(half(1).continuing, (Tokens{1, 2}));
}

TEST_F(NeighbourSessionsTest, AfterARefusalEgressKeepsAccount) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    ASSERT_TRUE(takes());
    core().handle_refused(kFirst, 0, cla::Refusal::kNoResources);
    transmitted(1);
    EXPECT_EQ(own_outcome(), Outcome::kNotSent);
    EXPECT_EQ(counters.value(telemetry::IngressCounter::kForwarded), 0U);
    EXPECT_FALSE(takes());
    give(batch_of({20}));
    transmitted(2);
    EXPECT_TRUE(takes()) << "egress has found it worth while";
}

}  // namespace
}  // namespace farlink::ingress::neighbour_traffic_test
