// SPDX-License-Identifier: Apache-2.0
// What storage releases stays behind what ingress had sent before, whichever comes first.
#include "common/bus/release_gate.hpp"

#include "common/base/endpoint_links.hpp"
#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::release_gate_test {
namespace {

class ReleaseGateTest : public EgressCoreTest {
protected:
    ReleaseGateTest() { bring_up(kLink); }

    void forward_numbered(std::uint64_t number, std::size_t instance = 0) {
        BatchPtr batch = batch_for(BatchOwner::kIngress, kLink, bundles(1));
        batch->number = number;
        batch->instance = static_cast<std::uint8_t>(instance);
        core.handle(bus::ForwardBatch{std::move(batch)}, now);
    }
    void release_behind(const std::array<std::uint64_t, kMostCarriers> &numbers) {
        BatchPtr batch = batch_for(BatchOwner::kStorage, kLink, bundles(1));
        batch->behind = numbers;
        core.handle(bus::ReleaseBatch{std::move(batch)}, now);
    }
    /// How many bundles leave now, which have then been sent.
    std::size_t leave() {
        const std::vector<Sent> sent = transmit();
        if (!sent.empty()) acknowledge(sent.back().token + 1);
        return sent.size();
    }
};

TEST_F(ReleaseGateTest, WhatComesTooSoonWaits) {
    forward_numbered(1000);
    release_behind({1002});
    release_behind({0});
    EXPECT_EQ(leave(), 1U) << "the first of ingress; the second release stays behind the first";
    forward_numbered(1001);
    EXPECT_EQ(leave(), 1U);
    forward_numbered(1002);
    EXPECT_EQ(leave(), 3U);
}

TEST_F(ReleaseGateTest, WhatHasComeIsNotWaitedFor) {
    forward_numbered(1000);
    forward_numbered(1005);
    release_behind({1005});
    release_behind({1000});
    EXPECT_EQ(leave(), 4U);
}

TEST_F(ReleaseGateTest, TheFirstThatIngressSendsIsWaitedForToo) {
    release_behind({1000});
    EXPECT_EQ(leave(), 0U);
    forward_numbered(1000);
    EXPECT_EQ(leave(), 2U);
}

TEST_F(ReleaseGateTest, NothingWaitsForAnIngressThatIsLost) {
    forward_numbered(1000);
    release_behind({1001});
    EXPECT_EQ(leave(), 1U);
    core.handle(bus::ModuleLost{bus::AgentId::kStorage}, now);
    core.handle(bus::ModuleLost{bus::AgentId::kIngress2}, now);
    EXPECT_EQ(leave(), 0U);
    core.handle(bus::ModuleLost{bus::AgentId::kIngress}, now);
    EXPECT_EQ(leave(), 1U);
    release_behind({1001});
    EXPECT_EQ(leave(), 1U);
    core.handle(bus::ModuleBack{bus::AgentId::kIngress}, now);
    release_behind({2000});
    EXPECT_EQ(leave(), 0U) << "it sends again";
    forward_numbered(2000);
    EXPECT_EQ(leave(), 2U);
}

TEST_F(ReleaseGateTest, EachIngressCountsByItself) {
    forward_numbered(1000, 0);
    forward_numbered(2000, 3);
    release_behind({1000, 0, 0, 2001});
    EXPECT_EQ(leave(), 2U);
    forward_numbered(5000, 0);
    EXPECT_EQ(leave(), 1U);
    forward_numbered(2001, 3);
    EXPECT_EQ(leave(), 2U);
}

// What storage speaks of was for a process that has died.
TEST_F(ReleaseGateTest, ItWaitsForASecondAtMostAndOnce) {
    forward_numbered(1000);
    EXPECT_EQ(leave(), 1U);
    release_behind({1001});
    for (int step = 1; step < 10; ++step) {
        EXPECT_EQ(core.next_timeout(), now + milliseconds(100));
        now += milliseconds(100);
        core.handle_timeout(now);
    }
    EXPECT_EQ(leave(), 0U);
    now += milliseconds(100);
    core.handle_timeout(now);
    EXPECT_EQ(leave(), 1U);
    release_behind({1001});
    EXPECT_EQ(leave(), 1U);
    release_behind({1002});
    EXPECT_EQ(leave(), 0U);
    forward_numbered(1002);
    EXPECT_EQ(leave(), 2U);
}

// It takes long to come, or egress has hung again.
TEST_F(ReleaseGateTest, ItWaitsAsLongAsIngressIsHeardAndEgressItselfHangs) {
    forward_numbered(1000);
    release_behind({1099});
    for (std::uint64_t number = 1001; number < 1099; ++number) {
        now += milliseconds(99);
        core.handle_timeout(now);
        forward_numbered(number);
    }
    now += seconds(60);
    core.handle_timeout(now);
    release_behind({1099});
    EXPECT_EQ(leave(), 64U) << "of ingress";
    EXPECT_EQ(leave(), 35U);
    EXPECT_EQ(leave(), 0U);
    forward_numbered(1099);
    EXPECT_EQ(leave(), 3U);
}

TEST_F(ReleaseGateTest, WhatWaitsGoesBackWhenTheNodeStops) {
    forward_numbered(1000);
    EXPECT_EQ(leave(), 1U);
    (void)outcomes();
    release_behind({1001});
    core.drain();
    release_behind({1001});
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kNotSent}));
}

}  // namespace
}  // namespace farlink::egress::release_gate_test
