// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/stored_bundle_queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/bp/parse.hpp"
#include "tests/unit/module/storage/core/custody/custody_rig.hpp"
#include "tests/unit/module/storage/core/queries/store_requests.hpp"
#include "tests/unit/module/storage/core/release/critical_rig.hpp"
#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::stored_bundle_queries_test {
namespace {

using bus::StoredState;
using bus::StoreReply;
using bus::StoreRequest;
using bus::StoreVerb;
using storage::StoredBundleQueries;

StoreRequest list(std::string_view destination = {}, std::uint32_t limit = 100) {
    return store_request(StoreVerb::kList, destination, limit);
}
StoreRequest deletion(std::string_view destination = {}, std::uint32_t limit = 100'000) {
    return store_request(StoreVerb::kDelete, destination, limit);
}
StoreRequest deletion_of(const bus::StoredBundle &bundle) {
    StoreRequest request = deletion();
    request.bundles.push_back(bundle.bundle);
    return request;
}

std::vector<std::uint64_t> sequences(const StoreReply &reply) {
    std::vector<std::uint64_t> all;
    for (const bus::StoredBundle &bundle : reply.bundles) all.push_back(stored_sequence(bundle));
    return all;
}

class StoredBundleQueriesTest : public ::testing::Test {
protected:
    void store(std::uint64_t first, std::uint64_t last, const BundleSpec &base = {}) {
        for (std::uint64_t from = first; from <= last; from += 1000)
            rig.store(bundles_numbered(from, std::min(last, from + 999), base));
        rig.run_for(kRigMoment);
    }
    static BundleSpec to_node(std::uint64_t node) {
        BundleSpec spec;
        spec.destination_node = node;
        return spec;
    }
    std::uint64_t held() { return rig.core().figures().held(); }

    SimDirectory directory;
    RigOptions options;
    Rig rig{directory, with_reports()};

