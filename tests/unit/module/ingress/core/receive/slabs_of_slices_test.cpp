// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/slabs_of_slices.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::slabs_of_slices_test {
namespace {

TEST(SlabsUnder, EachSliceIsFoundInItsSlab) {
    constexpr std::uint32_t kSlab = 4096;
    SlabPool pool(kSlab, 4 * kSlab);
    const std::vector<SlabRef> slabs{pool.acquire(), pool.acquire(), pool.acquire()};
    const auto slice = [&](std::size_t slab, std::size_t from, std::size_t size) {
        return ByteView(slabs[slab]->data + from, size);
    };
    std::vector<SlabRef> found{slabs[1]};
    // The first and the last octet of a slab are in it.
    const std::vector<ByteView> slices{slice(2, 0, 10), slice(0, kSlab - 1, 1), slice(2, 10, 20)};
    slabs_of_slices(slabs, slices, found);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0], slabs[2]);
    EXPECT_EQ(found[1], slabs[0]);
    EXPECT_EQ(found[2], slabs[2]);
    slabs_of_slices(slabs, {}, found);
    EXPECT_TRUE(found.empty()) << "what was there is replaced";
}

}  // namespace
}  // namespace farlink::ingress::slabs_of_slices_test
