// SPDX-License-Identifier: Apache-2.0
#include "common/base/disk_cost.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::disk_cost_test {
namespace {

using test::BundleSpec;

/// Bundles in a store, and the octets of all its files.
struct Stored {
    std::uint64_t bundles = 0;
    std::uint64_t memory = 0;  ///< what they count in memory
    std::uint64_t disk = 0;
    std::uint64_t files = 0;
};

Stored store(const BundleSpec &base, std::uint64_t count, const test::RigOptions &options) {
    constexpr std::uint64_t kAtOnce = 500;
    test::SimDirectory directory;
    test::Rig rig(directory, options);
    Stored stored;
    for (std::uint64_t first = 1; first <= count; first += kAtOnce) {
        const auto some = test::bundles_numbered(first, first + kAtOnce - 1, base);
        for (const BundleSpec &each : some)
            stored.memory += test::encode(each).size() + kMemoryPerBundle;
        rig.store(some);
        rig.run_for(milliseconds(20));
    }
    stored.bundles = rig.count(storage::StorageCounter::kStoredNow);
    for (const FileNumber file : directory.files()) {
        ++stored.files;
        stored.disk += directory.content(file).size();
        if (directory.has_index(file)) stored.disk += directory.index(file).size();
    }
    return stored;
}

// Also with the smallest bundles, with names, and where records contain their source.
TEST(DiskCost, ABundleOnDiskTakesNoMoreThanItsReserve) {
    BundleSpec tiny;
    tiny.payload_bytes = 1;
    BundleSpec named = tiny;
    named.destination_node = 0;
    BundleSpec usual;
    BundleSpec large;
    large.payload_bytes = 3000;
    test::RigOptions plain;
    test::RigOptions with_sources;
    with_sources.quotas = {{.source = "ipn:7.1", .destination = {}, .capacity_bytes = 1 << 20}};
    for (test::RigOptions *options : {&plain, &with_sources}) {
        options->segment_bytes = 1024 * 1024;
        for (const BundleSpec &base : {tiny, named, usual, large}) {
            constexpr std::uint64_t kCount = 10'000;
            const Stored stored = store(base, kCount, *options);
            EXPECT_EQ(stored.bundles, kCount);
            EXPECT_GT(stored.files, 1U) << "an index counts, too";
            // A file has a page of its own, and its last one is not full.
            constexpr std::uint64_t kFile = 3 * 4096;
            EXPECT_LE(stored.disk, kDiskPerMemory * stored.memory + kFile * stored.files)
                << base.payload_bytes << " octets for node " << base.destination_node;
        }
    }
}

}  // namespace
}  // namespace farlink::disk_cost_test
