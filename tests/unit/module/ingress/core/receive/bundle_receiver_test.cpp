// SPDX-License-Identifier: Apache-2.0
// Checks of single bundles, and drain mode.
#include "module/ingress/core/receive/bundle_receiver.hpp"

#include "common/bp/status_reports.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::bundle_receiver_test {
namespace {

using test::TestBundle;

class BundleReceiverTest : public IngressFixture {};

TEST_F(BundleReceiverTest, WhatIsForNobodyIsDeletedAtOnce) {
    constexpr std::uint64_t kWantsDeletionReport = 0x40000;
    config.status_reports = true;
    config.routing.default_gateway = NodeNumber{2};
    all_up();
    TestBundle none = bundle();
    none.to = {};
    none.flags = kWantsDeletionReport;
    none.report_to = bp::ipn_eid(2, 9);
    TestBundle zero = bundle();
    zero.to = {bp::EidScheme::kIpn, 0, 7, {}};
    receive({zero.octets(), none.octets()});
    EXPECT_EQ(value(IngressCounter::kDeletedReservedEndpoint), 2U);
    EXPECT_TRUE(at_storage.empty());
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_egress[0]->bundles.size(), 1U) << "a report of the one that asks for it";
    EXPECT_EQ(view_of(*at_egress[0]).destination, none.report_to);
}

TEST_F(BundleReceiverTest, AReportToAnyServiceOfNodeZeroAsksForNothing) {
    constexpr std::uint64_t kWantsReceptionReport = 0x4000;
    config.status_reports = true;
    all_up();
    TestBundle silent = bundle();
    silent.flags = kWantsReceptionReport;
    silent.report_to = {bp::EidScheme::kIpn, 0, 7, {}};
    receive({silent.octets()});
    EXPECT_EQ(value(IngressCounter::kOriginated), 0U);
    EXPECT_EQ(value(IngressCounter::kCutThrough) + at_egress.size(), 1U);
}

TEST_F(BundleReceiverTest, TheLocalNodeIsThisOneAndLeavesIt) {
    config.routing.default_gateway = NodeNumber{2};
    all_up();
    const auto local = [](std::uint64_t service) {
        return bp::ipn_eid(bp::kLocalNodeNumber, service);
    };
    TestBundle echo = bundle();
    echo.to = local(config.echo_service);
    echo.from = bp::ipn_eid(2, 5);
    TestBundle nobody = bundle();
    nobody.to = local(77);
    TestBundle leaving = bundle(2);
    leaving.from = local(5);
    receive_from_application({echo.octets(), nobody.octets(), leaving.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedNoService), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedReservedEndpoint), 1U);
    EXPECT_TRUE(at_storage.empty());
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_egress[0]->bundles.size(), 1U) << "the answer alone";
    EXPECT_EQ(view_of(*at_egress[0]).source.node_number(), NodeNumber{10});
}

