// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

class IngressDrainTest : public IngressFixture {
protected:
    void drain(bool held) {
        core().handle(bus::DrainMode{held}, now);
        collect();
    }
    std::vector<bus::DispositionRun> edited() {
        std::vector<bus::DispositionRun> all;
        while (const auto run = core().poll_disposition()) all.push_back(*run);
        return all;
    }
};

TEST_F(IngressDrainTest, WhoWaitsForAnAnswerIsRefusedAndKeepsItsBundles) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    drain(true);
    EXPECT_FALSE(paused());
    receive(bundles(3));
    EXPECT_TRUE(at_egress.empty());
    EXPECT_TRUE(at_storage.empty());
    const auto published = edited();
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].count, 3U);
    EXPECT_EQ(published[0].disposition, TransferDisposition::kNoResources);
    EXPECT_EQ(value(IngressCounter::kDeletedDrained), 3U);

    drain(false);
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedDrained), 3U);
}

TEST_F(IngressDrainTest, WhoCannotBeToldIsNotReadAndLosesNothing) {
    all_up();
    core().handle_upstream_opened(kUp, false);
    core().handle_upstream_opened(kUp2, false, false);
    drain(true);
    EXPECT_TRUE(paused());
    EXPECT_FALSE(paused(kUp2)) << "datagrams that nobody reads are lost";
    receive(bundles(2), kUp);  // what had been read already
    receive(bundles(1), kUp2);
    EXPECT_EQ(at_egress.size(), 2U);
    EXPECT_EQ(value(IngressCounter::kDeletedDrained), 0U);
    drain(false);
    EXPECT_FALSE(paused());
}

TEST_F(IngressDrainTest, WhatIngressHasGoesItsWay) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive(bundles(2));
    drain(true);
    egress_answers(Outcome::kNotSent);
    ASSERT_EQ(at_storage.size(), 1U);
    storage_answers(Outcome::kStored);
    const auto published = edited();
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].disposition, TransferDisposition::kSafe);
    drain(false);
}

TEST_F(IngressDrainTest, BundlesForTheNodeItselfAreDelivered) {
    config.echo_service = 2047;
    all_up();
    core().handle_upstream_opened(kUp, true);
    drain(true);
    test::TestBundle request = bundle(10);
    request.to = bp::ipn_eid(10, 2047);
    receive({request.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedDrained), 0U);
    const auto published = edited();
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].disposition, TransferDisposition::kSafe);
    drain(false);
}

}  // namespace
}  // namespace farlink::ingress