    static RigOptions with_reports() {
        RigOptions options;
        options.reports = true;
        return options;
    }
};

TEST_F(StoredBundleQueriesTest, ListsWhatIsHeldWithTheHeads) {
    store(1, 3);
    const StoreReply reply = rig.ask_store(list());
    EXPECT_EQ(reply.id, kStoreRequestId);
    EXPECT_TRUE(reply.error.empty());
    EXPECT_FALSE(reply.more);
    ASSERT_EQ(reply.bundles.size(), 3U);
    EXPECT_EQ(sequences(reply), (std::vector<std::uint64_t>{1, 2, 3}));
    const bus::StoredBundle &one = reply.bundles.front();
    EXPECT_EQ(one.state, StoredState::kWaiting);
    EXPECT_EQ(one.bytes, encode(bundle_numbered(1)).size());
    EXPECT_EQ(as_text(one.destination), "ipn:20.1");
    EXPECT_FALSE(one.custody);
    EXPECT_EQ(one.expires, BundleSpec{}.created + BundleSpec{}.lifetime_ms);
    EXPECT_EQ(bp::to_string(bp::parse_primary(one.head)->source), "ipn:10.1");
}

TEST_F(StoredBundleQueriesTest, PagesMeetEveryBundleOnce) {
    store(1, 10'000);
    std::set<std::uint64_t> met;
    StoreRequest request = list({}, 999);
    std::uint64_t before = 0;
    for (int page = 0; page < 11; ++page) {
        const StoreReply reply = rig.ask_store(request);
        for (const bus::StoredBundle &bundle : reply.bundles) {
            EXPECT_GT(bundle.bundle, before);
            before = bundle.bundle;
            met.insert(bundle.bundle);
        }
        EXPECT_EQ(reply.more, page < 10);
        request.after = reply.last;
    }
    EXPECT_EQ(met.size(), 10'000U);
}

TEST_F(StoredBundleQueriesTest, AFilterTakesAnEndpointANodeOrAName) {
    store(1, 2, to_node(20));
    store(3, 5, to_node(30));
    store(6, 6, to_node(0));
    EXPECT_EQ(rig.ask_store(list("ipn:30.*")).bundles.size(), 3U);
    EXPECT_EQ(rig.ask_store(list("ipn:20.1")).bundles.size(), 2U);
    EXPECT_EQ(rig.ask_store(list("ipn:20.2")).bundles.size(), 0U);
    EXPECT_EQ(rig.ask_store(list("dtn://far/*")).bundles.size(), 1U);
    EXPECT_FALSE(rig.ask_store(list("ipn:")).error.empty());
}

TEST_F(StoredBundleQueriesTest, AListOfAMillionPlacesTakesManyTurns) {
    store(1, 20'000);
    rig.core().handle(list("ipn:30.1"), rig.now);
    int turns = 0;
    for (; rig.store_replies.empty() && turns < 100; ++turns) {
        EXPECT_LE(rig.core().next_timeout(), rig.now);
        rig.core().handle_timeout(rig.now);
        while (auto outgoing = rig.core().poll_message())
            if (auto *reply = std::get_if<StoreReply>(&outgoing->message))
                rig.store_replies.push_back(std::move(*reply));
    }
    EXPECT_EQ(turns, 5);
    EXPECT_EQ(rig.core().next_timeout() > rig.now, true);
}

TEST_F(StoredBundleQueriesTest, WhatIsLentOrReadIsLeavingAndStays) {
    rig.send_at_once = false;
    store(1, 2);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 1U);
    const StoreReply listed = rig.ask_store(list());
    ASSERT_EQ(listed.bundles.size(), 2U);
    EXPECT_EQ(listed.bundles[0].state, StoredState::kLeaving);
    const StoreReply reply = rig.ask_store(deletion("ipn:20.*"));
    EXPECT_EQ(reply.deleted, 0U);
    EXPECT_EQ(reply.kept, 2U);
    rig.set_outcome(0, Outcome::kNotSent);
    rig.link_down(kLink20, kNode20);
    EXPECT_EQ(held(), 2U);
}

TEST_F(StoredBundleQueriesTest, ABundleIsDeletedByItsNumberForGood) {
    store(1, 3);
    const StoreReply before = rig.ask_store(list());
    const StoreReply reply = rig.ask_store(deletion_of(before.bundles[1]));
    EXPECT_EQ(reply.deleted, 1U);
    EXPECT_EQ(reply.deleted_bytes, before.bundles[1].bytes);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedByOperator), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 2U);
    EXPECT_EQ(rig.ask_store(deletion_of(before.bundles[1])).deleted, 0U) << "it has gone";
    EXPECT_EQ(sequences(rig.ask_store(list())), (std::vector<std::uint64_t>{1, 3}));
}

TEST(StoredBundleQueries, WhatIsDeletedIsGoneAfterAPowerCut) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(bundles_numbered(1, 50));
        rig.run_for(kRigMoment);
        EXPECT_EQ(rig.ask_store(deletion("ipn:20.1")).deleted, 50U);
        rig.store({bundle_numbered(51)});
        rig.run_for(seconds(2));
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.ready.front(), 1U);
    EXPECT_EQ(sequences(rig.ask_store(list())), (std::vector<std::uint64_t>{51}));
}

TEST_F(StoredBundleQueriesTest, TheNumberOfABundleThatIsGoneNamesNoOther) {
    store(1, 1);
    const bus::StoredBundle gone = rig.ask_store(list()).bundles.at(0);
    EXPECT_EQ(rig.ask_store(deletion_of(gone)).deleted, 1U);
    store(2, 2);
    ASSERT_EQ(rig.ask_store(list()).bundles.size(), 1U);
    const StoreReply reply = rig.ask_store(deletion_of(gone));
    EXPECT_EQ(reply.deleted + reply.kept, 0U);
    EXPECT_EQ(held(), 1U);
}

TEST_F(StoredBundleQueriesTest, ADeletionStopsAtItsLimitAndGoesOnBehindIt) {
    store(1, 3000, to_node(20));
    store(3001, 3010, to_node(30));
    StoreRequest request = deletion("ipn:20.*", 2000);
    StoreReply reply = rig.ask_store(request);
    EXPECT_EQ(reply.deleted, 2000U);
    EXPECT_TRUE(reply.more);
    request.after = reply.last;
    reply = rig.ask_store(request);
    EXPECT_EQ(reply.deleted, 1000U);
    EXPECT_FALSE(reply.more);
    EXPECT_EQ(held(), 10U);
    EXPECT_EQ(rig.ask_store(list()).bundles.size(), 10U);
}

