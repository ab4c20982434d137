// SPDX-License-Identifier: Apache-2.0
// The way of one bundle; batches, windows and outcomes are in ingress_batches_test.cpp.
#include "module/ingress/core/ingress_core.hpp"

#include "common/bp/admin.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/status_report.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

using test::TestBundle;

class IngressCoreTest : public IngressFixture {
protected:
    /// Of the status report that is the first bundle of a batch.
    [[nodiscard]] bp::ReportReason reason_of(const Batch &batch) {
        const Bytes octets = content(batch).front();
        const bp::BundleView view = view_of(batch);
        const auto report = bp::v7::decode_status_report(
            ByteView(octets).subspan(view.payload_offset, view.payload_length));
        EXPECT_TRUE(report);
        return report ? static_cast<bp::ReportReason>(report->reason) : bp::ReportReason::kNone;
    }
    [[nodiscard]] std::uint64_t malformed(bp::ParseError reason) {
        return core().counters().value(IngressCounter::kMalformed,
                                       static_cast<std::size_t>(reason));
    }
    [[nodiscard]] bp::BundleView view_of(const Batch &batch, std::size_t index = 0) {
        const auto view = bp::parse(batch.slices_of(batch.bundles[index]));
        EXPECT_TRUE(view.has_value());
        return view.value_or(bp::BundleView{});
    }
};

TEST_F(IngressCoreTest, CutsThroughByNextHopInOneBatchEach) {
    all_up();
    const std::vector<Bytes> sent{bundle(2).octets(), bundle(3).octets(), bundle(20).octets(),
                                  bundle(2).octets()};
    receive(sent);
    ASSERT_EQ(at_egress.size(), 2U);
    EXPECT_TRUE(at_storage.empty());
    const Batch &a = *at_egress[0];
    EXPECT_EQ(a.link, kLinkA);
    EXPECT_EQ(a.next_hop, NodeNumber{2});
    EXPECT_EQ(a.owner, BatchOwner::kIngress);
    EXPECT_EQ(content(a), (std::vector<Bytes>{sent[0], sent[2], sent[3]}));
    EXPECT_EQ(arrivals(a), (std::vector<std::uint64_t>{1000, 1002, 1003}));
    EXPECT_EQ(a.bytes, sent[0].size() + sent[2].size() + sent[3].size());
    EXPECT_EQ(a.slabs.size(), 1U);
    EXPECT_EQ(a.bundles[0].received, now);
    EXPECT_EQ(a.bundles[0].expiry, test::kStart + 3'600'001);
    EXPECT_EQ(content(*at_egress[1]), std::vector<Bytes>{sent[1]});
    EXPECT_EQ(value(IngressCounter::kReceived), 4U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 4U);
    EXPECT_EQ(value(IngressCounter::kInFlightBytes), a.bytes + at_egress[1]->bytes);
    EXPECT_EQ(pool.pinned_bytes(), kSlab) << "the batches hold the slab";
}

TEST_F(IngressCoreTest, ADtnNameTakesStaticRouteOrGateway) {
    config.routing.default_gateway = NodeNumber{2};
    config.routing.statics = {{{}, NodeNumber{3}, "dtn://mars/**"}};
    bus::RouteUpdate update;
    update.neighbours = {{NodeNumber{2}, kLinkA, true}, {NodeNumber{3}, kLinkB, true}};
    core().handle(update, now);
    link_up(kLinkA);
    link_up(kLinkB);
    TestBundle mars = bundle();
    mars.to = {bp::EidScheme::kDtn, 0, 0, "//mars/inbox"};
    TestBundle venus = bundle();
    venus.to = {bp::EidScheme::kDtn, 0, 0, "//venus/inbox"};
    receive({mars.octets(), venus.octets()});
    EXPECT_TRUE(at_storage.empty());
    ASSERT_EQ(at_egress.size(), 2U);
    EXPECT_EQ(at_egress[0]->link, kLinkB);
    EXPECT_EQ(content(*at_egress[0]), std::vector<Bytes>{mars.octets()});
    EXPECT_EQ(at_egress[1]->link, kLinkA);
    link_down(kLinkB);
    receive({mars.octets()});
    EXPECT_EQ(at_storage.size(), 1U) << "it waits for its route";
}

