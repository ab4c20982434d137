// SPDX-License-Identifier: Apache-2.0
// Places of transactions, and how entities share those of an entity whose files arrive.
#include "cfdp/core/places.hpp"

#include <gtest/gtest.h>

#include "cfdp/core/entity.hpp"
#include "tests/support/cfdp_pair.hpp"

namespace farlink::cfdp::places_test {
namespace {

constexpr auto kAny = [](const TransactionId &) { return true; };

TEST(CfdpPlaces, AShareIsHalfUnlessThereIsOneEntity) {
    EXPECT_EQ(Places::share(4000, 1), 4000U);
    EXPECT_EQ(Places::share(4000, 2), 2000U);
    EXPECT_EQ(Places::share(4000, 100), 2000U);
    EXPECT_EQ(Places::share(1, 2), 1U);
}

TEST(CfdpPlaces, TheIdlestOfWhoHoldsMostIsFound) {
    Places places;
    std::map<TransactionId, Places::Place> held;
    for (const TransactionId &id : {TransactionId{1, 1}, {1, 2}, {1, 3}, {2, 1}})
        places.take(held[id], id.source, id);
    places.take(held[{1, 1}], 1, {1, 1});
    EXPECT_EQ(places.size(), 4U);
    EXPECT_EQ(places.idlest_of_others(3, kAny), (TransactionId{1, 1}));
    places.renew(held[{1, 1}]);
    EXPECT_EQ(places.idlest_of_others(2, kAny), (TransactionId{1, 2}));
    EXPECT_EQ(places.idlest_of_others(2, [](const TransactionId &id) { return id.sequence != 2; }),
              (TransactionId{1, 3}));
    EXPECT_FALSE(places.idlest_of_others(1, kAny));
    // With two and one, the second would only change places with the first.
    places.give_back(held[{1, 2}]);
    places.give_back(held[{1, 2}]);
    EXPECT_EQ(places.held_by(1), 2U);
    EXPECT_FALSE(places.idlest_of_others(2, kAny));
    EXPECT_EQ(places.idlest_of_others(3, kAny), (TransactionId{1, 3}));
}

/// An entity for eight files at a time, of four others.
struct Full {
    Full() : entity({.local = 2, .most_receiving = 8}, store) {
        for (const EntityId each : {30, 31, 32, 33}) entity.set_remote({.entity = each});
    }
    void give(const PduBody &body, EntityId from, std::uint64_t sequence, bool class_1 = false) {
        const PduHeader header{.unacknowledged = class_1,
                               .id = {from, sequence},
                               .destination = 2,
                               .sequence_bytes = bytes_for(sequence)};
        entity.handle_pdu(encode_pdu(header, body), from, now);
    }
    void open(EntityId from, std::uint64_t sequence, std::uint64_t size = 10) {
        give(Metadata{.checksum_type = 15,
                      .file_size = size,
                      .source_name = "source",
                      .destination_name = "copy"},
             from, sequence);
    }
    void flood(EntityId from) {
        for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) open(from, sequence);
    }
    std::vector<Bytes> polled(EntityId to) {
        std::vector<Bytes> all;
        while (auto octets = entity.poll_pdu(to, now)) all.push_back(std::move(*octets));
        return all;
    }
    const Shortage &shortage(EntityId of) { return entity.counters().shortages.at(of); }

