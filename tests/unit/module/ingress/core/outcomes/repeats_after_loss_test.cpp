// SPDX-License-Identifier: Apache-2.0
// What is a duplicate here and what is not, and when its sender hears of it.
#include <gtest/gtest.h>

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::repeats_after_loss_test {
namespace {

class IngressRepeats : public IngressFixture {
protected:
    IngressRepeats() { config.acknowledge_within = seconds(1000); }

    void open(UpstreamId session) { core().handle_upstream_opened(session, true); }
    /// What the session has been told, a letter a transfer: s safe, r no room, n not acceptable.
    std::string published(UpstreamId session) {
        std::string text;
        while (const auto run = core().upstreams().poll_disposition())
            if (run->upstream == session)
                text.append(run->count, run->disposition == TransferDisposition::kSafe ? 's'
                                        : run->disposition == TransferDisposition::kNoResources
                                            ? 'r'
                                            : 'n');
        return text;
    }
    /// A session brings a bundle and ends before it is acknowledged.
    Bytes lose_a_session() {
        all_up();
        open(kUp);
        Bytes octets = bundle().octets();
        receive({octets}, kUp);
        close(kUp);
        open(kUp2);
        return octets;
    }
};

TEST_F(IngressRepeats, OfABundleOnItsWayWaitForTheFirstCopy) {
    const Bytes octets = lose_a_session();
    receive({octets, octets}, kUp2);
    EXPECT_EQ(at_egress.size(), 1U) << "the first copy only";
    EXPECT_EQ(value(IngressCounter::kDuplicatesInFlight), 2U);
    EXPECT_EQ(published(kUp2), "");
    egress_answers(Outcome::kSent);
    EXPECT_EQ(published(kUp2), "ss");
}

TEST_F(IngressRepeats, OfABundleThatWasNotSentWaitUntilItIsStored) {
    const Bytes octets = lose_a_session();
    receive({octets}, kUp2);
    egress_answers(Outcome::kNotSent);
    EXPECT_EQ(published(kUp2), "");
    storage_answers(Outcome::kStored);
    EXPECT_EQ(published(kUp2), "s");
}

TEST_F(IngressRepeats, OfABundleThatWaitsForRoomOnALinkAreKnown) {
    config.outducts[0].max_in_flight_bundles = 1;
    all_up();
    open(kUp);
    const std::vector<Bytes> three{bundle(2, 60'000).octets(), bundle(2, 60'000).octets(),
                                   bundle(2, 60'000).octets()};
    core().handle_upstream_opened(UpstreamId{20}, true);
    receive({three[0]}, UpstreamId{20});
    receive({three[1]}, kUp);
    ASSERT_EQ(at_egress.size(), 1U);
    close(kUp);
    open(kUp2);
    receive({three[1], three[2]}, kUp2);
    EXPECT_EQ(value(IngressCounter::kDuplicatesInFlight), 1U);
    while (!at_egress.empty()) egress_answers(Outcome::kSent);
    EXPECT_EQ(published(kUp2), "ss");
}

TEST_F(IngressRepeats, OfABundleThatWasPassedOnAreForwardedAgain) {
    const Bytes octets = lose_a_session();
    egress_answers(Outcome::kSent);
    receive({octets}, kUp2);
    EXPECT_EQ(value(IngressCounter::kDuplicatesInFlight), 0U);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(content(*at_egress.front()), std::vector<Bytes>{octets});
}

TEST_F(IngressRepeats, OfAnExpiredBundleAreLetGoWithIt) {
    const Bytes octets = lose_a_session();
    receive({octets}, kUp2);
    egress_answers(Outcome::kExpired);
    EXPECT_EQ(published(kUp2), "s");
}

// One that waits is told when its own session ends, too: nothing.
TEST_F(IngressRepeats, OfASessionThatEndsAsWellAreForgotten) {
    const Bytes octets = lose_a_session();
    receive({octets}, kUp2);
    close(kUp2);
    constexpr UpstreamId kThird{30};
    open(kThird);
    receive({octets}, kThird);
    EXPECT_EQ(value(IngressCounter::kDuplicatesInFlight), 2U);
    egress_answers(Outcome::kSent);
    EXPECT_EQ(published(kThird), "s");
}

TEST_F(IngressRepeats, OfWhatWasDeliveredHereAreAcknowledgedAtOnce) {
    all_up();
    open(kUp);
    test::TestBundle ping = bundle(10);
    ping.to = bp::ipn_eid(10, config.echo_service);
    const Bytes octets = ping.octets();
    receive({octets}, kUp);
    EXPECT_EQ(published(kUp), "s");
    close(kUp);
    open(kUp2);
    receive({octets}, kUp2);
    EXPECT_EQ(published(kUp2), "s");
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDuplicatesDelivered), 1U);
}

// Other rules of one bundle's admission that come with a plan and with priorities.

TEST_F(IngressRepeats, ABundleThatFitsNoContactIsCountedAndKept) {
    all_up();
    bus::RouteUpdate update;
    update.routes.push_back({NodeNumber{2}, {{NodeNumber{2}, kLinkA, 0}}, 1000});
    core().handle(update, now);
    receive({bundle(2, 100).octets(), bundle(2, 2000).octets()});
    EXPECT_EQ(value(IngressCounter::kFitsNoContact), 1U);
    const auto misfit = core().take_notices().exceeds_contacts;
    ASSERT_TRUE(misfit);
    EXPECT_EQ(misfit->destination, NodeNumber{2});
    EXPECT_EQ(misfit->max_bundle_bytes, 1000U);
    EXPECT_GT(misfit->size_bytes, 2000U);
    EXPECT_FALSE(core().take_notices().exceeds_contacts) << "each once";
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress.front()->bundles.size(), 2U);
}

}  // namespace
}  // namespace farlink::ingress::repeats_after_loss_test
