// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/eviction_order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "common/base/random.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage::eviction_order_test {
namespace {

/// Bundles of many flows; those to even nodes count in quota 0, those to nodes below 8 in quota 1.
struct Store {
    EntryIndex add(std::uint64_t node, Priority priority, std::uint8_t requests = 0) {
        const bp::EidView endpoint = bp::ipn_eid(node, 1);
        Bytes label;
        encode_label(endpoint, label);
        RecordHead head;
        head.identity = {random.next(), random.next()};
        head.arrival = ++arrivals;
        head.size = 100;
        head.requests = requests;
        const QuotaSet quotas = (node % 2 == 0 ? 1U : 0U) | (node < 8 ? 2U : 0U);
        const FlowIndex flow =
            inventory.destinations().find_or_add(label, endpoint, priority, quotas);
        const EntryIndex index = inventory.add(head, flow, 0);
        inventory.locate(index, 0, {arrivals, 4096});
        inventory.shelve(index);
        held.push_back(index);
        return index;
    }
    void remove(EntryIndex index) {
        std::erase(held, index);
        inventory.remove(index);
    }
    /// What a look at every bundle finds.
    [[nodiscard]] EntryIndex oldest(Priority priority, QuotaSet blocking) {
        EntryIndex found = kNoEntry;
        for (const EntryIndex index : held) {
            const Entry &entry = inventory.entry(index);
            if (entry.state() != EntryState::kWaiting || entry.in_custody()) continue;
            if (inventory.destinations().flow(entry.flow).priority != priority) continue;
            if (blocking != 0 && (inventory.destinations().quotas_of(entry.flow) & blocking) == 0)
                continue;
            if (found == kNoEntry || entry.arrival < inventory.entry(found).arrival) found = index;
        }
        return found;
    }
    Random random{3};
    Inventory inventory{std::vector<config::StorageQuota>{
        {.source = {}, .destination = "ipn:1.*", .capacity_bytes = 1},
        {.source = {}, .destination = "ipn:2.*", .capacity_bytes = 1}}};
    std::vector<EntryIndex> held;
    std::uint64_t arrivals = 0;
};

TEST(EvictionOrder, AgreesWithALookAtEveryBundle) {
    Store store;
    Random random(11);
    for (int turn = 0; turn < 20'000; ++turn) {
        const auto any = [&] { return store.held[random.below(store.held.size())]; };
        const auto priority = static_cast<Priority>(random.below(kPriorityCount));
        switch (store.held.empty() ? 0 : random.below(6)) {
            case 0:
            case 1:
                store.add(1 + random.below(16), priority,
                          random.chance(1, 4) ? kRequestCustody : std::uint8_t{0});
                break;
            case 2: {
                const EntryIndex index = any();
                if (store.inventory.entry(index).state() == EntryState::kWaiting)
                    store.inventory.take(index);
                break;
            }
            case 3: {
                const EntryIndex index = any();
                if (store.inventory.entry(index).state() == EntryState::kReading)
                    store.inventory.give_back(index);
                break;
            }
            case 4:
                store.remove(any());
                break;
            default: {
                const QuotaSet blocking = random.below(4);
                const EntryIndex victim = store.inventory.oldest_spare(priority, blocking);
                ASSERT_EQ(victim, store.oldest(priority, blocking)) << turn;
                if (victim != kNoEntry) store.remove(victim);
            }
        }
    }
}

// A look at every flow for each victim would take minutes.
TEST(EvictionOrder, AVictimCostsTheSameForManyFlows) {
    Store store;
    constexpr std::uint64_t kFlows = 100'000;
    for (std::uint64_t node = 1; node <= kFlows; ++node) store.add(node, Priority::kNormal);
    for (std::uint64_t arrival = 1; arrival <= kFlows; ++arrival) {
        const EntryIndex victim = store.inventory.oldest_spare(Priority::kNormal, 0);
        ASSERT_NE(victim, kNoEntry);
        ASSERT_EQ(store.inventory.entry(victim).arrival, arrival);
        store.inventory.remove(victim);
    }
    EXPECT_EQ(store.inventory.oldest_spare(Priority::kNormal, 0), kNoEntry);
}

TEST(EvictionOrder, WhatIsInCustodyCostsNothing) {
    Store store;
    constexpr int kMany = 20'000;
    for (int i = 0; i < kMany; ++i) store.add(1, Priority::kNormal, kRequestCustody);
    for (int i = 0; i < kMany; ++i) {
        const EntryIndex last = store.add(1, Priority::kNormal);
        ASSERT_EQ(store.inventory.oldest_spare(Priority::kNormal, 0), last);
        store.inventory.remove(last);
        store.held.pop_back();
    }
}

TEST(EvictionOrder, FlowsThatComeAndGoLeaveNothingBehind) {
    DestinationTable destinations;
    EvictionOrder order(destinations);
    for (std::uint64_t node = 1; node <= 50'000; ++node) {
        const bp::EidView endpoint = bp::ipn_eid(node, 1);
        Bytes label;
        encode_label(endpoint, label);
        const FlowIndex flow = destinations.find_or_add(label, endpoint, Priority::kNormal);
        destinations.hold(flow);
        order.offer(flow, node);
        destinations.let_go(flow);
    }
    EXPECT_LE(order.size(), 2000U);
}

}  // namespace
}  // namespace farlink::storage::eviction_order_test