TEST_F(BundleReceiverTest, TheLocalNodeOfAnotherNodeIsDeletedWithItsReason) {
    constexpr std::uint64_t kWantsDeletionReport = 0x40000;
    config.status_reports = true;
    config.routing.default_gateway = NodeNumber{2};
    all_up();
    TestBundle to_echo = bundle();
    to_echo.to = bp::ipn_eid(bp::kLocalNodeNumber, config.echo_service);
    to_echo.from = bp::ipn_eid(2, 5);
    to_echo.flags = kWantsDeletionReport;
    to_echo.report_to = bp::ipn_eid(2, 9);
    TestBundle from_there = bundle();
    from_there.to = bp::ipn_eid(10, config.echo_service);
    from_there.from = bp::ipn_eid(bp::kLocalNodeNumber, 5);
    receive({to_echo.octets(), from_there.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 0U);
    EXPECT_EQ(value(IngressCounter::kDeletedReservedEndpoint), 2U);
    const auto logged = core().take_notices().rejected;
    ASSERT_TRUE(logged);
    EXPECT_NE(logged->why.find("local node"), std::string_view::npos);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(view_of(*at_egress[0]).destination, to_echo.report_to);
    EXPECT_EQ(reason_of(*at_egress[0]), bp::ReportReason::kDestinationUnavailable);
    from_there.from = bp::ipn_eid(2, 5);
    from_there.sequence = 99;
    receive({from_there.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U) << "by the number of this node";
}

TEST_F(BundleReceiverTest, TheNullEndpointAsDestinationIsLogged) {
    TestBundle nowhere = bundle();
    nowhere.to = {bp::EidScheme::kIpn, 0, 7, {}};
    receive({nowhere.octets()});
    EXPECT_EQ(value(IngressCounter::kDeletedReservedEndpoint), 1U);
    const auto logged = core().take_notices().rejected;
    ASSERT_TRUE(logged);
    EXPECT_NE(logged->why.find("null endpoint"), std::string_view::npos);
}

TEST_F(BundleReceiverTest, CountsWhatIsMalformedByReason) {
    all_up();
    const Bytes good = bundle().octets();
    Bytes broken_crc = good;
    broken_crc[good.size() - 10] ^= 1;
    receive({Bytes(good.begin(), good.end() - 3), broken_crc, Bytes{0x42}, good});
    EXPECT_EQ(malformed(bp::ParseError::kTruncated), 1U);
    EXPECT_EQ(malformed(bp::ParseError::kCrcMismatch), 1U);
    EXPECT_EQ(malformed(bp::ParseError::kUnknownVersion), 1U);
    EXPECT_EQ(value(IngressCounter::kReceived), 4U);
    EXPECT_EQ(at_egress.size(), 1U);
}

TEST_F(BundleReceiverTest, DeletesWhatHasExpiredOrHasNoHopsLeft) {
    all_up();
    TestBundle expired = bundle();
    expired.lifetime_ms = 999;  // it is 1000 ms after kStart
    TestBundle aged = bundle();
    aged.created_ms = 0;
    aged.lifetime_ms = 500;
    aged.age_ms = 501;
    TestBundle tired = bundle();
    tired.hop_limit = 5;
    tired.hops = 5;
    TestBundle last_hop = bundle();
    last_hop.hop_limit = 5;
    last_hop.hops = 4;
    receive({expired.octets(), aged.octets(), tired.octets(), last_hop.octets()});
    EXPECT_EQ(value(IngressCounter::kExpired), 2U);
    EXPECT_EQ(value(IngressCounter::kDeletedHopLimit), 1U);
    const auto for_the_log = core().take_notices().hop_limit_exceeded;
    ASSERT_TRUE(for_the_log);
    EXPECT_EQ(for_the_log->destination, bp::to_string(tired.to));
    EXPECT_EQ(for_the_log->hop_limit, 5U);
    EXPECT_FALSE(core().take_notices().hop_limit_exceeded) << "each once";
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles.size(), 1U);
}

TEST_F(BundleReceiverTest, DoesWhatUnknownBlocksDemand) {
    all_up();
    TestBundle harmless = bundle();
    harmless.unknown_block_bytes = 10;
    TestBundle discarded = harmless;
    discarded.unknown_block_flags = bp::v7::kDiscardBlockIfUnprocessable;
    TestBundle deadly = harmless;
    deadly.unknown_block_flags = bp::v7::kDeleteBundleIfUnprocessable;
    receive({harmless.octets(), discarded.octets(), deadly.octets()});
    EXPECT_EQ(value(IngressCounter::kDeletedUnprocessableBlock), 1U);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles.size(), 2U);
}

TEST_F(BundleReceiverTest, ReportsAnUnknownBlockWhenItWantsThat) {
    config.status_reports = true;
    all_up();
    route(1, kLinkB);
    TestBundle made = bundle();
    made.unknown_block_bytes = 10;
    made.unknown_block_flags = bp::v7::kReportIfUnprocessable;
    receive({made.octets()});
    ASSERT_EQ(at_egress.size(), 2U) << "the bundle and its report";
    const Batch &report = at_egress[0]->link == kLinkB ? *at_egress[0] : *at_egress[1];
    EXPECT_TRUE(view_of(report).is_admin_record);
    EXPECT_EQ(reason_of(report), bp::ReportReason::kBlockUnsupported);
    EXPECT_EQ(value(IngressCounter::kOriginated), 1U);
}

