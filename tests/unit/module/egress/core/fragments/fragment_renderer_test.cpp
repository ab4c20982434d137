// SPDX-License-Identifier: Apache-2.0
// Bundles that leave in fragments, through the whole core.
#include "module/egress/core/fragments/fragment_renderer.hpp"

#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::fragment_renderer_test {
namespace {

using test::TestBundle;

constexpr std::size_t kPayload = 10'000;
constexpr std::uint64_t kLimit = 1'000;

class FragmentRendererTest : public EgressCoreTest {
protected:
    void bring_up_small(std::uint64_t limit = kLimit) {
        plan(kLink);
        core.handle_connected(kLink, limit, now);
    }
    /// Everything that the link can get, in calls of `most` places.
    std::vector<Sent> drain(std::size_t most = 64, std::uint64_t max_bytes = kAnyBytes) {
        std::vector<Sent> all;
        for (;;) {
            std::vector<Sent> next = transmit(kLink, most, max_bytes);
            if (next.empty()) return all;
            std::ranges::move(next, std::back_inserter(all));
        }
    }
    /// The payload that the fragments have together.
    static std::optional<Bytes> joined_payload(std::span<const Sent> fragments) {
        traffic::Reassembler reassembler({1 << 24, 8});
        for (const Sent &sent : fragments) {
            const ByteView octets(sent.octets);
            const auto view = bp::parse({&octets, 1});
            EXPECT_TRUE(view.has_value() && view->is_fragment);
            if (!view || reassembler.handle_fragment(*view, {&octets, 1}, 1) ==
                             traffic::Reassembler::Outcome::kContradiction)
                return std::nullopt;
        }
        return reassembler.poll_data_unit();
    }
    static void expect_tokens_rise(std::span<const Sent> sent) {
        for (std::size_t i = 1; i < sent.size(); ++i) EXPECT_GT(sent[i].token, sent[i - 1].token);
    }
};

TEST_F(FragmentRendererTest, CutsWhatTheLinkDoesNotTake) {
    bring_up_small();
    const TestBundle large = bundle(kPayload);
    forward({bundle(20).octets(), large.octets(), bundle(20).octets()});
    const std::vector<Sent> sent = drain();
    ASSERT_GT(sent.size(), 12U);
    expect_tokens_rise(sent);
    for (const Sent &each : sent) EXPECT_LE(each.octets.size(), kLimit);
    EXPECT_EQ(joined_payload(std::span(sent).subspan(1, sent.size() - 2)), large.payload());
    EXPECT_EQ(value(EgressCounter::kCut), 1U);
    EXPECT_EQ(value(EgressCounter::kFragments), sent.size() - 2);
    for (std::size_t i = 0; i < sent.size(); ++i)
        EXPECT_EQ(sent[i].continues, i > 1 && i + 1 < sent.size()) << i;

    acknowledge(sent.back().token);
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U) << "a cut bundle counts once";
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kSent));
    EXPECT_EQ(value(EgressCounter::kForwarded), 3U);
}

TEST_F(FragmentRendererTest, ABundleIsSentWithItsLastFragment) {
    bring_up_small();
    forward({bundle(kPayload).octets()});
    const std::vector<Sent> sent = drain();
    for (const Sent &each : sent) {
        EXPECT_TRUE(outcomes().empty());
        acknowledge(each.token + 1);
    }
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

TEST_F(FragmentRendererTest, GoesOnInTheMidstOfABundle) {
    for (const std::size_t slices : {1U, 4U})
        for (const auto &[most, bytes] : {std::pair<std::size_t, std::uint64_t>{1, kAnyBytes},
                                          {3, kAnyBytes},
                                          {64, 1},
                                          {64, 2500}}) {
            if (slices == 1 && most == 1) bring_up_small();
            const TestBundle first = bundle(kPayload);
            const TestBundle second = bundle(kPayload);
            core.handle(bus::ForwardBatch{batch_for(BatchOwner::kIngress, kLink,
                                                    {first.octets(), second.octets()}, slices)},
                        now);
            const std::vector<Sent> sent = drain(most, bytes);
            expect_tokens_rise(sent);
            ASSERT_EQ(sent.size() % 2, 0U);
            EXPECT_EQ(joined_payload(std::span(sent).first(sent.size() / 2)), first.payload());
            EXPECT_EQ(joined_payload(std::span(sent).subspan(sent.size() / 2)), second.payload());
            acknowledge(sent.back().token + 1);
            EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kSent));
        }
}

