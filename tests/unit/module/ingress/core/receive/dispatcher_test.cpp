// SPDX-License-Identifier: Apache-2.0
// Loops by a static route, the default gateway or detours; critical bundles; links that take less
// than a bundle has.
#include "common/bp/fragment.hpp"
#include "common/bp/v7/block.hpp"
#include "common/buffer/hop_limit_request.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::dispatcher_test {
namespace {

class IngressCircle : public IngressFixture {
protected:
    /// Node 2 is the default gateway, by link A.
    void gateway_up() {
        config.routing.default_gateway = NodeNumber{2};
        bus::RouteUpdate update;
        update.neighbours = {{NodeNumber{2}, kLinkA, true}};
        update.routes.push_back({NodeNumber{20}, {{NodeNumber{2}, kLinkA, 0}}});
        core().handle(update, now);
        link_up(kLinkA);
    }
    /// As it comes back from the gateway.
    [[nodiscard]] static Bytes returned(test::TestBundle bundle) {
        bundle.hop_limit = 64;
        bundle.hops = 2;
        return bundle.octets();
    }
    [[nodiscard]] bool rests() const {
        return at_storage.size() == 1 && at_storage.front()->bundles.size() == 1 &&
               (at_storage.front()->bundles.front().requests & kRequestLoopDelay) != 0;
    }
};

/// Link A takes 500 bytes.
class IngressSmallLink : public IngressFixture {
protected:
    void small_link_up(bool fragments = true) {
        bus::LinkUp event;
        event.link = kLinkA;
        event.neighbour = NodeNumber{2};
        event.max_bundle_bytes = 500;
        event.fragments = fragments;
        route(2, kLinkA);
        link_up(kLinkA);
        core().handle(event, now);
        collect();
    }
    void receive_large(std::uint64_t flags) {
        test::TestBundle large = bundle(2);
        large.payload_bytes = 1000;
        large.flags = flags;
        receive({large.octets()});
    }
};

TEST_F(IngressSmallLink, TakesALargerBundleThatMayBeCut) {
    small_link_up();
    receive_large(0);
    EXPECT_EQ(at_egress.size(), 1U);
    receive_large(bp::v7::kMustNotFragment);
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_storage.size(), 1U) << "it waits for another way";
}

TEST_F(IngressSmallLink, TakesNoneWhereTheOutductForbidsToCut) {
    small_link_up();
    receive_large(0);
    EXPECT_EQ(at_egress.size(), 1U);
    small_link_up(false);  // the outduct has been changed
    receive_large(0);
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_storage.size(), 1U);
}

TEST_F(IngressCircle, WhatComesBackByTheGatewayRests) {
    gateway_up();
    const test::TestBundle sent = bundle(99);
    receive({sent.octets()});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(at_storage.empty());
    EXPECT_FALSE(core().take_notices().returned_in_loop);
    core().upstreams().set_neighbour(kUp, NodeNumber{3});
    receive({returned(sent)});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(rests());
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 1U);
    const auto notice = core().take_notices().returned_in_loop;
    ASSERT_TRUE(notice) << "for the log";
    EXPECT_EQ(notice->destination, "ipn:99.1");
    EXPECT_EQ(notice->sender, NodeNumber{3});
    EXPECT_EQ(notice->next_hop, NodeNumber{2});
    EXPECT_FALSE(core().take_notices().returned_in_loop) << "each once";
}

TEST_F(IngressCircle, WhatSeveralNeighboursSendIsNoLoop) {
    gateway_up();
    const test::TestBundle sent = bundle(99);
    receive({returned(sent)});
    core().upstreams().set_neighbour(kUp, NodeNumber{3});
    receive({returned(sent)});
    core().upstreams().set_neighbour(kUp, NodeNumber{4});
    receive({returned(sent)});
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 0U);
    EXPECT_FALSE(core().take_notices().returned_in_loop);
}

TEST_F(IngressCircle, WithoutHopsARepeatRestsAsIfItHadComeBack) {
    config.routing.add_hop_limit = 0;
    gateway_up();
    const Bytes octets = bundle(99).octets();
    receive({octets});
    receive({octets});
    EXPECT_TRUE(rests());
}