TEST_F(BundleReceiverTest, JoinsAHeadThatCameInPieces) {
    all_up();
    TestBundle made = bundle();
    made.unknown_block_bytes = 3000;
    const Bytes octets = made.octets();
    for (const std::size_t cut : {std::size_t{1}, std::size_t{30}, std::size_t{2000}}) {
        receive_sliced(octets, {cut});
        ASSERT_EQ(at_egress.size(), 1U) << cut;
        EXPECT_EQ(content(*at_egress[0]), std::vector<Bytes>{octets});
        EXPECT_EQ(at_egress[0]->bundles[0].slice_count, 1U);
        EXPECT_EQ(pool.pinned_bytes(), octets.size()) << "the pieces are free already";
        egress_answers(Outcome::kSent);
    }
    receive_sliced(octets, {10, 20, 2900, 3000});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(content(*at_egress[0]), std::vector<Bytes>{octets});
}

TEST_F(BundleReceiverTest, LeavesAPayloadInItsPieces) {
    all_up();
    const Bytes octets = bundle(2, 9000).octets();
    receive_sliced(octets, {3000, 7000});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles[0].slice_count, 3U);
    EXPECT_EQ(at_egress[0]->slabs.size(), 3U);
    EXPECT_EQ(content(*at_egress[0]), std::vector<Bytes>{octets});
}

TEST_F(BundleReceiverTest, AMalformedBundleInPiecesIsCountedOnce) {
    all_up();
    TestBundle made = bundle();
    made.unknown_block_bytes = 3000;
    Bytes octets = made.octets();
    octets[2500] ^= 1;
    receive_sliced(octets, {2000});
    EXPECT_EQ(malformed(bp::ParseError::kCrcMismatch), 1U);
    EXPECT_EQ(malformed(bp::ParseError::kHeadNotContiguous), 0U);
}

// RFC 5050 section 5.6 step 3: a block behind the payload that this node does not know.
TEST_F(BundleReceiverTest, ProcessesBlocksBehindAPayloadOfBpv6) {
    all_up();
    for (const std::uint64_t flags :
         {std::uint64_t{0}, bp::v6::kDiscardBlockIfUnprocessable, bp::v6::kReplicateBlock}) {
        bp::v6::PrimaryFields primary;
        primary.destination = bp::ipn_eid(2, 1);
        primary.source = bp::ipn_eid(1, 1);
        primary.creation_time_s = test::kStart / 1000;
        primary.sequence = flags;
        primary.lifetime_s = 3600;
        bp::v6::Builder builder(primary);
        builder.add_block(bp::v6::kPayloadBlock, 0, test::octets_of(100, 1));
        builder.add_block(200, flags, test::octets_of(30, 2));
        const Bytes octets = std::move(builder).finish();
        receive({octets});
        receive_sliced(octets, {octets.size() - 20});
        ASSERT_EQ(at_egress.size(), 2U) << flags;
        for (const BatchPtr &batch : at_egress) {
            const bp::BundleView view = view_of(*batch);
            EXPECT_EQ(view.payload_length, 100U);
            EXPECT_EQ(view.unknown.present, flags != bp::v6::kDiscardBlockIfUnprocessable);
        }
        egress_answers(Outcome::kSent);
        egress_answers(Outcome::kSent);
    }
}

class IngressDrainTest : public IngressFixture {
protected:
    void drain(bool held) {
        core().handle(bus::DrainMode{held}, now);
        collect();
    }
    std::vector<bus::DispositionRun> edited() {
        std::vector<bus::DispositionRun> all;
        while (const auto run = core().upstreams().poll_disposition()) all.push_back(*run);
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
}  // namespace farlink::ingress::bundle_receiver_test
