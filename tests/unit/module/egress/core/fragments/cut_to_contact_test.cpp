// SPDX-License-Identifier: Apache-2.0
// Bundles of storage that do not fit the rest of a contact (`fragmentToContact`): a part leaves,
// and storage keeps the rest.
#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::cut_to_contact_test {
namespace {

using test::TestBundle;

constexpr std::size_t kPayload = 30'000;
/// Of a second at 10,000 bytes a second.
constexpr std::uint64_t kMostBytes = 9'687;

class CutToContactTest : public EgressCoreTest {
protected:
    /// A second is left of the contact.
    void bring_up_briefly(std::uint64_t max_bundle_bytes = ~std::uint64_t{0}) {
        auto configs = outducts();
        configs[0].fragment_to_contact = true;
        restart(configs);
        bus::ContactStart start;
        start.link = kLink;
        start.rate = BitRate{80'000};
        start.ends = test::kStart + 2000;
        core.handle(start, now);
        core.handle_connected(kLink, max_bundle_bytes, now);
    }
    static bp::BundleView view_of(const Sent &sent) {
        const ByteView octets(sent.octets);
        const auto view = bp::parse({&octets, 1});
        EXPECT_TRUE(view.has_value());
        return view.value_or(bp::BundleView{});
    }
    /// Of the batch that has come back.
    std::uint64_t sent_payload() {
        return batches_back().empty() ? 0 : batches_back().back()->sent_payload;
    }
    static std::uint64_t bytes_of(std::span<const Sent> all) {
        std::uint64_t sum = 0;
        for (const Sent &sent : all) sum += sent.octets.size();
        return sum;
    }
    static std::uint64_t payload_of(std::span<const Sent> all) {
        std::uint64_t sum = 0;
        for (const Sent &sent : all) sum += view_of(sent).payload_length;
        return sum;
    }
};

TEST_F(CutToContactTest, APartFillsTheContactAndTheRestStays) {
    bring_up_briefly();
    release({bundle(kPayload).octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    const bp::BundleView part = view_of(sent[0]);
    EXPECT_TRUE(part.is_fragment);
    EXPECT_EQ(part.fragment_offset, 0U);
    EXPECT_EQ(part.total_adu_length, kPayload);
    EXPECT_LE(sent[0].octets.size(), kMostBytes);
    EXPECT_GT(sent[0].octets.size(), kMostBytes - 32);
    EXPECT_TRUE(transmit().empty());
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(sent_payload(), part.payload_length);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});
    EXPECT_EQ(value(EgressCounter::kCut), 1U);
    EXPECT_EQ(value(EgressCounter::kPartReturns), 1U);
    EXPECT_EQ(value(EgressCounter::kForwarded), 0U) << "it is sent with its rest";
}

TEST_F(CutToContactTest, TheRestLeavesBehindTheFirstPart) {
    bring_up_briefly();
    const TestBundle whole = bundle(kPayload);
    BatchPtr batch = batch_for(BatchOwner::kStorage, kLink, {whole.octets()});
    batch->sent_payload = 25'000;
    core.handle(bus::ReleaseBatch{std::move(batch)}, now);
    EXPECT_LT(core.links().queued_bytes(kLink), 6'000U) << "the router books no more";
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    const bp::BundleView rest = view_of(sent[0]);
    EXPECT_EQ(rest.fragment_offset, 25'000U);
    EXPECT_EQ(rest.payload_length, kPayload - 25'000);
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    EXPECT_EQ(value(EgressCounter::kForwarded), 1U);
    EXPECT_EQ(value(EgressCounter::kCut), 0U) << "it was counted with its first part";
}

TEST_F(CutToContactTest, ARestIsCutAgainWhereItDoesNotFit) {
    bring_up_briefly();
    BatchPtr batch = batch_for(BatchOwner::kStorage, kLink, {bundle(kPayload).octets()});
    batch->sent_payload = 10'000;
    core.handle(bus::ReleaseBatch{std::move(batch)}, now);
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(view_of(sent[0]).fragment_offset, 10'000U);
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(sent_payload(), 10'000 + view_of(sent[0]).payload_length);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});
}

// Storage keeps the rest; so the bundle goes there first, and its flow stays in order.
TEST_F(CutToContactTest, WhatIngressLendsGoesToStorageFirst) {
    bring_up_briefly();
    const Bytes large = bundle(kPayload).octets();
    forward({large, bundle(20).octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kTooLate));
    maker.next_arrival = 1;
    release({large, bundle(20).octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLate}) << "the younger one";
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});
}

TEST_F(CutToContactTest, WhatMayNotBeCutWaits) {
    bring_up_briefly();
    TestBundle whole = bundle(kPayload);
    whole.flags = bp::v7::kMustNotFragment;
    release({whole.octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLate});

    bring_up_briefly();
    BatchPtr critical = batch_for(BatchOwner::kStorage, kLink, {bundle(kPayload).octets()});
    critical->bundles[0].requests |= kRequestCritical;
    core.handle(bus::ReleaseBatch{std::move(critical)}, now);
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLate});
    EXPECT_EQ(value(EgressCounter::kCut), 0U);
}

TEST_F(CutToContactTest, AShortRestOfAContactIsNotWorthACut) {
    bring_up_briefly();
    now += milliseconds(900);
    release({bundle(kPayload).octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLate});
}

TEST_F(CutToContactTest, ThePartIsCutForTheLimitOfTheLink) {
    bring_up_briefly(4'000);
    release({bundle(kPayload).octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 3U);
    for (const Sent &each : sent) EXPECT_LE(each.octets.size(), 4'000U);
    EXPECT_LE(bytes_of(sent), kMostBytes);
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(sent_payload(), payload_of(sent));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});
}

TEST_F(CutToContactTest, WhatTheNextHopHasIsNotSentAgainAfterALoss) {
    bring_up_briefly(4'000);
    release({bundle(kPayload).octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 3U);
    acknowledge(sent[1].token + 1);
    EXPECT_TRUE(outcomes().empty());
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(sent_payload(), payload_of(std::span(sent).first(2)));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});

    bring_up_briefly(4'000);
    release({bundle(kPayload).octets()});
    EXPECT_EQ(transmit().size(), 3U);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent}) << "it has nothing";
}

TEST_F(CutToContactTest, AContactThatEndsInTheMidstLeavesARest) {
    bring_up_briefly(4'000);
    release({bundle(kPayload).octets(), bundle(20).octets()});
    const std::vector<Sent> sent = transmit(kLink, 2);
    ASSERT_EQ(sent.size(), 2U);
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent}) << "the one that had not begun";
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(sent_payload(), payload_of(sent));
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent});

    bring_up_briefly(4'000);
    release({bundle(kPayload).octets()});
    const std::vector<Sent> again = transmit(kLink, 2);
    acknowledge(again.back().token + 1);
    EXPECT_TRUE(outcomes().empty());
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kPartSent}) << "nothing of it is on the link";
}

TEST_F(CutToContactTest, ARefusedPartReturnsTheWhole) {
    bring_up_briefly();
    release({bundle(kPayload).octets()});
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    core.handle_refused(kLink, sent[0].token, NextHopRefusal::kNotAcceptable, now);
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kRefused});
    EXPECT_EQ(value(EgressCounter::kPartReturns), 0U);
}

TEST_F(CutToContactTest, ForbiddingFragmentsForbidsParts) {
    auto configs = outducts();
    configs[0].fragment = false;
    configs[0].fragment_to_contact = true;
    restart(configs);
    EXPECT_FALSE(core.links().find(kLink)->fragment_to_contact);
}

}  // namespace
}  // namespace farlink::egress::cut_to_contact_test