// A node on its way has dropped the block that it got here.
TEST_F(IngressCircle, SoItDoesThoughThisNodeAddsHops) {
    gateway_up();
    const Bytes octets = bundle(99).octets();
    receive({octets});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_NE(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
    receive({octets});
    EXPECT_TRUE(rests());
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 1U);
}

TEST_F(IngressCircle, WhatComesBackWithoutItsHopsRests) {
    gateway_up();
    const test::TestBundle sent = bundle(99);
    receive({returned(sent)});
    receive({sent.octets()});
    EXPECT_TRUE(rests());
}

TEST_F(IngressCircle, WhatStorageRefusesIsOfferedAsBefore) {
    gateway_up();
    const test::TestBundle sent = bundle(99);
    receive({sent.octets()});
    receive({returned(sent)});
    storage_answers(Outcome::kNoSpace);
    advance(milliseconds(100));
    EXPECT_TRUE(rests());
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 1U) << "it has returned once";
}

TEST_F(IngressCircle, OtherBundlesDoNot) {
    gateway_up();
    receive(bundles(3, 99));
    EXPECT_TRUE(at_storage.empty());
}

// Some nodes give all their records of one second the same creation timestamp.
TEST_F(IngressCircle, RecordsAreToldApartByTheirPayload) {
    gateway_up();
    test::TestBundle record = bundle(99, 40);
    record.flags = bp::v7::kIsAdminRecord;
    std::vector<Bytes> records;
    for (std::uint64_t number = 0; number < 100; ++number) {
        record.payload_number = number;
        records.push_back(record.octets());
    }
    receive(records);
    EXPECT_TRUE(at_storage.empty());
    record.payload_number = 7;
    const Bytes again = returned(record);
    receive_sliced(again, {again.size() - 30, again.size() - 20});
    EXPECT_TRUE(rests()) << "it has come back";
}

TEST_F(IngressCircle, ByAWayOfThePlanNothingRests) {
    gateway_up();
    const Bytes octets = bundle(20).octets();
    receive({octets});
    receive({octets});
    EXPECT_EQ(at_egress.size(), 2U);
    EXPECT_TRUE(at_storage.empty());
}