TEST_F(IngressCoreTest, WhatIsForNobodyIsDeletedAtOnce) {
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

TEST_F(IngressCoreTest, AReportToAnyServiceOfNodeZeroAsksForNothing) {
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

TEST_F(IngressCoreTest, TheLocalNodeIsThisOneAndLeavesIt) {
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
    receive({echo.octets(), nobody.octets(), leaving.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedNoService), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedReservedEndpoint), 1U);
    EXPECT_TRUE(at_storage.empty());
    ASSERT_EQ(at_egress.size(), 1U);
    ASSERT_EQ(at_egress[0]->bundles.size(), 1U) << "the answer alone";
    EXPECT_EQ(view_of(*at_egress[0]).source.node_number(), NodeNumber{10});
}

TEST_F(IngressCoreTest, StoresWhatHasNoRoute) {
    all_up();
    TestBundle named = bundle();
    named.to = {bp::EidScheme::kDtn, 0, 0, "//node/inbox"};
    receive({bundle(77).octets(), named.octets()});
    EXPECT_TRUE(at_egress.empty());
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->bundles.size(), 2U);
    EXPECT_EQ(at_storage[0]->link, kNoLink);
    EXPECT_EQ(value(IngressCounter::kSentToStorage), 2U);
    EXPECT_EQ(value(IngressCounter::kSpilled), 0U);
}

TEST_F(IngressCoreTest, StoresWhatHasALinkThatIsDown) {
    route(2, kLinkA);
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 1U) << "never up";
    link_up(kLinkA);
    receive(bundles(1, 20));
    EXPECT_EQ(at_storage.size(), 2U) << "no route";
    route(3, kLinkB);
    link_up(kLinkB);
    receive(bundles(1, 3));
    EXPECT_EQ(at_egress.size(), 1U);
    link_down(kLinkB);
    receive(bundles(1, 3));
    EXPECT_EQ(at_storage.size(), 3U);
}

// The link has got another neighbour, and the router does not know it yet.
TEST_F(IngressCoreTest, ALinkThatLeadsElsewhereIsNotUsed) {
    route(2, kLinkA);
    bus::LinkUp event;
    event.link = kLinkA;
    event.neighbour = NodeNumber{3};
    core().handle(event, now);
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 1U);
    EXPECT_TRUE(at_egress.empty());
}

TEST_F(IngressCoreTest, FollowsASnapshotOfTheLinks) {
    route(2, kLinkA);
    bus::LinkSnapshot snapshot;
    snapshot.links.resize(1);
    snapshot.links[0].link = kLinkA;
    snapshot.links[0].neighbour = NodeNumber{2};
    snapshot.links[0].planned = true;
    core().handle(snapshot, now);
    receive(bundles(1));
    EXPECT_EQ(at_storage.size(), 1U) << "planned, but not connected";
    finish();
    storage_ran_empty(bp::ipn_eid(2, 1));
    snapshot.links[0].connected = true;
    core().handle(snapshot, now);
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U);
}

TEST_F(IngressCoreTest, ALinkThatASnapshotDoesNotNameIsNoWay) {
    all_up();
    receive(bundles(1));
    ASSERT_EQ(at_egress.size(), 1U);
    core().handle(bus::LinkSnapshot{}, now);
    receive(bundles(1));
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_storage.size(), 1U);
}

TEST_F(IngressCoreTest, CountsWhatIsMalformedByReason) {
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

TEST_F(IngressCoreTest, DeletesWhatHasExpiredOrHasNoHopsLeft) {
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
    const auto for_the_log = core().poll_hop_limit_exceeded();
    ASSERT_TRUE(for_the_log);
    EXPECT_EQ(for_the_log->destination.value(), tired.to.node_number().value());
    EXPECT_EQ(for_the_log->hop_limit, 5U);
    EXPECT_FALSE(core().poll_hop_limit_exceeded()) << "each once";
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles.size(), 1U);
}

