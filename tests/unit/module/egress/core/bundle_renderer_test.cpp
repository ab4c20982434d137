// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/bundle_renderer.hpp"

#include <algorithm>

#include "common/bp/parse.hpp"
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::bundle_renderer_test {
namespace {

using test::TestBundle;

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

}  // namespace
}  // namespace farlink::egress::bundle_renderer_test
