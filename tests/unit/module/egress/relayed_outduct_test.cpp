// SPDX-License-Identifier: Apache-2.0
#include "module/egress/relayed_outduct.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/octets.hpp"

namespace farlink::egress::relayed_outduct_test {
namespace {

using cla::LinkState;

constexpr LinkId kLink{0x40000000U};
constexpr std::uint32_t kSlab = 4096;

/// Plays the egress agent and ingress: writes down what the link tells, keeps what it sends.
class RelayedOutductTest : public testing::Test, public cla::LinkHost {
protected:
    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId, UpstreamId, ReceivedBundles &) override {}
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId of, LinkState state, cla::LinkFault fault) override {
        EXPECT_EQ(of, kLink);
        states.push_back(state);
        last_fault = fault;
    }
    void on_transmitted(LinkId, std::uint64_t token) override { transmitted.push_back(token); }
    void on_refused(LinkId, std::uint64_t token, cla::Refusal refusal) override {
        EXPECT_TRUE(refused.emplace(token, refusal).second);
    }
    void on_writable(LinkId) override { ++writable; }

    /// Sends a bundle of so many octets, with a head that goes away, as egress does.
    void send(std::size_t size, std::size_t head_size = 10) {
        const Bytes &octets = octets_.emplace_back(test::octets_of(size, octets_.size()));
        const ByteView whole(octets);
        Bytes head(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(head_size));
        const std::size_t half = (size - head_size) / 2;
        const ByteView rest = whole.subspan(head_size + half);
        const TxBundle tx{head, whole.subspan(head_size, half), {&rest, 1}, size, next_token++};
        link.transmit({&tx, 1});
        std::ranges::fill(head, std::uint8_t{0xdd});
    }
    void opens(std::uint64_t max_bundle_bytes = ~std::uint64_t{0}) {
        link.handle_session({kLink, NodeNumber{5}, true, {}, max_bundle_bytes});
    }
    void ends(cla::LinkFault fault = cla::LinkFault::kPeerClosed) {
        link.handle_session({kLink, NodeNumber{5}, false, {}, 0, static_cast<std::uint8_t>(fault)});
    }
    /// Ingress gives its oldest batch back: the same for every bundle.
    void answer(Outcome outcome) {
        ASSERT_FALSE(at_ingress.empty());
        at_ingress.front()->uniform = outcome;
        give_back();
    }
    void answer(const std::vector<Outcome> &outcomes) {
        ASSERT_FALSE(at_ingress.empty());
        ASSERT_EQ(at_ingress.front()->bundles.size(), outcomes.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            at_ingress.front()->bundles[i].outcome = outcomes[i];
        give_back();
    }
    using States = std::vector<LinkState>;
    using Tokens = std::vector<std::uint64_t>;

    SlabPool pool{kSlab, 4 * kSlab};
    BatchPool batches{BatchOwner::kEgress};
    std::deque<BatchPtr> at_ingress;
    std::vector<bus::SessionChange> changes;
    std::vector<bus::LinkPace> paces;
    std::deque<Bytes> octets_;
    States states;
    cla::LinkFault last_fault = cla::LinkFault::kNone;
    Tokens transmitted;
    std::map<std::uint64_t, cla::Refusal> refused;
    std::size_t writable = 0;
    std::uint64_t next_token = 0;
    RelayedOutduct link{kLink, *this, pool, batches,
                        [this](bus::Message message) { keep(std::move(message)); }};

private:
    void keep(bus::Message message) {
        if (auto *transmit = std::get_if<bus::TransmitBatch>(&message))
            at_ingress.push_back(std::move(transmit->batch));
        else if (const auto *pace = std::get_if<bus::LinkPace>(&message))
            paces.push_back(*pace);
        else
            changes.push_back(std::get<bus::SessionChange>(message));
    }
    void give_back() {
        BatchPtr batch = std::move(at_ingress.front());
        at_ingress.pop_front();
        link.handle_returned(std::move(batch));
    }
};

TEST_F(RelayedOutductTest, FollowsTheSession) {
    link.open();
    EXPECT_TRUE(states.empty()) << "there is no session";
    EXPECT_EQ(link.transmit_credit(), 0U);
    opens();
    EXPECT_EQ(states, States{LinkState::kConnected});
    EXPECT_GT(link.transmit_credit(), 1'000'000U);
    opens();
    link.open();
    EXPECT_EQ(states.size(), 1U) << "nothing has changed";
    ends();
    EXPECT_EQ(states, (States{LinkState::kConnected, LinkState::kClosed}));
    EXPECT_EQ(last_fault, cla::LinkFault::kPeerClosed);
    EXPECT_EQ(link.transmit_credit(), 0U);
}

TEST_F(RelayedOutductTest, ItsEndHasTheReasonOfTheSession) {
    opens();
    ends(cla::LinkFault::kUnresponsive);
    EXPECT_EQ(last_fault, cla::LinkFault::kUnresponsive);
    opens();
    ends(cla::LinkFault::kCount_);
    EXPECT_EQ(last_fault, cla::LinkFault::kNone) << "from a process that is wrong";
    opens();
    link.handle_lost();
    EXPECT_EQ(last_fault, cla::LinkFault::kNone) << "the neighbour has no part in it";
}

TEST_F(RelayedOutductTest, TheSessionOutlivesAContact) {
    opens();
    link.close();
    EXPECT_EQ(states, (States{LinkState::kConnected, LinkState::kClosing, LinkState::kClosed}));
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_FALSE(changes[0].open) << "no timer runs without a contact";
    link.close();
    EXPECT_EQ(states.size(), 3U);
    EXPECT_EQ(changes.size(), 1U);
    link.open();
    EXPECT_EQ(states.back(), LinkState::kConnected);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_TRUE(changes[1].open);
    link.close();
    ends();
    link.open();
    EXPECT_EQ(states.back(), LinkState::kClosed) << "it has ended meanwhile";
}

TEST_F(RelayedOutductTest, IngressIsToldOfRateAndLightTime) {
    link.set_rate(BitRate{5000});
    link.set_owlt(seconds(2));
    link.set_rate(BitRate{6000});
    ASSERT_EQ(paces.size(), 3U);
    EXPECT_EQ(paces[0].link, kLink);
    EXPECT_EQ(paces[0].rate, BitRate{5000});
    EXPECT_FALSE(paces[0].owlt_known);
    EXPECT_EQ(paces[1].rate, BitRate{5000});
    EXPECT_EQ(paces[1].owlt, seconds(2));
    EXPECT_EQ(paces[2].rate, BitRate{6000});
    EXPECT_EQ(paces[2].owlt, seconds(2));
    EXPECT_TRUE(paces[2].owlt_known);
}

TEST_F(RelayedOutductTest, BundlesTravelInABatchWithTheirHeads) {
    opens();
    send(100);
    send(300);
    EXPECT_TRUE(at_ingress.empty());
    link.flush();
    link.flush();
    ASSERT_EQ(at_ingress.size(), 1U);
    const Batch &batch = *at_ingress.front();
    EXPECT_EQ(batch.owner, BatchOwner::kEgress);
    EXPECT_EQ(batch.link, kLink);
    EXPECT_EQ(batch.bytes, 400U);
    ASSERT_EQ(batch.bundles.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(test::joined(batch.slices_of(batch.bundles[i])), octets_[i]);
        EXPECT_EQ(batch.slices_of(batch.bundles[i]).front().size(), 10U) << "the head alone";
    }
    answer(Outcome::kSent);
    EXPECT_EQ(transmitted, Tokens{2});
    EXPECT_TRUE(refused.empty());
}

TEST_F(RelayedOutductTest, HeadsOfAnySizeAreKept) {
    opens();
    send(10'000, 3000);
    send(10'000, 3000);
    send(20'000, 9000);
    link.flush();
    ASSERT_EQ(at_ingress.size(), 1U);
    const Batch &batch = *at_ingress.front();
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(test::joined(batch.slices_of(batch.bundles[i])), octets_[i]);
    answer(Outcome::kSent);
    EXPECT_LE(pool.pinned_bytes(), kSlab) << "that of the heads to come";
}

// Memory is short, and the node goes on all the same: bundles that leave make room.
TEST_F(RelayedOutductTest, HeadsAreKeptBeyondTheLimitOfMemory) {
    std::vector<SlabRef> taken;
    while (SlabRef slab = pool.acquire()) taken.push_back(std::move(slab));
    opens();
    send(100);
    send(20'000, 9000);
    link.flush();
    ASSERT_EQ(at_ingress.size(), 1U);
    const Batch &batch = *at_ingress.front();
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(test::joined(batch.slices_of(batch.bundles[i])), octets_[i]);
}

TEST_F(RelayedOutductTest, AFullBatchDoesNotWaitForTheFlush) {
    opens();
    for (std::size_t i = 0; i < kBatchBundles + 1; ++i) send(20);
    ASSERT_EQ(at_ingress.size(), 1U);
    EXPECT_EQ(at_ingress.front()->bundles.size(), kBatchBundles);
    send(kBatchBytes);
    ASSERT_EQ(at_ingress.size(), 2U);
    link.flush();
    EXPECT_EQ(at_ingress.size(), 2U);
}

TEST_F(RelayedOutductTest, OutcomesBecomeWordsOfALink) {
    opens();
    for (int i = 0; i < 8; ++i) send(100);
    link.flush();
    answer({Outcome::kSent, Outcome::kNoSpace, Outcome::kIoError, Outcome::kRefused,
            Outcome::kTooLarge, Outcome::kUnacknowledged, Outcome::kNotSent, Outcome::kSent});
    const std::map<std::uint64_t, cla::Refusal> expected{
        {1, cla::Refusal::kNoResources},    {2, cla::Refusal::kNotAcceptable},
        {3, cla::Refusal::kRetransmit},     {4, cla::Refusal::kTooLarge},
        {5, cla::Refusal::kUnacknowledged}, {6, cla::Refusal::kNotSent}};
    EXPECT_EQ(refused, expected);
    EXPECT_EQ(transmitted, Tokens{8}) << "which covers the refused ones";
}

TEST_F(RelayedOutductTest, TakesWhatThePeerOfTheSessionTakes) {
    EXPECT_EQ(link.max_bundle_bytes(), ~std::uint64_t{0});
    opens(5'000);
    EXPECT_EQ(link.max_bundle_bytes(), 5'000U);
    ends();
    opens(6'000);
    EXPECT_EQ(link.max_bundle_bytes(), 6'000U);
}

TEST_F(RelayedOutductTest, FurtherFragmentsAreMarked) {
    opens();
    const Bytes octets = test::octets_of(20, 1);
    for (const bool continues : {false, true, true, false}) {
        TxBundle tx{octets, {}, {}, octets.size(), next_token++};
        tx.continues = continues;
        link.transmit({&tx, 1});
    }
    link.flush();
    ASSERT_EQ(at_ingress.size(), 1U);
    std::vector<bool> marked;
    for (const BatchedBundle &bundle : at_ingress.front()->bundles)
        marked.push_back(bundle.flow == kContinuesFlow);
    EXPECT_EQ(marked, (std::vector<bool>{false, true, true, false}));
    answer(Outcome::kSent);
}

TEST_F(RelayedOutductTest, TheWindowIsBounded) {
    opens();
    constexpr std::size_t kLarge = 4 << 20;
    const std::uint64_t window = link.transmit_credit();
    while (link.transmit_credit() > 0) send(kLarge);
    link.flush();
    EXPECT_EQ(next_token, window / kLarge);
    EXPECT_EQ(writable, 0U);
    answer(Outcome::kSent);
    EXPECT_EQ(writable, 1U);
    EXPECT_EQ(link.transmit_credit(), kLarge);
    answer(Outcome::kSent);
    EXPECT_EQ(writable, 1U) << "it was writable already";
}

TEST_F(RelayedOutductTest, ClosingWaitsForWhatIngressHas) {
    opens();
    send(100);
    link.flush();
    send(100);
    link.flush();
    send(100);  // not with ingress yet: forgotten, for egress holds it
    link.close();
    EXPECT_EQ(states.back(), LinkState::kClosing);
    EXPECT_EQ(link.transmit_credit(), 0U);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_FALSE(changes[0].open);
    EXPECT_EQ(changes[0].link, kLink);
    answer(Outcome::kNotSent);
    EXPECT_EQ(states.back(), LinkState::kClosing);
    answer(Outcome::kSent);
    EXPECT_EQ(states.back(), LinkState::kClosed);
    EXPECT_EQ(transmitted, (Tokens{1, 2}));
    EXPECT_EQ(writable, 0U);
}

TEST_F(RelayedOutductTest, ABundleThatNobodyHasGotDoesNotKeepTheLinkFromClosing) {
    opens();
    send(100);
    link.close();
    EXPECT_EQ(states.back(), LinkState::kClosed);
    EXPECT_TRUE(at_ingress.empty());
}

TEST_F(RelayedOutductTest, OpensAgainWhenItHasClosed) {
    opens();
    send(100);
    link.flush();
    link.close();
    link.open();
    EXPECT_EQ(states.back(), LinkState::kClosing) << "a bundle would be on the way twice";
    answer(Outcome::kNotSent);
    EXPECT_EQ(states, (States{LinkState::kConnected, LinkState::kClosing, LinkState::kClosed,
                              LinkState::kConnected}));
    send(100);
    link.flush();
    answer(Outcome::kSent);
    EXPECT_EQ(transmitted, (Tokens{1, 2}));
}

TEST_F(RelayedOutductTest, ClosesForGoodWhenItIsToldSo) {
    opens();
    send(100);
    link.flush();
    link.close();
    link.open();
    link.close();
    answer(Outcome::kSent);
    EXPECT_EQ(states.back(), LinkState::kClosed);
}

TEST_F(RelayedOutductTest, TheSessionEndsWhileItCloses) {
    opens();
    send(100);
    link.flush();
    link.close();
    answer(Outcome::kNotSent);  // every batch comes back before the news of the end
    ends();
    EXPECT_EQ(states, (States{LinkState::kConnected, LinkState::kClosing, LinkState::kClosed}));
    opens();
    EXPECT_EQ(states.back(), LinkState::kConnected);
    send(100);
    link.flush();
    EXPECT_EQ(at_ingress.size(), 1U);
}

TEST_F(RelayedOutductTest, WhatCrossesTheNewsOfTheEndTakesNoRoomForEver) {
    opens();
    const std::uint64_t window = link.transmit_credit();
    send(100);
    link.flush();
    ends();
    answer(Outcome::kNotSent);
    opens();
    EXPECT_EQ(link.transmit_credit(), window);
}

TEST_F(RelayedOutductTest, WhatIsBeingFilledGoesWithTheSession) {
    opens();
    send(100);
    ends();
    link.flush();
    EXPECT_TRUE(at_ingress.empty());
    opens();
    const std::uint64_t window = link.transmit_credit();
    send(100);
    link.flush();
    ASSERT_EQ(at_ingress.size(), 1U);
    EXPECT_EQ(at_ingress.front()->bundles.size(), 1U);
    EXPECT_EQ(link.transmit_credit(), window - 100);
}

// Ingress has died in its process: what it had comes back, and until then nobody else may have it.
TEST_F(RelayedOutductTest, ClosesWhenIngressIsLostAndAllIsBack) {
    opens();
    send(100);
    link.flush();
    send(100);
    link.handle_lost();
    EXPECT_EQ(states.back(), LinkState::kClosing);
    EXPECT_TRUE(changes.empty()) << "there is nobody to tell";
    answer(Outcome::kNotSent);
    EXPECT_EQ(states.back(), LinkState::kClosed);
    EXPECT_EQ(refused, (std::map<std::uint64_t, cla::Refusal>{{0, cla::Refusal::kNotSent}}));
    link.handle_lost();
    link.set_rate(BitRate{7000});
    opens();
    EXPECT_EQ(states.back(), LinkState::kConnected);
    EXPECT_EQ(paces.size(), 2U) << "the new ingress is told again";
}

}  // namespace
}  // namespace farlink::egress::relayed_outduct_test