// Each node of a circle avoids a link that only it knows to be lost.
TEST_F(IngressCircle, ByADetourOfThePlanItRests) {
    bus::RouteUpdate update;
    update.neighbours = {{NodeNumber{2}, kLinkA, true}};
    update.routes.push_back({NodeNumber{20}, {{NodeNumber{2}, kLinkA, 0}}});
    update.routes.back().detour = true;
    core().handle(update, now);
    link_up(kLinkA);
    const test::TestBundle sent = bundle(20);
    receive({sent.octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_NE(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
    receive({returned(sent)});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(rests());
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 1U);
}

TEST_F(IngressCircle, ByTheGatewayABundleGetsAHopLimit) {
    gateway_up();
    receive({bundle(99).octets(), bundle(20).octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_egress.front()->bundles.size(), 2U);
    EXPECT_NE(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
    EXPECT_EQ(at_egress.front()->bundles[1].requests & kRequestHopLimit, 0) << "by the plan";
}

TEST_F(IngressCircle, UnlessTheOperatorWantsNone) {
    config.routing.add_hop_limit = 0;
    gateway_up();
    receive({bundle(99).octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress.front()->bundles[0].requests & kRequestHopLimit, 0);
}

TEST_F(IngressCircle, BundlesThatAskForCustodyDoAsWell) {
    gateway_up();
    test::CustodyBundle made;
    made.to = bp::ipn_eid(99, 1);
    made.created_s = test::kStart / 1000;
    receive({made.octets()});
    EXPECT_FALSE(rests());
    storage_answers(Outcome::kStored);
    receive({made.octets()});
    EXPECT_TRUE(rests());
}

using test::CustodyBundle;

/// Bundles that are critical: those of BPv6 by themselves, those of BPv7 by a policy.
class IngressCriticalCircle : public IngressCircle {
protected:
    static Bytes bundle_v6(std::uint64_t node) {
        CustodyBundle made;
        made.to = bp::ipn_eid(node, 1);
        made.flags = bp::v6::kSingletonDestination;
        made.created_s = test::kStart / 1000;
        made.critical = true;
        return made.octets();
    }
    void critical_policy(std::vector<config::PolicyPath> paths = {}) {
        config::RoutingPolicy policy;
        policy.critical = true;
        policy.paths = std::move(paths);
        config.routing.policies = {policy};
    }
    /// The only bundle at storage, which has stored it.
    [[nodiscard]] std::uint8_t stored_requests() {
        EXPECT_TRUE(at_egress.empty());
        EXPECT_EQ(at_storage.size(), 1U);
        const std::uint8_t requests =
            at_storage.empty() ? std::uint8_t{0} : at_storage.front()->bundles.front().requests;
        storage_answers(Outcome::kStored);
        return requests;
    }
    void expect_return(const Bytes &first, const Bytes &again, std::uint8_t at_first) {
        receive({first});
        EXPECT_EQ(stored_requests(), kRequestCritical | at_first);
        EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 0U);
        receive({again});
        EXPECT_NE(stored_requests() & kRequestLoopDelay, 0) << "storage lets it rest";
        EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 1U);
        const auto notice = core().take_notices().returned_in_loop;
        ASSERT_TRUE(notice) << "for the log";
        EXPECT_EQ(notice->next_hop, NodeNumber{2});
    }
};

TEST_F(IngressCriticalCircle, ABundleOfBpv6ThatComesBackRests) {
    gateway_up();
    expect_return(bundle_v6(99), bundle_v6(99), 0);
}

TEST_F(IngressCriticalCircle, ABundleOfBpv7GetsAHopLimitAndRestsWhenItComesBack) {
    critical_policy();
    gateway_up();
    const test::TestBundle sent = bundle(99);
    expect_return(sent.octets(), returned(sent), kRequestHopLimit);
}

TEST_F(IngressCriticalCircle, ByAStaticRouteToo) {
    critical_policy();
    config.routing.statics = {{NodeNumber{99}, NodeNumber{2}, {}}};
    gateway_up();
    const test::TestBundle sent = bundle(99);
    expect_return(sent.octets(), returned(sent), kRequestHopLimit);
}

TEST_F(IngressCriticalCircle, ByThePathsOfAPolicyToo) {
    critical_policy({config::PolicyPath{NodeNumber{2}}});
    gateway_up();
    const test::TestBundle sent = bundle(20);  // the plan has a route as well
    expect_return(sent.octets(), returned(sent), kRequestHopLimit);
}

TEST_F(IngressCriticalCircle, AFragmentThatIsNotJoinedRests) {
    critical_policy();
    config.routing.reassemble = {"ipn:99.*"};
    gateway_up();
    const Bytes fragment = bp::fragment(bundle(99, 200).octets(), 100).value().first;
    receive({fragment});
    EXPECT_EQ(stored_requests(), kRequestCritical | kRequestHopLimit);
    receive({fragment});
    EXPECT_NE(stored_requests() & kRequestLoopDelay, 0);
}

// It has not left this node, and is to take all routes.
TEST_F(IngressCriticalCircle, WhatStorageHasRefusedIsNoLoopWhenItsSenderSendsItAgain) {
    gateway_up();
    core().handle_upstream_opened(kUp, true);
    const Bytes octets = bundle_v6(99);
    receive({octets});
    for (int times = 0; times < 2; ++times) {
        ASSERT_EQ(at_storage.size(), 1U);
        storage_answers(Outcome::kNoSpace);
        advance(seconds(1));
    }
    ASSERT_EQ(value(IngressCounter::kDeletedNoResources), 1U) << "refused";
    receive({octets});
    EXPECT_EQ(stored_requests(), kRequestCritical);
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 0U);
    receive({octets});
    EXPECT_NE(stored_requests() & kRequestLoopDelay, 0) << "it was kept before";
}

// In a mesh it comes from several neighbours, by ways of different length.
TEST_F(IngressCriticalCircle, ByAWayOfThePlanNoCopyRests) {
    critical_policy();
    gateway_up();
    const test::TestBundle sent = bundle(20);
    for (const Bytes &octets : {sent.octets(), returned(sent), bundle_v6(20), bundle_v6(20)}) {
        receive({octets});
        EXPECT_EQ(stored_requests(), kRequestCritical);
    }
    EXPECT_EQ(value(IngressCounter::kReturnedInLoop), 0U);
}

class IngressCritical : public IngressFixture {
protected:
    static Bytes critical_bundle(bool critical, std::uint64_t sequence) {
        CustodyBundle made;
        made.to = bp::ipn_eid(20, 1);
        made.flags = bp::v6::kSingletonDestination;
        made.created_s = test::kStart / 1000;
        made.sequence = sequence;
        made.critical = critical;
        return made.octets();
    }
};

TEST_F(IngressCritical, SuchABundleIsNeverCutThrough) {
    all_up();
    receive({critical_bundle(false, 1), critical_bundle(true, 2)});
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_storage.size(), 1U);
    ASSERT_EQ(at_storage.front()->bundles.size(), 1U);
    EXPECT_EQ(at_storage.front()->bundles.front().requests, kRequestCritical);
    EXPECT_EQ(content(*at_storage.front()).front(), critical_bundle(true, 2));
}

TEST_F(IngressCritical, WithoutASourceItGoesOneWay) {
    all_up();
    CustodyBundle anonymous;
    anonymous.from = {};
    anonymous.report_to = {};
    anonymous.to = bp::ipn_eid(20, 1);
    anonymous.flags = bp::v6::kSingletonDestination | bp::v6::kMustNotFragment;
    anonymous.created_s = test::kStart / 1000;
    anonymous.critical = true;
    receive({anonymous.octets()});
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(at_egress.size(), 1U);
}

// Its copies would not be recognised.
TEST_F(IngressCritical, SoDoesARecord) {
    all_up();
    CustodyBundle record;
    record.to = bp::ipn_eid(20, 0);
    record.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord;
    record.created_s = test::kStart / 1000;
    record.critical = true;
    receive({record.octets()});
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(at_egress.size(), 1U);
}

TEST_F(IngressCritical, ItsSenderHearsWhenItIsStored) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive({critical_bundle(true, 1)});
    EXPECT_FALSE(core().upstreams().poll_disposition());
    storage_answers(Outcome::kStored);
    const auto edited = core().upstreams().poll_disposition();
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
}

