// SPDX-License-Identifier: Apache-2.0
// Batches that storage refuses.
#include "module/ingress/core/queues/held_batches.hpp"

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::held_batches_test {
namespace {

using test::TestBundle;

class RefusedBatches : public IngressFixture {};

class HeldBatchesTest : public RefusedBatches, public testing::WithParamInterface<Outcome> {};

TEST_P(HeldBatchesTest, AreOfferedAgain) {
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

TEST_P(HeldBatchesTest, HoldBackTheUpstreams) {
    receive(bundles(1));
    storage_answers(GetParam());
    receive(bundles(1));
    EXPECT_TRUE(at_storage.empty());
    EXPECT_TRUE(paused());
    advance(core().next_timeout() - now);
    ASSERT_EQ(at_storage.size(), 2U);
    EXPECT_TRUE(paused()) << "storage may refuse again";
    storage_answers(Outcome::kStored);
    EXPECT_FALSE(paused());
    storage_answers(Outcome::kStored);
}

// What a session may send beyond maxUnsettledBytes depends on whether it is paused.
TEST_P(HeldBatchesTest, HoldBackEverySessionUntilStorageAnswers) {
    core().handle_upstream_opened(kUp, true);
    core().handle_upstream_opened(kUp2, true);
    receive(bundles(1));
    storage_answers(GetParam());
    advance(core().next_timeout() - now);
    storage_answers(GetParam());
    ASSERT_EQ(value(IngressCounter::kInFlight), 0U) << "its sender has it";
    receive(bundles(1), kUp2);
    ASSERT_EQ(at_storage.size(), 1U) << "storage may have room by now";
    EXPECT_TRUE(paused(kUp2));
    storage_answers(Outcome::kStored);
    EXPECT_FALSE(paused(kUp2));
    receive(bundles(1), kUp2);
    EXPECT_FALSE(paused(kUp2)) << "storage has room";
    storage_answers(Outcome::kStored);
}

TEST_P(HeldBatchesTest, AreSentWhenTheirLinkComesUpMeanwhile) {
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
TEST_P(HeldBatchesTest, AreOfferedInTheOrderOfTheirArrival) {
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

TEST_P(HeldBatchesTest, GoBeforeWhatCameLaterButAlsoWaits) {
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

TEST_P(HeldBatchesTest, PinTheirSlabsOnceHoweverOftenTheyAreOffered) {
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

TEST_P(HeldBatchesTest, ExpireWhileTheyWait) {
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
TEST_P(HeldBatchesTest, KeepTheirExpiry) {
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

INSTANTIATE_TEST_SUITE_P(Refusals, HeldBatchesTest,
                         testing::Values(Outcome::kNoSpace, Outcome::kIoError));

// Held for its lifetime, such a bundle would block all others and use up the memory.
TEST_F(RefusedBatches, WhatCanNeverBeStoredIsDeleted) {
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

// Their sender has them back, so that none is held and no pause ends: storage would refuse the
// first bundles that come when it has long had room.
TEST_F(RefusedBatches, ThatGoBackToTheirSenderLeaveNoRefusalBehind) {
    core().handle_upstream_opened(kUp, true);
    receive(bundles(2));
    storage_answers(Outcome::kNoSpace);
    advance(core().next_timeout() - now);
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_TRUE(at_storage[0]->resumes);
    storage_answers(Outcome::kNoSpace);
    ASSERT_EQ(value(IngressCounter::kInFlight), 0U) << "the sender repeats them";
    receive(bundles(1));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_TRUE(at_storage[0]->resumes);
    receive(bundles(1));
    ASSERT_EQ(at_storage.size(), 2U);
    EXPECT_FALSE(at_storage[1]->resumes) << "storage may refuse the one before it";
    storage_answers(Outcome::kStored);
    storage_answers(Outcome::kStored);
}

TEST_F(RefusedBatches, ThatStorageRefusesAreOfferedAfterPausesThatGrow) {
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

// The room on disk is for bundles of which no sender has a copy.
TEST_F(RefusedBatches, GoBackToSendersThatWaitForThemWhenTheNodeStops) {
    constexpr UpstreamId kUp3{9};
    core().handle_upstream_opened(kUp, false);
    core().handle_upstream_opened(kUp2, true);
    core().handle_upstream_opened(kUp3, true);
    core().upstreams().defer_when_full(kUp3);
    for (const UpstreamId from : {kUp, kUp2, kUp3}) receive(bundles(2), from);
    for (int batch = 0; batch < 3; ++batch) storage_answers(Outcome::kNoSpace);
    core().drain(now);
    core().handle_timeout(now);
    collect();
    EXPECT_EQ(value(IngressCounter::kDeletedNoResources), 2U);
    const auto refused = core().upstreams().poll_disposition();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->upstream, kUp2);
    EXPECT_EQ(refused->count, 2U);
    EXPECT_EQ(refused->disposition, TransferDisposition::kNoResources);
    std::vector<std::uint64_t> order;
    for (const BatchPtr &batch : at_storage)
        for (const std::uint64_t arrival : arrivals(*batch)) order.push_back(arrival);
    EXPECT_EQ(order, (std::vector<std::uint64_t>{1000, 1001, 1004, 1005}));
    while (!at_storage.empty()) storage_answers(Outcome::kStored);
}

// A peer that does not understand refusals is held by its own window.
TEST_F(RefusedBatches, OfASessionThatDefersAreKeptWhileStorageIsFull) {
    for (const bool defers : {false, true}) {
        const UpstreamId from = defers ? kUp2 : kUp;
        core().handle_upstream_opened(from, true);
        if (defers) core().upstreams().defer_when_full(from);
        receive(bundles(2), from);
        for (int times = 0; times < 5 && !at_storage.empty(); ++times) {
            storage_answers(Outcome::kNoSpace);
            if (core().next_timeout() != kNever) advance(core().next_timeout() - now);
        }
        EXPECT_EQ(core().upstreams().poll_disposition().has_value(), !defers);
        if (!defers) continue;
        ASSERT_EQ(at_storage.size(), 1U);
        storage_answers(Outcome::kStored);
        const auto edited = core().upstreams().poll_disposition();
        ASSERT_TRUE(edited);
        EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
    }
}

// Without an answer to the older ones, the refusals of the layer would never leave.
TEST_F(RefusedBatches, OfASessionBeyondItsLimitGoBackToTheirSender) {
    core().handle_upstream_opened(kUp, true);
    core().upstreams().defer_when_full(kUp);
    receive(bundles(2));
    for (int times = 0; times < 3; ++times) {
        storage_answers(Outcome::kNoSpace);
        advance(core().next_timeout() - now);
    }
    EXPECT_FALSE(core().upstreams().poll_disposition()) << "kept";
    core().upstreams().refused_unread(kUp, 1, true, now);
    ASSERT_EQ(at_storage.size(), 1U);
    storage_answers(Outcome::kNoSpace);
    const auto answered = core().upstreams().poll_disposition();
    ASSERT_TRUE(answered);
    EXPECT_EQ(answered->count, 2U);
    EXPECT_EQ(answered->disposition, TransferDisposition::kNoResources);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    EXPECT_EQ(value(IngressCounter::kDeletedNoResources), 2U);
}

TEST_F(RefusedBatches, OfAStoppingNodeAreGivenUpIfStorageStaysFull) {
    receive(bundles(1));
    storage_answers(Outcome::kNoSpace);
    now += seconds(60);
    core().drain(now);
    const auto refuse_for = [&](Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            advance(milliseconds(100));
            if (!at_storage.empty()) storage_answers(Outcome::kNoSpace);
        }
    };
    refuse_for(milliseconds(1800));
    EXPECT_FALSE(core().queues().storage_stays_full(now));
    refuse_for(milliseconds(400));
    EXPECT_TRUE(core().queues().storage_stays_full(now));
    advance(milliseconds(100));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_FALSE(core().queues().storage_stays_full(now)) << "storage has them";
    storage_answers(Outcome::kStored);
    EXPECT_FALSE(core().queues().storage_stays_full(now));
    EXPECT_TRUE(core().idle());
}

}  // namespace
}  // namespace farlink::ingress::held_batches_test