TEST_F(FragmentRendererTest, WhatMayNotBeCutLeavesAsItIs) {
    bring_up_small();
    TestBundle whole = bundle(kPayload);
    whole.flags = bp::v7::kMustNotFragment;
    forward({whole.octets()});
    const std::vector<Sent> sent = drain();
    ASSERT_EQ(sent.size(), 1U);
    core.handle_refused(kLink, sent[0].token, NextHopRefusal::kTooLarge, now);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLarge});
    EXPECT_EQ(value(EgressCounter::kCut), 0U);
    EXPECT_EQ(value(EgressCounter::kRefused), 0U) << "the next hop was not asked";
    EXPECT_EQ(value(EgressCounter::kTooLargeReturns), 1U);
}

TEST_F(FragmentRendererTest, ALimitBelowTheHeadCutsNothing) {
    bring_up_small(50);
    forward({bundle(kPayload).octets(), bundle(kPayload).octets()});
    const std::vector<Sent> sent = drain();
    ASSERT_EQ(sent.size(), 2U);
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kSent));
}

// The head of a later fragment is longer, by its offset.
TEST_F(FragmentRendererTest, ABundleIsCutToItsEndOrNotAtAll) {
    bring_up_small(10'000);
    for (std::uint64_t limit = 80; limit < 200; ++limit) {
        core.set_fragment_above(limit);
        const TestBundle large = bundle(5'000);
        forward({large.octets()});
        const std::vector<Sent> sent = drain();
        ASSERT_FALSE(sent.empty());
        if (sent.size() > 1) {
            EXPECT_EQ(joined_payload(sent), large.payload()) << limit;
        }
        acknowledge(sent.back().token + 1);
        ASSERT_EQ(outcomes(), Outcomes{Outcome::kSent}) << limit;
    }
}

TEST_F(FragmentRendererTest, ALimitThatIsTooLowLeavesTheNeighbours) {
    bring_up_small();
    core.set_fragment_above(1);
    const TestBundle large = bundle(kPayload);
    forward({large.octets()});
    const std::vector<Sent> sent = drain();
    ASSERT_GT(sent.size(), 10U);
    for (const Sent &each : sent) EXPECT_LE(each.octets.size(), kLimit);
    EXPECT_EQ(joined_payload(sent), large.payload());
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

TEST_F(FragmentRendererTest, ARefusalOfAFragmentOutlivesTheConnection) {
    bring_up_small();
    forward({bundle(kPayload).octets()});
    const std::vector<Sent> sent = drain();
    core.handle_refused(kLink, sent[3].token, NextHopRefusal::kNotAcceptable, now);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kRefused});
}

TEST_F(FragmentRendererTest, TheSmallestLimitCounts) {
    auto configs = outducts();
    configs[0].fragment_above_bytes = 2'000;
    configs[1].fragment = false;
    restart(configs);
    bring_up(kLink);
    bring_up(kOther);
    const auto largest = [&](LinkId link) {
        forward({bundle(kPayload).octets()}, link);
        std::size_t bytes = 0;
        std::uint64_t token = 0;
        for (const Sent &each : transmit(link)) {
            bytes = std::max(bytes, each.octets.size());
            token = each.token + 1;
        }
        core.handle_transmitted(link, token, now);
        outcomes();
        return bytes;
    };
    EXPECT_EQ(largest(kLink), 2'000U);
    core.set_fragment_above(1'500);
    EXPECT_EQ(largest(kLink), 1'500U);
    EXPECT_GT(largest(kOther), kPayload) << "the outduct forbids it";
    core.handle_disconnected(kLink, now);
    core.handle_connected(kLink, 700, now);
    EXPECT_EQ(largest(kLink), 700U);
}

TEST_F(FragmentRendererTest, ALostConnectionReturnsTheWhole) {
    bring_up_small();
    release({bundle(kPayload).octets(), bundle(20).octets()});
    const std::vector<Sent> sent = transmit(kLink, 4);
    ASSERT_EQ(sent.size(), 4U);
    acknowledge(sent[2].token);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kNotSent));
}

TEST_F(FragmentRendererTest, ARefusedFragmentReturnsTheWholeWhenTheLinkHasDoneWithIt) {
    bring_up_small();
    const TestBundle large = bundle(kPayload);
    forward({large.octets(), bundle(20).octets()});
    const std::vector<Sent> sent = transmit(kLink, 4);
    core.handle_refused(kLink, sent[1].token, NextHopRefusal::kNotAcceptable, now);
    EXPECT_TRUE(outcomes().empty()) << "the link may refer to the other fragments";
    const std::vector<Sent> further = drain();
    ASSERT_EQ(further.size(), 1U) << "no more of it leaves, and the next one does";
    acknowledge(sent[3].token + 1);
    acknowledge(further[0].token + 1);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kRefused, Outcome::kSent}));
    EXPECT_EQ(value(EgressCounter::kRefused), 1U);
}