    test::MemoryFilestore store;
    Entity entity;
    TimePoint now{};
};

TEST(CfdpPlaces, AFloodOfOneEntityLeavesRoomForOthers) {
    Full full;
    full.flood(30);
    EXPECT_EQ(full.entity.active(), 4U);
    full.open(31, 1);
    EXPECT_TRUE(full.entity.report({31, 1}));
    EXPECT_EQ(full.entity.counters().too_many, 96U);
    EXPECT_EQ(full.shortage(30), (Shortage{96, 0}));
    EXPECT_EQ(full.entity.counters().given_up, 0U);
}

TEST(CfdpPlaces, AFullTableGivesUpTheIdlestOfWhoHoldsMost) {
    Full full;
    const Bytes data(2);
    full.flood(30);
    full.flood(32);
    full.give(FileData{.data = data}, 30, 1);
    // Neither repeated octets nor a question is progress.
    full.give(FileData{.data = data}, 30, 2);
    full.give(FileData{.data = data}, 30, 3);
    full.give(FileData{.data = data}, 30, 2);
    full.give(Prompt{}, 30, 4);
    full.open(31, 1);
    EXPECT_TRUE(full.entity.report({31, 1}));
    EXPECT_FALSE(full.entity.report({31, 1})->outcome);
    EXPECT_EQ(full.shortage(30), (Shortage{96, 1}));
    EXPECT_EQ(full.entity.counters().given_up, 1U);
    EXPECT_EQ(full.entity.report({30, 4})->condition, ConditionCode::kCancelRequested);
    EXPECT_EQ(full.entity.report({30, 1})->condition, ConditionCode::kNoError);
    // Its sender is told.
    bool told = false;
    for (const Bytes &octets : full.polled(30)) {
        const auto pdu = decode_pdu(octets);
        const auto *finished = std::get_if<Finished>(&pdu->body);
        told |= finished != nullptr && pdu->header.id == TransactionId{30, 4} &&
                finished->condition == ConditionCode::kCancelRequested;
    }
    EXPECT_TRUE(told);
    // Whoever holds no less than others gets nothing of them.
    full.open(32, 200);
    EXPECT_FALSE(full.entity.report({32, 200}));
    full.open(30, 200);
    EXPECT_FALSE(full.entity.report({30, 200}));
    EXPECT_EQ(full.entity.counters().given_up, 1U);
}

TEST(CfdpPlaces, AFileOfClass1ArrivesThoughTheTableIsFull) {
    Full full;
    full.flood(30);
    full.flood(32);
    const Bytes data(10);
    full.give(Metadata{.checksum_type = 15,
                       .file_size = 10,
                       .source_name = "source",
                       .destination_name = "copy"},
              31, 1, true);
    full.give(FileData{.data = data}, 31, 1, true);
    full.give(Eof{.file_size = 10}, 31, 1, true);
    (void)full.polled(31);
    EXPECT_EQ(full.store.delivered, 1U);
    EXPECT_TRUE(full.entity.report({31, 1})->outcome->ok());
}

TEST(CfdpPlaces, EndsThatAreNotConfirmedHaveSharesToo) {
    Full full;
    for (const EntityId from : {30, 32}) {
        for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) {
            full.open(from, sequence, 0);
            full.give(Eof{}, from, sequence);
            (void)full.polled(from);
        }
    }
    EXPECT_EQ(full.entity.active(), 80U);
    EXPECT_EQ(full.store.delivered, 80U);
    full.open(31, 1);
    EXPECT_EQ(full.entity.active(), 80U);
    EXPECT_TRUE(full.entity.report({31, 1}));
    const auto report = full.entity.report({30, 1});
    ASSERT_TRUE(report && report->outcome);
    EXPECT_TRUE(report->outcome->complete && report->outcome->abandoned);
    // The file is there, and a sender that asks gets the same end.
    full.give(Eof{}, 30, 1);
    EXPECT_EQ(full.polled(30).size(), 2U);
    EXPECT_EQ(full.entity.active(), 80U);
}

TEST(CfdpPlaces, AllAreGivenBack) {
    Full full;
    for (std::uint64_t sequence = 1; sequence <= 1000; ++sequence) {
        full.open(30, sequence);
        full.give(Eof{.condition = ConditionCode::kCancelRequested}, 30, sequence);
        (void)full.polled(30);
    }
    EXPECT_EQ(full.entity.active(), 0U);
    EXPECT_EQ(full.entity.ended().count(), 1000U);
    EXPECT_EQ(full.entity.counters().too_many, 0U);
}

}  // namespace
}  // namespace farlink::cfdp::places_test