TEST_F(IngressCoreTest, DoesWhatUnknownBlocksDemand) {
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

TEST_F(IngressCoreTest, ReportsAnUnknownBlockWhenItWantsThat) {
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

TEST_F(IngressCoreTest, JoinsAHeadThatCameInPieces) {
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

TEST_F(IngressCoreTest, LeavesAPayloadInItsPieces) {
    all_up();
    const Bytes octets = bundle(2, 9000).octets();
    receive_sliced(octets, {3000, 7000});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles[0].slice_count, 3U);
    EXPECT_EQ(at_egress[0]->slabs.size(), 3U);
    EXPECT_EQ(content(*at_egress[0]), std::vector<Bytes>{octets});
}

TEST_F(IngressCoreTest, AMalformedBundleInPiecesIsCountedOnce) {
    all_up();
    TestBundle made = bundle();
    made.unknown_block_bytes = 3000;
    Bytes octets = made.octets();
    octets[2500] ^= 1;
    receive_sliced(octets, {2000});
    EXPECT_EQ(malformed(bp::ParseError::kCrcMismatch), 1U);
    EXPECT_EQ(malformed(bp::ParseError::kHeadNotContiguous), 0U);
}

TEST_F(IngressCoreTest, AnswersToItsEchoService) {
    all_up();
    TestBundle ping = bundle();
    ping.to = bp::ipn_eid(10, 2047);
    ping.from = bp::ipn_eid(2, 5);
    receive({ping.octets(), ping.octets()});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDuplicatesDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kOriginated), 1U);
    ASSERT_EQ(at_egress.size(), 1U);
    const bp::BundleView reply = view_of(*at_egress[0]);
    EXPECT_EQ(reply.destination, ping.from);
    EXPECT_EQ(reply.source, bp::ipn_eid(10, 2046)) << "a service that answers nothing";
    const Bytes octets = content(*at_egress[0])[0];
    EXPECT_TRUE(std::ranges::equal(
        ByteView(octets).subspan(reply.payload_offset, reply.payload_length), ping.payload()));
}

TEST_F(IngressCoreTest, DeliversABundleInPieces) {
    all_up();
    TestBundle ping = bundle(2, 9000);
    ping.to = bp::ipn_eid(10, 2047);
    ping.from = bp::ipn_eid(2, 5);
    receive_sliced(ping.octets(), {20, 5000});
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    ASSERT_EQ(at_egress.size(), 1U);
}

TEST_F(IngressCoreTest, CountsWhatIsForNobodyHere) {
    TestBundle no_service = bundle(10);
    TestBundle no_record = bundle(10);
    no_record.to = bp::ipn_eid(10, 0);
    TestBundle bad_record = no_record;
    bad_record.flags = bp::v7::kIsAdminRecord;
    receive({no_service.octets(), no_record.octets(), bad_record.octets()});
    EXPECT_EQ(value(IngressCounter::kDeletedNoService), 1U);
    EXPECT_EQ(value(IngressCounter::kDeletedAdminUnknown), 2U);
}

/// The number of status reports that a bundle with these flags leads to.
class IngressReports : public IngressCoreTest {
protected:
    void SetUp() override {
        config.status_reports = true;
        all_up();
        route(1, kLinkB);
        made = bundle();
        made.flags = bp::v7::kReportReceptionFlag | bp::v7::kReportForwardingFlag |
                     bp::v7::kReportDeletionFlag | bp::v7::kReportDeliveryFlag;
    }
    /// Reports that wait at egress, in the order of their making.
    std::size_t reports_by_b() {
        std::size_t count = 0;
        for (const BatchPtr &batch : at_egress)
            if (batch->link == kLinkB) count += batch->bundles.size();
        return count;
    }
    TestBundle made;
};

TEST_F(IngressReports, OfReceptionAndForwarding) {
    receive({made.octets()});
    EXPECT_EQ(reports_by_b(), 1U);
    for (std::size_t left = at_egress.size(); left > 0; --left) egress_answers(Outcome::kSent);
    EXPECT_EQ(reports_by_b(), 1U) << "reports themselves ask for none";
}

TEST_F(IngressReports, OfDeletion) {
    made.lifetime_ms = 10;
    receive({made.octets()});
    EXPECT_EQ(reports_by_b(), 2U) << "received and deleted";
}

// RFC 9171 section 5.6: what is deleted on arrival is reported, too, where the primary block can be
// trusted about whom to tell.
TEST_F(IngressReports, OfWhatIsMalformed) {
    const auto reasons = [&](const Bytes &octets) {
        receive({octets});
        std::vector<bp::ReportReason> published;
        for (const BatchPtr &batch : at_egress) published.push_back(reason_of(*batch));
        while (!at_egress.empty()) egress_answers(Outcome::kSent);
        return published;
    };
    using Reasons = std::vector<bp::ReportReason>;
    made.flags = bp::v7::kReportDeletionFlag;
    Bytes broken = made.octets();
    broken[broken.size() - 10] ^= 1;  // the payload's
    EXPECT_EQ(reasons(broken), Reasons{bp::ReportReason::kBlockUnintelligible});
    Bytes forged = made.octets();
    forged[5] ^= 1;  // a primary block whose CRC does not fit
    EXPECT_EQ(reasons(forged), Reasons{});
    made.hop_limit = 3;
    made.hops = 4;
    EXPECT_EQ(reasons(made.octets()), Reasons{bp::ReportReason::kHopLimitExceeded});
    made.flags = 0;
    EXPECT_EQ(reasons(made.octets()), Reasons{}) << "nobody asks";
}