TEST_F(StoredBundleQueriesTest, ManyAreDeletedAPartAtATime) {
    store(1, 4000);
    rig.core().handle(deletion("ipn:20.1"), rig.now);
    rig.core().handle_timeout(rig.now);
    EXPECT_EQ(held(), 4000U - StoredBundleQueries::kDeleteAtOnce);
    rig.run_for(kRigMoment);
    EXPECT_EQ(held(), 0U);
}

TEST_F(StoredBundleQueriesTest, ADeletionIsReportedWhereTheBundleRequestsIt) {
    BundleSpec wanted = bundle_numbered(1);
    wanted.report_deletion = true;
    rig.store({wanted, bundle_numbered(2)});
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.ask_store(deletion("ipn:20.1")).deleted, 2U);
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(rig.reports[0].reason, 3) << "transmission cancelled";
    EXPECT_EQ(rig.count(StorageCounter::kDeletedByOperator), 2U);
    EXPECT_EQ(held(), 0U);
}

TEST_F(StoredBundleQueriesTest, WhatCannotBeReadIsListedWithoutItsHead) {
    store(1, 1);
    rig.core().handle(list(), rig.now);
    rig.core().handle_timeout(rig.now);
    auto request = rig.core().poll_disk_request(0, rig.now);
    ASSERT_NE(request, nullptr);
    ASSERT_EQ(request->tag, StoredBundleQueries::kTag);
    rig.core().handle(deletion("ipn:20.1"), rig.now);
    request->records[0].status = DiskStatus::kDamaged;
    rig.core().handle(0, std::move(request), rig.now);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.store_replies.size(), 2U);
    ASSERT_EQ(rig.store_replies[0].bundles.size(), 1U);
    EXPECT_TRUE(rig.store_replies[0].bundles[0].head.empty());
    EXPECT_EQ(rig.store_replies[1].deleted, 1U);
}

TEST_F(StoredBundleQueriesTest, ADiskThatDoesNotAnswerHoldsUpNoList) {
    store(1, 2);
    rig.core().handle(list(), rig.now);
    rig.core().handle_timeout(rig.now);
    auto stuck = rig.core().poll_disk_request(0, rig.now);
    ASSERT_NE(stuck, nullptr);
    rig.run_for(StoredBundleQueries::kReadWithin);
    ASSERT_EQ(rig.store_replies.size(), 1U);
    EXPECT_EQ(rig.store_replies[0].bundles.size(), 2U);
    EXPECT_EQ(rig.ask_store(deletion("ipn:20.1")).deleted, 2U) << "needs no head";
    rig.core().handle(0, std::move(stuck), rig.now);
    rig.run_for(kRigMoment);
}

TEST_F(StoredBundleQueriesTest, TooManyRequestsAreRefused) {
    for (std::size_t i = 0; i < StoredBundleQueries::kMostWaiting + 2; ++i)
        rig.core().handle(list(), rig.now);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.store_replies.size(), StoredBundleQueries::kMostWaiting + 2);
    EXPECT_EQ(std::ranges::count_if(rig.store_replies,
                                    [](const StoreReply &reply) { return !reply.error.empty(); }),
              1);
}

