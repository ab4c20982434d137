// SPDX-License-Identifier: Apache-2.0
// What a contact means for egress: its end, its rate, and the queue that grows behind it.
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::link_contacts_test {
namespace {

// A second is left, of which a bundle of 3000 octets takes 0.3.
TEST_F(EgressCoreTest, TheAnswerAndTheLinksOwnLimitCountTowardsTheEnd) {
    const auto begun = [&](const OutductTraits &terms, Duration owlt) {
        restart({});
        core.add_link(kLink, NodeNumber{2}, terms);
        bus::ContactStart start;
        start.link = kLink;
        start.rate = BitRate{80'000};
        start.ends = test::kStart + 2000;
        core.handle(start, now);
        core.handle_connected(kLink, ~std::uint64_t{0}, now);
        bus::LinkUp up;
        up.link = kLink;
        up.rate = start.rate;
        up.owlt = owlt;
        core.handle(up, now);
        forward(bundles(4, 3000));
        const std::size_t count = transmit().size();
        acknowledge(100);
        outcomes();
        return count;
    };
    EXPECT_EQ(begun({}, milliseconds(200)), 3U);
    EXPECT_EQ(begun({.needs_answers = true}, {}), 3U);
    EXPECT_EQ(begun({.needs_answers = true}, milliseconds(200)), 1U);
    EXPECT_EQ(begun({.rate_limit = BitRate{40'000}}, {}), 1U);
    EXPECT_EQ(begun({.rate_limit = BitRate{160'000}}, {}), 3U);
}

TEST_F(EgressCoreTest, TellsTheRouterWhatWaitsForAPacedLink) {
    bus::ContactStart start;
    start.link = kLink;
    start.rate = BitRate{80'000};  // 10,000 octets a second
    core.handle(start, now);
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    const auto report = [&](Duration later) {
        now += later;
        core.handle_timeout(now);
        std::optional<bus::BacklogReport> last;
        while (auto message = core.poll_message())
            if (const auto *found = std::get_if<bus::BacklogReport>(&message->message))
                last = *found;
        return last;
    };
    forward(bundles(4, 3000));
    EXPECT_LE(core.next_timeout(), now + milliseconds(100));
    const auto first = report(milliseconds(100));
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->module, bus::AgentId::kEgress);
    ASSERT_EQ(first->waiting.size(), 1U);
    EXPECT_EQ(first->waiting[0].bytes, core.links().queued_bytes(kLink));
    EXPECT_FALSE(report(milliseconds(100)).has_value()) << "it knows that";
    EXPECT_EQ(transmit().size(), 4U);
    const auto last = report(milliseconds(100));
    ASSERT_TRUE(last.has_value());
    EXPECT_TRUE(last->waiting.empty());
    EXPECT_EQ(core.next_timeout(), kNever);
    acknowledge(4);
    outcomes();
}

TEST_F(EgressCoreTest, ABundleThatCannotFinishBeforeTheContactEndsIsNotBegun) {
    bus::ContactStart start;
    start.link = kLink;
    start.rate = BitRate{80'000};  // 10,000 octets a second
    start.ends = test::kStart + 2000;
    core.handle(start, now);  // there is a second left
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    forward(bundles(4, 3000));
    EXPECT_EQ(transmit().size(), 3U);
    acknowledge(3);
    EXPECT_EQ(outcomes(),
              (Outcomes{Outcome::kTooLate, Outcome::kSent, Outcome::kSent, Outcome::kSent}));
    EXPECT_EQ(value(EgressCounter::kTooLateReturns), 1U);
    forward(bundles(1, 100));
    EXPECT_TRUE(transmit().empty()) << "it does not overtake the one before";
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kTooLate});

    start.ends = test::kStart + 9000;
    core.handle(start, now);
    forward(bundles(1, 3000));
    EXPECT_EQ(transmit().size(), 1U) << "the contact is longer now";
    acknowledge(100);
    outcomes();
}

// Acknowledgements may take longer than the pause until the next contact.
TEST_F(EgressCoreTest, WhatDoesNotLeaveGoesBackBeforeTheRestOfItsBatchIsAcknowledged) {
    bus::ContactStart start;
    start.link = kLink;
    start.rate = BitRate{80'000};  // 10,000 octets a second
    start.ends = test::kStart + 2000;
    core.handle(start, now);
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    forward(bundles(5, 3000));
    release(bundles(2, 3000));
    EXPECT_EQ(transmit().size(), 3U);
    ASSERT_EQ(batches_back().size(), 2U);
    EXPECT_EQ(back[0]->owner, BatchOwner::kIngress);
    EXPECT_EQ(back[0]->sequence, 1U);
    EXPECT_EQ(back[0]->done, 2U);
    ASSERT_NE(back[0]->whole, nullptr);
    EXPECT_EQ(back[0]->whole->bundles.size(), 5U);
    EXPECT_EQ(back[1]->whole, nullptr) << "nothing of it is on its way";
    EXPECT_EQ(outcomes(), Outcomes(4, Outcome::kTooLate));
    EXPECT_EQ(value(EgressCounter::kQueued), 3U);

    transmit();
    EXPECT_TRUE(outcomes().empty()) << "once each";
    acknowledge(3);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kSent));
    EXPECT_EQ(value(EgressCounter::kQueued), 0U);
}

TEST_F(EgressCoreTest, WhatIsRefusedGoesBackBeforeTheRestOfTheYoungestBatchIsAcknowledged) {
    bring_up(kLink);
    forward(bundles(4));
    EXPECT_EQ(transmit().size(), 4U);
    for (const std::uint64_t token : {2, 0}) {
        core.handle_refused(kLink, token, NextHopRefusal::kAgain, now);
        transmit();
        ASSERT_EQ(batches_back().size(), 1U);
        EXPECT_EQ(back[0]->bundles[token].outcome, Outcome::kNotSent);
        EXPECT_EQ(outcomes(), Outcomes{Outcome::kNotSent});
        transmit();
        EXPECT_TRUE(outcomes().empty()) << "once each";
    }
    acknowledge(4);
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kSent));
}

TEST_F(EgressCoreTest, WhatTheLinkHasNotBegunGoesBackAtTheEndOfTheContact) {
    bring_up(kLink);
    forward(bundles(4));
    EXPECT_EQ(transmit(kLink, 1).size(), 1U);
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kNotSent));
    bring_up(kLink);
    forward(bundles(1));
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].token, 4U);
    acknowledge(5);
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kSent));
}

}  // namespace
}  // namespace farlink::egress::link_contacts_test
