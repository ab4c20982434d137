// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/gathered_fragments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "tests/support/heap_bytes.hpp"

namespace farlink::storage::gathered_fragments_test {
namespace {

class GatheredFragmentsTest : public testing::Test {
protected:
    GatheredFragmentsTest() {
        const bp::EidView destination = bp::ipn_eid(3, 1);
        encode_label(destination, endpoint);
        flow = inventory.destinations().find_or_add(endpoint, destination, Priority::kNormal);
    }

    /// A stored fragment of a set of its own.
    EntryIndex gather(std::uint64_t number) {
        const RecordHead head{.arrival = number,
                              .expiry = 800'000'000'000 + number,
                              .identity = {random.next(), random.next()},
                              .size = 110};
        const EntryIndex entry = fragments.add(head, flow, 0,
                                               {.extent = {0, 50},
                                                .total_adu_length = 1'000,
                                                .set = {random.next(), random.next()},
                                                .source = 7,
                                                .endpoint = endpoint});
        inventory.locate(entry, 0, {std::uint64_t{1} << 32 | number, number * 264});
        EXPECT_EQ(fragments.gather(entry), kNoEntry);
        return entry;
    }
    void remove(EntryIndex entry) {
        fragments.leave(entry);
        inventory.remove(entry);
    }

    Random random{1};
    Bytes endpoint;
    Inventory inventory;
    GatheredFragments fragments{inventory};
    FlowIndex flow = kNoFlow;
};

// With what the log has of its fragment until the file is complete, less than 300.
TEST_F(GatheredFragmentsTest, AnIncompleteSetOfOneFragmentTakesLessThan180Octets) {
    constexpr std::uint64_t kSets = 100'000;
    std::vector<EntryIndex> entries;
    entries.reserve(kSets);
    const std::size_t before = test::heap_bytes();
    for (std::uint64_t number = 1; number <= kSets; ++number) entries.push_back(gather(number));
    const std::size_t all = test::heap_bytes() - before;
    EXPECT_LT(all / kSets, 180U);
    EXPECT_EQ(fragments.sets().incomplete(), kSets);
    EXPECT_GE((inventory.memory_bytes() + fragments.sets().memory_bytes()) / kSets,
              all / kSets * 9 / 10)
        << "what is reported is what is taken";
    for (const EntryIndex entry : entries) remove(entry);
    EXPECT_EQ(fragments.sets().size(), 0U);
    EXPECT_EQ(inventory.count(), 0U);
    const std::size_t emptied = test::heap_bytes();
    for (std::uint64_t number = 1; number <= kSets; ++number) (void)gather(number);
    EXPECT_LT((test::heap_bytes() - std::min(emptied, test::heap_bytes())) / kSets, 10U)
        << "their memory is used again";
}

TEST_F(GatheredFragmentsTest, AFragmentLeavesItsSetAndTheSetGoesWithTheLast) {
    const EntryIndex first = gather(1);
    const EntryIndex second = gather(2);
    EXPECT_EQ(fragments.sets().size(), 2U);
    EXPECT_EQ(fragments.whole_of(first), kNoEntry);
    remove(first);
    EXPECT_EQ(fragments.sets().size(), 1U);
    remove(second);
    EXPECT_EQ(fragments.sets().size(), 0U);
    EXPECT_EQ(fragments.sets().usage_of(7).sets, 0U);
}

}  // namespace
}  // namespace farlink::storage::gathered_fragments_test
