// SPDX-License-Identifier: Apache-2.0
// Routes and links, services of this node, status reports.
#include "module/ingress/core/ingress_core.hpp"

#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::ingress_core_test {
namespace {

using test::TestBundle;

class IngressCoreTest : public IngressFixture {};

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
    const auto withheld = core().take_notices().reports_withheld;
    ASSERT_TRUE(withheld) << "for the log";
    EXPECT_EQ(withheld->count, 40U);
    EXPECT_EQ(withheld->report_to, "ipn:1.0");
    now += seconds(1);
    receive({made.octets()});
    EXPECT_EQ(reports_by_b(), 11U);
}

TEST_F(IngressReports, AreNotMadeUnlessConfigured) {
    config.status_reports = false;
    core().set_settings(config);
    receive({made.octets()});
    egress_answers(Outcome::kSent);
    EXPECT_EQ(reports_by_b(), 0U);
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
    core().upstreams().set_neighbour(kUp2, NodeNumber{3});
    claims.sequence = 101;
    claims.previous_node = 2;
    receive({claims.octets()}, kUp2);
    EXPECT_EQ(at_egress.size(), 1U) << "the session knows better";
}

}  // namespace
}  // namespace farlink::ingress::ingress_core_test
