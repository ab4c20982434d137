// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/received_bundles.hpp"

#include <gtest/gtest.h>

namespace farlink::received_bundles_test {
namespace {

TEST(ReceivedBundles, HoldsOneReferenceForTheBundlesOfASlab) {
    SlabPool pool(4096, 2 * 4096);
    ReceivedBundles received;
    {
        const SlabRef one = pool.acquire();
        const SlabRef two = pool.acquire();
        received.add(one, {one->data, 10});
        received.add(one, {one->data + 10, 20});
        received.add(two, {two->data, 30});
        EXPECT_EQ(one->references, 2U);
    }
    ASSERT_EQ(received.bundles.size(), 3U);
    EXPECT_EQ(received.slabs.size(), 2U);
    const std::uint64_t sizes[] = {10, 20, 30};
    for (std::size_t i = 0; i < 3; ++i) {
        const ReceivedBundle &bundle = received.bundles[i];
        EXPECT_EQ(bundle.size, sizes[i]);
        ASSERT_EQ(received.slices_of(bundle).size(), 1U);
        EXPECT_EQ(received.slices_of(bundle)[0].size(), sizes[i]);
        ASSERT_EQ(received.slabs_of(bundle).size(), 1U);
        const SlabRef &slab = received.slabs_of(bundle)[0];
        const std::uint8_t *const octets = received.slices_of(bundle)[0].data();
        EXPECT_TRUE(octets >= slab->data && octets < slab->data + slab->capacity);
    }
    EXPECT_FALSE(received.empty());
    received.clear();
    EXPECT_TRUE(received.empty());
    EXPECT_EQ(pool.pinned_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::received_bundles_test