TEST_F(IngressCritical, OthersOfItsFlowAreCutThroughOnceItIsStored) {
    all_up();
    receive({critical_bundle(true, 1)});
    storage_answers(Outcome::kStored);
    storage_ran_empty(bp::ipn_eid(20, 1));  // it does not hold its flow back
    receive({critical_bundle(false, 2)});
    EXPECT_EQ(at_egress.size(), 1U);
}

TEST_F(IngressCritical, APolicyMarksBundlesOfBpv7) {
    config::RoutingPolicy policy;
    policy.destination = "ipn:20.*";
    policy.critical = true;
    config.routing.policies = {policy};
    all_up();
    receive(bundles(1, 20));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage.front()->bundles.front().requests, kRequestCritical);
    receive(bundles(1, 3));
    EXPECT_EQ(at_egress.size(), 1U);
    receive({critical_bundle(false, 1)});
    storage_answers(Outcome::kStored);
    EXPECT_EQ(at_egress.size() + at_storage.size(), 2U);
    EXPECT_TRUE(at_storage.empty() ||
                (at_storage.front()->bundles.front().requests & kRequestCritical) == 0)
        << "a BPv6 bundle says itself what it is";
}

TEST_F(IngressCritical, OneForThisNodeIsDelivered) {
    all_up();
    CustodyBundle made;
    made.to = bp::ipn_eid(10, 2047);
    made.flags = bp::v6::kSingletonDestination;
    made.created_s = test::kStart / 1000;
    made.critical = true;
    config.echo_service = 2047;
    receive({made.octets(), made.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDuplicatesDelivered), 1U) << "by two ways, delivered once";
}

}  // namespace
}  // namespace farlink::ingress::dispatcher_test
