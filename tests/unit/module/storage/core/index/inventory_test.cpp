// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/inventory.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::inventory_test {
namespace {

/// Adds bundles for ipn:20.1 that all expire at different times.
struct Filled {
    explicit Filled(std::size_t count) {
        while (inventory.count() < count) add();
    }
    EntryIndex add(DiskIndex disk = 0) {
        bp::EidView endpoint = bp::ipn_eid(20, 1);
        Bytes label;
        encode_label(endpoint, label);
        RecordHead head;
        head.identity = {random.next(), random.next()};
        head.arrival = inventory.count() + 1;
        head.expiry = random.below(1'000'000'000);
        head.size = 100;
        const FlowIndex flow =
            inventory.destinations().find_or_add(label, endpoint, Priority::kNormal);
        const EntryIndex index = inventory.add(head, flow, disk);
        inventory.locate(index, disk, {index + 1, 4096});
        inventory.shelve(index);
        return index;
    }
    Random random{9};
    Inventory inventory;
};

TEST(Inventory, ABundleTakesLessThanAHundredBytesOfMemory) {
    for (const std::size_t count : {30'000U, 53'248U, 53'249U, 106'497U}) {
        const Filled filled(count);
        const double each =
            static_cast<double>(filled.inventory.memory_bytes()) / static_cast<double>(count);
        EXPECT_LE(each, 100) << count << " bundles";
    }
}

TEST(Inventory, CountsWhatLiesOnEachDisk) {
    Filled filled(0);
    Inventory &inventory = filled.inventory;
    const EntryIndex first = filled.add(0);
    const EntryIndex second = filled.add(3);
    const std::uint64_t one = record_bytes(17, 100);
    EXPECT_EQ(inventory.usage().bytes(), 2 * one);
    EXPECT_EQ(inventory.usage().bytes_on(0), one);
    EXPECT_EQ(inventory.usage().bytes_on(3), one);
    inventory.take(second);
    inventory.quarantine(second);
    EXPECT_EQ(inventory.usage().bytes_on(3), one) << "it still lies there";
    inventory.remove(second);
    inventory.remove(first);
    EXPECT_EQ(inventory.usage().bytes(), 0U);
    EXPECT_EQ(inventory.usage().bytes_on(3), 0U);
}

}  // namespace
}  // namespace farlink::storage::inventory_test
