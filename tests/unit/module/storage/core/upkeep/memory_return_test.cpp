// SPDX-License-Identifier: Apache-2.0
// What very many destinations take of the memory of storage, and that they give it back.
#include "module/storage/core/upkeep/memory_return.hpp"

#include <gtest/gtest.h>

#include "tests/support/heap_bytes.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::memory_return_test {
namespace {

using storage::StorageCounter;

constexpr std::uint64_t kMany = 250'000;
constexpr std::uint64_t kAtOnce = 1000;

RigOptions options() {
    RigOptions chosen;
    chosen.segment_bytes = 4 * 1024 * 1024;
    chosen.routing.default_gateway = kNode20;
    return chosen;
}

void route_by_gateway(Rig &rig) {
    bus::RouteUpdate update;
    update.neighbours = {{kNode20, kLink20, true}};
    rig.core().handle(update, rig.now);
}

/// A bundle for each of `destinations`, in turn.
void store_many(Rig &rig, std::uint64_t destinations) {
    std::vector<BundleSpec> specs;
    for (std::uint64_t sequence = 1; sequence <= kMany; ++sequence) {
        BundleSpec spec = bundle_numbered(sequence);
        spec.destination_node = 1000 + sequence % destinations;
        spec.payload_bytes = 1;
        specs.push_back(spec);
        if (specs.size() < kAtOnce) continue;
        rig.store(std::exchange(specs, {}));
        rig.run_for(kRigMoment);
    }
    rig.run_for(seconds(1));
}

std::size_t heap_for(std::uint64_t destinations) {
    SimDirectory directory;
    const std::size_t before = heap_bytes();
    Rig rig(directory, options());
    route_by_gateway(rig);
    store_many(rig, destinations);
    EXPECT_EQ(rig.core().figures().held(), kMany);
    rig.core().figures().survey_pending();
    while (!rig.core().figures().poll_survey()) continue;
    return heap_bytes() - before;
}

TEST(MemoryReturn, ADestinationTakesLessThan400OctetsBesideItsBundles) {
    const std::size_t one = heap_for(1);
    const std::size_t many = heap_for(kMany);
    EXPECT_LT(many - std::min(one, many), kMany * 400);
}

TEST(MemoryReturn, WhatHasGoneIsFreed) {
    SimDirectory directory;
    Rig rig(directory, options());
    route_by_gateway(rig);
    const std::size_t before = heap_bytes();
    EXPECT_EQ(rig.core().figures().free_memory(), 0U);
    store_many(rig, kMany);
    EXPECT_EQ(rig.core().figures().free_memory(), 0U);
    const std::size_t held = heap_bytes() - before;
    EXPECT_GT(rig.core().figures().index_bytes(), kMany * 80);
    EXPECT_LE(rig.waiting.size(), storage::DestinationTable::kMostReported);
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(5));
    ASSERT_EQ(rig.released.size(), kMany);
    EXPECT_LT(rig.count(StorageCounter::kBatches), kMany / 100) << "they are read together";
    rig.released = std::vector<Released>();
    EXPECT_GE(rig.core().figures().free_memory(), kMany * 80);
    std::uint64_t flows = 0;
    for (int second = 0; second < 4; ++second) flows += rig.core().figures().free_memory();
    EXPECT_GT(flows, kMany * 8) << "they are forgotten too";
    EXPECT_EQ(rig.core().figures().free_memory(), 0U);
    EXPECT_LT(rig.core().figures().index_bytes(), kMany);
    EXPECT_LE(heap_bytes(), before + held / 4 * 3);
    rig.store({bundle_numbered(kMany + 1)});
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released.size(), 1U) << "it works on";
}

}  // namespace
}  // namespace farlink::test::memory_return_test
