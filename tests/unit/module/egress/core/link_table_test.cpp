// SPDX-License-Identifier: Apache-2.0
// What is counted of each link, and that it fits what is counted of egress as a whole.
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::link_table_test {
namespace {

class EgressTallies : public EgressCoreTest {
protected:
    std::uint64_t of(LinkId link, LinkCounter counter) {
        return telemetry::LinkTallies::counters(core.links().tallies().entry(link)).value(counter);
    }
};

TEST_F(EgressTallies, EachLinkCountsWhatItHasSent) {
    bring_up(kLink);
    bring_up(kOther);
    forward(bundles(3));
    forward(bundles(2), kOther);
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 3U);
    EXPECT_EQ(of(kOther, LinkCounter::kQueued), 2U);
    ASSERT_EQ(transmit().size(), 3U);
    ASSERT_EQ(transmit(kOther).size(), 2U);
    acknowledge(2);
    EXPECT_EQ(of(kLink, LinkCounter::kSent), 2U);
    acknowledge(3);
    core.handle_transmitted(kOther, 2, now);
    EXPECT_EQ(of(kLink, LinkCounter::kSent), 3U);
    EXPECT_EQ(of(kOther, LinkCounter::kSent), 2U);
    EXPECT_EQ(of(kLink, LinkCounter::kSentBytes) + of(kOther, LinkCounter::kSentBytes),
              value(EgressCounter::kForwardedBytes));
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 0U);
    EXPECT_EQ(of(kLink, LinkCounter::kQueuedBytes), 0U);
}

TEST_F(EgressTallies, WhatComesBackIsQueuedNoMore) {
    bring_up(kLink);
    forward(bundles(3));
    release(bundles(2));
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 5U);
    ASSERT_EQ(transmit(kLink, 2).size(), 2U);
    acknowledge(1);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 0U);
    EXPECT_EQ(of(kLink, LinkCounter::kQueuedBytes), 0U);
    EXPECT_EQ(of(kLink, LinkCounter::kSent), 1U);
    EXPECT_EQ(of(kLink, LinkCounter::kSessionsOpen), 0U);
    forward(bundles(1));
    forward(bundles(1), kUnknown);
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 0U) << "it never waited for the link";
    core.handle_connected(kLink, kAnyBytes, now);
    EXPECT_EQ(of(kLink, LinkCounter::kSessionsOpened), 2U);
    EXPECT_EQ(of(kLink, LinkCounter::kSessionsOpen), 1U);
}

TEST_F(EgressTallies, WhatANeighbourRefusesIsNotSent) {
    bring_up(kLink);
    forward(bundles(3));
    ASSERT_EQ(transmit().size(), 3U);
    core.handle_refused(kLink, 0, NextHopRefusal::kAgain, now);
    core.handle_refused(kLink, 1, NextHopRefusal::kHasIt, now);
    acknowledge(3);
    EXPECT_EQ(of(kLink, LinkCounter::kSent), 2U);
    EXPECT_EQ(of(kLink, LinkCounter::kSendRefused), 1U);
    EXPECT_EQ(of(kLink, LinkCounter::kSendUnacknowledged), 0U);
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U);
    EXPECT_EQ(of(kLink, LinkCounter::kQueued), 0U);
}

TEST_F(EgressTallies, WhatIsNotAnsweredOrNotSentIsNotRefused) {
    bring_up(kLink);
    forward(bundles(3));
    ASSERT_EQ(transmit().size(), 3U);
    core.handle_refused(kLink, 0, NextHopRefusal::kUnacknowledged, now);
    core.handle_refused(kLink, 1, NextHopRefusal::kNotSent, now);
    acknowledge(3);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kNotSent, Outcome::kSent}));
    EXPECT_EQ(of(kLink, LinkCounter::kSendUnacknowledged), 1U);
    EXPECT_EQ(of(kLink, LinkCounter::kSendRefused), 0U);
    EXPECT_EQ(value(EgressCounter::kRefused), 0U);
}

TEST_F(EgressTallies, ALinkThatIsGoneIsForgotten) {
    bring_up(kLink);
    core.links().count_received(kLink, 2, 200);
    core.links().count_refused(kLink, 1);
    EXPECT_EQ(of(kLink, LinkCounter::kReceived), 2U);
    EXPECT_EQ(of(kLink, LinkCounter::kReceivedBytes), 200U);
    EXPECT_EQ(of(kLink, LinkCounter::kRefused), 1U);
    core.remove_link(kLink);
    core.handle_disconnected(kLink, now);
    core.links().forget_counts(kLink);
    EXPECT_FALSE(core.links().tallies().poll_changed());
    core.links().count_received(kLink, 2, 200);
    core.links().count_received(kUnknown, 2, 200);
    core.handle_transmitted(kLink, 7, now);
    EXPECT_FALSE(core.links().tallies().poll_changed()) << "its last news come to nothing";
    core.add_link(kLink, NodeNumber{2}, {});
    bring_up(kLink);
    EXPECT_EQ(of(kLink, LinkCounter::kReceived), 0U);
    EXPECT_EQ(of(kLink, LinkCounter::kSessionsOpened), 1U);
}

}  // namespace
}  // namespace farlink::egress::link_table_test