// It was deleted, and not forwarded.
TEST_F(IngressReports, OfWhatEgressDeletes) {
    made.flags = bp::v7::kReportForwardingFlag | bp::v7::kReportDeletionFlag;
    receive({made.octets()});
    ASSERT_EQ(at_egress.size(), 1U);
    egress_answers(Outcome::kDeletedHopLimit);
    ASSERT_EQ(reports_by_b(), 1U);
    const std::vector<Bytes> reports = content(*at_egress.front());
    const ByteView octets(reports.front());
    const auto view = bp::parse({&octets, 1});
    ASSERT_TRUE(view.has_value());
    const auto report =
        bp::v7::decode_status_report(octets.subspan(view->payload_offset, view->payload_length));
    ASSERT_TRUE(report.has_value());
    EXPECT_TRUE(report->items[3].asserted);
    EXPECT_FALSE(report->items[1].asserted);
    EXPECT_EQ(report->reason, static_cast<std::uint64_t>(bp::ReportReason::kHopLimitExceeded));
}

TEST_F(IngressReports, AreMadeForOtherModules) {
    const Bytes octets = made.octets();
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    ASSERT_TRUE(view.has_value());
    const Bytes head(octets.begin(), octets.begin() + view->head_end);
    core().handle(bus::ReportRequest{bus::ReportEvent::kDeleted, 1, head, 20}, now);
    collect();
    EXPECT_EQ(reports_by_b(), 1U);
    core().handle(bus::ReportRequest{bus::ReportEvent::kDeleted, 1, {}, 20}, now);
    core().handle(bus::ReportRequest{bus::ReportEvent::kDeleted, 1, Bytes(7, 0xff), 20}, now);
    collect();
    EXPECT_EQ(reports_by_b(), 1U) << "nonsense makes none";
}

TEST_F(IngressReports, AreTenASecondForEachWhoGetsThem) {
    made.flags = bp::v7::kReportReceptionFlag;
    std::vector<Bytes> many;
    for (made.sequence = 1; made.sequence <= 50; ++made.sequence) many.push_back(made.octets());
    receive(many);
    EXPECT_EQ(reports_by_b(), 10U);
    EXPECT_EQ(value(IngressCounter::kReportsWithheld), 40U);
    now += seconds(1);
    receive({made.octets()});
    EXPECT_EQ(reports_by_b(), 11U);
}

TEST_F(IngressReports, AreNotMadeUnlessConfigured) {
    config.status_reports = false;
    receive({made.octets()});
    egress_answers(Outcome::kSent);
    EXPECT_EQ(reports_by_b(), 0U);
}

// RFC 5050 section 5.6 step 3: a block behind the payload that this node does not know.
TEST_F(IngressCoreTest, SettlesBlocksBehindAPayloadOfBpv6) {
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

// RFC 9171 section 4.4.1: a session that does not say whose it is.
TEST_F(IngressCoreTest, ABundleThatNamesTheNodeBeforeDoesNotGoBackThere) {
    bus::RouteUpdate update;
    update.routes = {{NodeNumber{20}, {{NodeNumber{2}, kLinkA, 0}}}};
    update.neighbours = {{NodeNumber{2}, kLinkA, true}, {NodeNumber{3}, kLinkB, true}};
    core().handle(update, now);
    link_up(kLinkA);
    link_up(kLinkB);
    TestBundle claims = bundle(20);
    claims.previous_node = 2;
    receive({claims.octets()});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage[0]->next_hop, NodeNumber{2}) << "storage knows it, too";
    claims.sequence = 100;
    claims.previous_node = 17;
    receive({claims.octets()});
    EXPECT_EQ(at_storage.size(), 2U) << "what waits goes first";
    EXPECT_EQ(at_storage[1]->next_hop, NodeNumber{}) << "no neighbour, so it makes no difference";
    storage_answers(Outcome::kStored);
    storage_answers(Outcome::kStored);
    storage_ran_empty(claims.to);
    core().handle_sender(kUp2, NodeNumber{3});
    claims.sequence = 101;
    claims.previous_node = 2;
    receive({claims.octets()}, kUp2);
    EXPECT_EQ(at_egress.size(), 1U) << "the session knows better";
}

}  // namespace
}  // namespace farlink::ingress