TEST_F(StoredBundleQueriesTest, LargeBundlesAreListedWithTheirHeads) {
    BundleSpec large = bundle_numbered(1);
    large.payload_bytes = StoredBundleQueries::kLargestReadBytes;
    rig.store({large});
    store(2, 2);
    const StoreReply reply = rig.ask_store(list(), milliseconds(100));
    ASSERT_EQ(reply.bundles.size(), 2U);
    EXPECT_EQ(sequences(reply), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(StoredBundleQueriesTest, BundlesInPiecesAreListedWithTheirHeads) {
    store(1, 2);
    store_spooled(rig, encode(spooled_spec(7)));
    store(8, 9);
    const StoreReply reply = rig.ask_store(list());
    ASSERT_EQ(reply.bundles.size(), 5U);
    std::vector<std::uint64_t> listed = sequences(reply);
    std::ranges::sort(listed);
    EXPECT_EQ(listed, (std::vector<std::uint64_t>{1, 2, 7, 8, 9}));
}

TEST(StoredBundlesOnTwoDisks, StripedBundlesAreListedWithTheirHeads) {
    SimDirectory left;
    SimDirectory right;
    RigOptions options;
    options.stripe_above_bytes = 1000;
    options.segment_bytes = 1 << 20;
    Rig rig({&left, &right}, options);
    BundleSpec striped = bundle_numbered(3);
    striped.payload_bytes = 10'003;
    rig.store({bundle_numbered(1), striped, bundle_numbered(5)});
    rig.run_for(kRigMoment);
    std::vector<std::uint64_t> listed = sequences(rig.ask_store(list()));
    std::ranges::sort(listed);
    EXPECT_EQ(listed, (std::vector<std::uint64_t>{1, 3, 5}));
}

// ---- custody, and bundles that go everywhere ----------------------------------------------------

class StoreDeskCustody : public CustodyRig {};

TEST_F(StoreDeskCustody, InCustodyItIsDeletedOnlyByForce) {
    ASSERT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    StoreReply reply = rig().ask_store(list());
    ASSERT_EQ(reply.bundles.size(), 1U);
    EXPECT_TRUE(reply.bundles[0].custody);
    EXPECT_EQ(reply.bundles[0].state, StoredState::kWaiting);
    reply = rig().ask_store(deletion("ipn:20.1"));
    EXPECT_EQ(reply.deleted, 0U);
    EXPECT_EQ(reply.kept_in_custody, 1U);
    StoreRequest request = deletion("ipn:20.1");
    request.force = true;
    EXPECT_EQ(rig().ask_store(request).deleted, 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
    EXPECT_EQ(count(StorageCounter::kStoredNow), 0U);
}

TEST_F(StoreDeskCustody, WhatWaitsForItsNextCustodianIsDeletedByForceAndNotSentAgain) {
    ASSERT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    rig().routes_to_both();
    rig().link_up(kLink20, kNode20);
    rig().run_for(kRigMoment);
    ASSERT_EQ(rig().released.size(), 1U);
    EXPECT_EQ(rig().ask_store(list()).bundles.at(0).state, StoredState::kInCustody);
    EXPECT_EQ(rig().ask_store(deletion("ipn:20.1")).kept_in_custody, 1U);
    StoreRequest request = deletion("ipn:20.1");
    request.force = true;
    EXPECT_EQ(rig().ask_store(request).deleted, 1U);
    rig().run_for(seconds(100));
    EXPECT_EQ(rig().released.size(), 1U);
    EXPECT_EQ(rig().core().figures().held(), 0U);
}

TEST(StoredBundleQueriesCritical, ACopyThatWasSentIsReleasedAndNotCountedAsDeleted) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({critical()});
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.released.size(), 1U);
    EXPECT_EQ(rig.ask_store(deletion("ipn:40.*")).deleted, 1U);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedByOperator), 0U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    expect_balance(rig, 1, 1);
}

TEST(StoreDeskCritical, WhatIsHeldIsNotOverBecauseOneNeighbourHasIt) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({critical()});
    route_by_both(rig);
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.released.size(), 1U);
    bus::RouteUpdate update;
    update.routes.push_back({kFar, {by(kNode20, kLink20), by(kNode30, kLink30)}});
    update.held = {kFar};
    rig.core().handle(update, rig.now);
    rig.link_up(kLink30, kNode30);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.released.size(), 1U);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    update.held.clear();
    rig.core().handle(update, rig.now);
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.released.size(), 2U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(StoreDeskHold, AHeldDestinationStaysInStorageUntilItIsReleased) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    bus::RouteUpdate update;
    update.routes.push_back({kNode20, {{kNode20, kLink20, 0}}});
    update.held = {kNode20};
    rig.core().handle(update, rig.now);
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    EXPECT_TRUE(rig.released.empty());
    update.held.clear();
    rig.core().handle(update, rig.now);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released_sequences(), (std::vector<std::uint64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace farlink::test::stored_bundle_queries_test