TEST_F(FragmentRendererTest, RefusedFragmentsCountOnceForTheirBundle) {
    bring_up_small();
    forward({bundle(kPayload).octets(), bundle(kPayload).octets()});
    const std::vector<Sent> sent = drain();
    for (const Sent &each : sent)
        core.handle_refused(kLink, each.token, NextHopRefusal::kNoRoom, now);
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kNotSent));
    EXPECT_EQ(value(EgressCounter::kRefused), 2U);
    EXPECT_EQ(core.links().tallies().of(kLink, {}).value(LinkCounter::kSendRefused), 2U);
}

TEST_F(FragmentRendererTest, AFragmentThatTheNextHopHasIsNotTheWhole) {
    bring_up_small();
    forward({bundle(kPayload).octets()});
    const std::vector<Sent> sent = drain();
    core.handle_refused(kLink, sent[0].token, NextHopRefusal::kHasIt, now);
    EXPECT_TRUE(outcomes().empty());
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
}

TEST_F(FragmentRendererTest, AContactThatEndsInTheMidstReturnsTheWhole) {
    bring_up_small();
    forward({bundle(kPayload).octets(), bundle(20).octets()});
    const std::vector<Sent> sent = transmit(kLink, 4);
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent}) << "the one that had not begun";
    acknowledge(sent.back().token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});

    bring_up(kLink);
    core.handle_connected(kLink, kLimit, now);
    forward({bundle(kPayload).octets()});
    const std::vector<Sent> again = transmit(kLink, 4);
    acknowledge(again.back().token + 1);
    EXPECT_TRUE(outcomes().empty());
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent}) << "nothing of it is on the link";
}

TEST_F(FragmentRendererTest, EachFragmentLeavesWithTheAgeOfItsCall) {
    bring_up_small();
    TestBundle aged = bundle(kPayload);
    aged.age_ms = 5;
    forward({aged.octets()});
    const auto age_of = [](const Sent &sent) {
        const ByteView octets(sent.octets);
        const auto view = bp::parse({&octets, 1});
        return view ? view->age_ms : 0;
    };
    const std::vector<Sent> first = transmit(kLink, 2);
    now += seconds(3);
    const std::vector<Sent> second = drain();
    EXPECT_EQ(age_of(second[0]), age_of(first[0]) + 3000);
    acknowledge(second.back().token + 1);
    outcomes();
}

}  // namespace
}  // namespace farlink::egress::fragment_renderer_test
