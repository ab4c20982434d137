// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/ledger.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry::ledger_test {
namespace {

/// The three modules of a node, counting as the table in ledger.hpp says.
struct Node {
    IngressCounters ingress;
    EgressCounters egress;
    StorageCounters storage;

    [[nodiscard]] Ledger ledger() const {
        return Ledger::from(ingress.values(), egress.values(), storage.values());
    }
    void receive() {
        ingress.increment(IngressCounter::kReceived);
        ingress.add(IngressCounter::kInFlight, 1);
    }
    void ingress_lets_go() { ingress.subtract(IngressCounter::kInFlight, 1); }
    void cut_through() {
        egress.increment(EgressCounter::kForwarded);
        ingress.increment(IngressCounter::kCutThrough);
        ingress_lets_go();
    }
    void store() {
        storage.increment(StorageCounter::kStoredTotal);
        storage.add(StorageCounter::kStoredNow, 1);
        ingress_lets_go();
    }
    void release() {
        egress.increment(EgressCounter::kForwarded);
        storage.increment(StorageCounter::kReleased);
        storage.subtract(StorageCounter::kStoredNow, 1);
    }
};

TEST(Ledger, ANewNodeBalances) {
    const Ledger ledger = Node{}.ledger();
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(ledger.left(), 0U);
}

TEST(Ledger, ABundleMovesFromInFlightToStoredToForwarded) {
    Node node;
    node.receive();
    EXPECT_EQ(node.ledger().in_flight, 1U);
    EXPECT_TRUE(node.ledger().balanced());
    node.store();
    EXPECT_EQ(node.ledger().in_flight, 0U);
    EXPECT_EQ(node.ledger().stored, 1U);
    EXPECT_TRUE(node.ledger().balanced());
    node.release();
    EXPECT_EQ(node.ledger().stored, 0U);
    EXPECT_EQ(node.ledger().forwarded, 1U);
    EXPECT_TRUE(node.ledger().balanced());
}

TEST(Ledger, CutThroughIsForwardedOnce) {
    Node node;
    node.receive();
    node.cut_through();
    EXPECT_EQ(node.ledger().right(), 1U);
    EXPECT_TRUE(node.ledger().balanced());
}

TEST(Ledger, ACriticalBundleIsACopyForEachNeighbour) {
    Node node;
    node.receive();
    node.store();
    for (int neighbour = 0; neighbour < 3; ++neighbour) {
        node.egress.increment(EgressCounter::kForwarded);
        node.storage.increment(StorageCounter::kCriticalSent);
        EXPECT_TRUE(node.ledger().balanced());
    }
    node.storage.increment(StorageCounter::kCriticalReleased);
    node.storage.subtract(StorageCounter::kStoredNow, 1);
    EXPECT_EQ(node.ledger().forwarded, 3U);
    EXPECT_EQ(node.ledger().copies, 3U);
    EXPECT_EQ(node.ledger().copies_dropped, 1U);
    EXPECT_TRUE(node.ledger().balanced());
}

TEST(Ledger, ARestoredBundleIsStoredThenForwarded) {
    Node node;
    node.storage.increment(StorageCounter::kRestored);
    node.storage.add(StorageCounter::kStoredNow, 1);
    EXPECT_TRUE(node.ledger().balanced());
    node.release();
    EXPECT_EQ(node.ledger().restored, 1U);
    EXPECT_EQ(node.ledger().forwarded, 1U);
    EXPECT_TRUE(node.ledger().balanced());
}

TEST(Ledger, EveryEndCountsOnce) {
    Node node;
    const auto end_in_ingress = [&node](IngressCounter end) {
        node.receive();
        node.ingress.increment(end);
        node.ingress_lets_go();
        EXPECT_TRUE(node.ledger().balanced()) << node.ledger().to_table();
    };
    for (const IngressCounter end :
         {IngressCounter::kDelivered, IngressCounter::kDuplicatesDelivered,
          IngressCounter::kExpired, IngressCounter::kDeletedHopLimit,
          IngressCounter::kDeletedUnprocessableBlock, IngressCounter::kDeletedNoStorageSpace,
          IngressCounter::kDeletedStorageError, IngressCounter::kDeletedTooLarge,
          IngressCounter::kDeletedAdminUnknown, IngressCounter::kDeletedNoService,
          IngressCounter::kDeletedReservedEndpoint})
        end_in_ingress(end);
    for (std::size_t reason = 0; reason < kMalformedReasons; ++reason) {
        node.ingress.increment(IngressCounter::kReceived);
        node.ingress.increment(IngressCounter::kMalformed, reason);
    }
    for (const StorageCounter end :
         {StorageCounter::kExpired, StorageCounter::kDeletedUnreadable}) {
        node.receive();
        node.store();
        node.storage.increment(end);
        node.storage.subtract(StorageCounter::kStoredNow, 1);
    }
    node.receive();
    node.storage.increment(StorageCounter::kDuplicates);
    node.ingress_lets_go();
    for (const EgressCounter end :
         {EgressCounter::kRenderDeletedHopLimit, EgressCounter::kRenderDeletedMalformed}) {
        node.receive();
        node.egress.increment(end);
        node.ingress_lets_go();
    }
    node.ingress.increment(IngressCounter::kOriginated);
    node.ingress.increment(IngressCounter::kCopies);
    node.ingress.add(IngressCounter::kInFlight, 2);
    EXPECT_TRUE(node.ledger().balanced()) << node.ledger().to_table();
    EXPECT_EQ(node.ledger().left(), 11 + kMalformedReasons + 2 + 1 + 2 + 2);
}

TEST(Ledger, WhatIsForInformationCountsOnNeitherSide) {
    Node node;
    for (const IngressCounter info :
         {IngressCounter::kReceivedBytes, IngressCounter::kCutThrough,
          IngressCounter::kSentToStorage, IngressCounter::kSpilled, IngressCounter::kPauses})
        node.ingress.increment(info);
    for (const EgressCounter info : {EgressCounter::kExpired, EgressCounter::kLinkDownReturns,
                                     EgressCounter::kQueued, EgressCounter::kForwardedBytes})
        node.egress.increment(info);
    for (const StorageCounter info : {StorageCounter::kReleased, StorageCounter::kRefused,
                                      StorageCounter::kIoErrors, StorageCounter::kStoredTotal})
        node.storage.increment(info);
    EXPECT_EQ(node.ledger().left(), 0U);
    EXPECT_EQ(node.ledger().right(), 0U);
}

TEST(Ledger, MissingReportsCountAsZeros) {
    const std::array<std::uint64_t, 1> received{3};
    const Ledger ledger = Ledger::from(received, {}, {});
    EXPECT_EQ(ledger.left(), 3U);
    EXPECT_EQ(ledger.right(), 0U);
}

TEST(Ledger, TheTableNamesReasonsAndTheDifference) {
    Node node;
    for (int i = 0; i < 4; ++i) node.ingress.increment(IngressCounter::kReceived);
    node.ingress.increment(IngressCounter::kMalformed, 1);
    node.ingress.increment(IngressCounter::kDeletedNoService);
    constexpr std::array<std::string_view, 2> kReasons{"empty", "truncated"};
    const Ledger ledger =
        Ledger::from(node.ingress.values(), node.egress.values(), node.storage.values(), kReasons);
    const std::string table = ledger.to_table();
    EXPECT_NE(table.find("deleted: malformed_truncated"), std::string::npos) << table;
    EXPECT_NE(table.find("deleted: no_service"), std::string::npos) << table;
    EXPECT_NE(table.find("NOT balanced: 2 bundles missing"), std::string::npos) << table;
    node.ingress.add(IngressCounter::kDelivered, 3);
    EXPECT_NE(node.ledger().to_table().find("NOT balanced: 1 bundle counted twice"),
              std::string::npos);
}

TEST(Ledger, CannotBalanceWithoutTheFinalReportOfAModule) {
    Ledger ledger = Node{}.ledger();
    EXPECT_TRUE(ledger.complete());
    ledger.restarted = 1;
    EXPECT_FALSE(ledger.complete());
    EXPECT_TRUE(
        ledger.to_table().ends_with("ledger cannot balance: 1 module died and started again\n"));
    ledger.unreported = 2;
    EXPECT_FALSE(ledger.complete());
    EXPECT_TRUE(
        ledger.to_table().ends_with("ledger cannot balance: 2 modules sent no final report\n"));
}

TEST(Ledger, ItsTableHasARowForEachPartOfASum) {
    Node node;
    node.ingress.add(IngressCounter::kCopies, 7);
    node.ingress.add(IngressCounter::kCopiesDropped, 3);
    node.storage.add(StorageCounter::kCustodyReleased, 4);
    std::istringstream table(node.ledger().to_table());
    std::uint64_t sum = 0;
    std::uint64_t total = 0;
    bool right = false;
    for (std::string line; std::getline(table, line);) {
        right = right || line == "accounted for";
        if (!right || !line.starts_with("  ")) continue;
        const std::uint64_t value = std::stoull(line.substr(line.find_last_of(' ')));
        (line.starts_with("  sum") ? total : sum) += value;
    }
    EXPECT_EQ(total, 7U);
    EXPECT_EQ(sum, total);
}

}  // namespace
}  // namespace farlink::telemetry::ledger_test
