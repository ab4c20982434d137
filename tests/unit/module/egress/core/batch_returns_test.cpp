// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/batch_returns.hpp"

#include <algorithm>

#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::batch_returns_test {
namespace {

using test::at_ms;
using test::TestBundle;

TEST_F(EgressCoreTest, ReturnsWhatItWasNotAskedToRenderWhenTheConnectionIsLost) {
    bring_up(kLink);
    forward(bundles(4));
    forward(bundles(2));
    EXPECT_EQ(transmit(kLink, 3).size(), 3U);
    acknowledge(2);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent, Outcome::kNotSent,
                                    Outcome::kNotSent, Outcome::kNotSent, Outcome::kNotSent}));
    EXPECT_EQ(core.links().queued_bytes(kLink), 0U);
}

TEST_F(EgressCoreTest, AtTheEndOfAContactWhatWaitsGoesBackAndWhatIsBegunIsFinished) {
    bring_up(kLink);
    forward(bundles(3));
    forward(bundles(2));
    EXPECT_EQ(transmit(kLink, 2).size(), 2U);
    end(kLink);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kNotSent)) << "all that is not on the link";
    EXPECT_TRUE(transmit().empty()) << "nothing new is begun";

    acknowledge(1);  // the link has finished the bundle that it had begun
    EXPECT_TRUE(outcomes().empty());
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kNotSent}));
}

TEST_F(EgressCoreTest, ReturnsBundlesForALinkThatIsNotUp) {
    forward(bundles(2));
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kNotSent)) << "neither planned nor connected";
    plan(kLink);
    release(bundles(1));
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "not connected";
    core.handle_connected(kLink, ~std::uint64_t{0}, now);
    end(kLink);
    forward(bundles(1));
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "not planned";
    forward(bundles(1), kUnknown);
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent)) << "no such link";
    forward(bundles(1), LinkId{3});
    EXPECT_EQ(outcomes(), Outcomes(1, Outcome::kNotSent));
    EXPECT_TRUE(transmit().empty());
    EXPECT_TRUE(transmit(kUnknown).empty());
}

TEST_F(EgressCoreTest, GivesBackWhatExpiredInTheQueue) {
    bring_up(kLink);
    TestBundle brief = bundle();
    brief.lifetime_ms = 5000;
    const Bytes lasting = bundle().octets();
    forward({brief.octets(), lasting, brief.octets()});
    forward({brief.octets(), brief.octets()});
    forward({lasting});
    now = at_ms(5001);
    const std::vector<Sent> sent = transmit();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(outcomes(), Outcomes(4, Outcome::kExpired)) << "they wait for no acknowledgement";
    acknowledge(sent[0].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    acknowledge(sent[1].token + 1);
    EXPECT_EQ(outcomes(), Outcomes{Outcome::kSent});
    EXPECT_EQ(value(EgressCounter::kExpired), 4U);
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U);
}

TEST_F(EgressCoreTest, GivesBackAtOnceWhatHasAllExpired) {
    bring_up(kLink);
    TestBundle brief = bundle();
    brief.lifetime_ms = 10;
    forward({brief.octets(), brief.octets()});
    EXPECT_TRUE(transmit().empty());
    EXPECT_EQ(outcomes(), Outcomes(2, Outcome::kExpired));
}

TEST_F(EgressCoreTest, AsksForTheReportsOnStoredBundles) {
    bring_up(kLink);
    TestBundle curious = bundle();
    curious.flags = bp::v7::kReportForwardingFlag | bp::v7::kReportDeletionFlag;
    TestBundle brief = curious;
    brief.lifetime_ms = 10;
    release({curious.octets(), brief.octets()});
    release({curious.octets()});
    release(bundles(1));
    forward({curious.octets(), brief.octets()});  // ingress sees to its own
    EXPECT_EQ(transmit().size(), 4U);
    acknowledge(100);
    EXPECT_EQ(outcomes().size(), 6U);
    ASSERT_EQ(reports.size(), 3U);
    EXPECT_EQ(reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(reports[0].reason, static_cast<std::uint8_t>(bp::ReportReason::kLifetimeExpired));
    EXPECT_EQ(reports[0].payload_length, 20U);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(reports[i].event, bus::ReportEvent::kForwarded);
        const Bytes octets = curious.octets();
        EXPECT_TRUE(
            std::ranges::equal(reports[i].head, ByteView(octets).first(reports[i].head.size())));
    }
}

}  // namespace
}  // namespace farlink::egress::batch_returns_test
