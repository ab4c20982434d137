// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/bundle_assembly.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace farlink::bundle_assembly_test {
namespace {

constexpr std::uint32_t kSlab = 4096;

class BundleAssemblyTest : public testing::Test {
protected:
    /// A slab with the octets `first`, `first` + 1 and so on.
    SlabRef filled(std::uint8_t first) {
        SlabRef slab = pool_.acquire();
        for (std::uint32_t at = 0; at < kSlab; ++at)
            slab->data[at] = static_cast<std::uint8_t>(first + at);
        return slab;
    }
    std::vector<std::size_t> emitted() {
        ReceivedBundles out;
        assembly_.emit(out);
        EXPECT_EQ(out.bundles.size(), 1U);
        std::vector<std::size_t> sizes;
        for (const ByteView &slice : out.slices_of(out.bundles[0])) {
            sizes.push_back(slice.size());
            octets_.insert(octets_.end(), slice.begin(), slice.end());
        }
        EXPECT_EQ(out.bundles[0].size, octets_.size());
        return sizes;
    }

    SlabPool pool_{kSlab, 8 * kSlab};
    BundleAssembly assembly_;
    Bytes octets_;
};

using Sizes = std::vector<std::size_t>;

TEST_F(BundleAssemblyTest, AdjacentOctetsAreOnePiece) {
    const SlabRef one = filled(0);
    const SlabRef two = filled(100);
    assembly_.add(one, {one->data, 10});
    assembly_.add(one, {one->data + 10, 20});
    assembly_.add(one, {});
    assembly_.add(two, {two->data, 5});
    EXPECT_EQ(assembly_.size(), 35U);
    EXPECT_EQ(emitted(), (Sizes{30, 5}));
    EXPECT_EQ(octets_[29], 29);
    EXPECT_EQ(octets_[30], 100);
    EXPECT_TRUE(assembly_.empty());
    EXPECT_EQ(assembly_.size(), 0U);
}

TEST_F(BundleAssemblyTest, CompactCopiesSmallPiecesAndFreesTheirSlabs) {
    SlabRef one = filled(0);
    SlabRef two = filled(100);
    assembly_.add(one, {one->data, 10});
    assembly_.add(two, {two->data, 20});
    EXPECT_TRUE(assembly_.compact(pool_));
    EXPECT_EQ(one->references, 1U);
    EXPECT_EQ(two->references, 1U);
    EXPECT_EQ(emitted(), Sizes{30});
    EXPECT_EQ(octets_[9], 9);
    EXPECT_EQ(octets_[10], 100);
}

TEST_F(BundleAssemblyTest, CompactKeepsALargePieceInItsSlab) {
    const SlabRef one = filled(0);
    assembly_.add(one, {one->data, kSlab / 2 + 1});
    EXPECT_TRUE(assembly_.compact(pool_));
    EXPECT_EQ(one->references, 2U);
    EXPECT_EQ(emitted(), Sizes{kSlab / 2 + 1});
}

TEST_F(BundleAssemblyTest, ManySmallPiecesStayFew) {
    const SlabRef slab = filled(0);
    std::uint32_t at = 0;
    for (; at < 64; ++at) {
        assembly_.add(slab, {slab->data + at, 1});
        EXPECT_TRUE(assembly_.compact(pool_));
    }
    EXPECT_LE(emitted().size(), 7U);
    EXPECT_EQ(octets_.size(), 64U);
    EXPECT_TRUE(std::ranges::is_sorted(octets_));
}

TEST_F(BundleAssemblyTest, CompactFailsWithoutMemory) {
    const SlabRef slab = filled(0);
    std::vector<SlabRef> others;
    while (SlabRef other = pool_.acquire()) others.push_back(std::move(other));
    assembly_.add(slab, {slab->data, 10});
    EXPECT_FALSE(assembly_.compact(pool_));
    EXPECT_EQ(assembly_.size(), 10U);
    others.clear();
    EXPECT_TRUE(assembly_.compact(pool_));
}

TEST_F(BundleAssemblyTest, ClearFreesTheMemory) {
    const SlabRef slab = filled(0);
    assembly_.add(slab, {slab->data, 10});
    assembly_.clear();
    EXPECT_EQ(slab->references, 1U);
    EXPECT_TRUE(assembly_.empty());
}

/// The sizes of what has left, and which of them continue or are continued.
struct Left {
    std::uint64_t size = 0;
    bool more = false;
    bool is_further = false;
    bool operator==(const Left &) const = default;
};

std::vector<Left> left_of(const ReceivedBundles &out) {
    std::vector<Left> all;
    for (const ReceivedBundle &bundle : out.bundles)
        all.push_back({bundle.size, bundle.more, bundle.is_further});
    return all;
}

TEST_F(BundleAssemblyTest, BeyondTheLimitABundleLeavesInPieces) {
    const SlabRef slab = filled(0);
    ReceivedBundles out;
    std::size_t at = 0;
    const auto add = [&](std::size_t size) {
        assembly_.add(slab, {slab->data + at, size}, 100, out);
        at += size;
    };
    add(60);
    add(40);
    EXPECT_TRUE(out.empty());
    EXPECT_FALSE(assembly_.in_pieces());
    add(1);
    EXPECT_EQ(left_of(out), (std::vector<Left>{{100, true, false}}));
    EXPECT_TRUE(assembly_.in_pieces());
    EXPECT_EQ(assembly_.size(), 1U);
    add(100);
    add(7);
    assembly_.emit(out);
    EXPECT_EQ(left_of(out),
              (std::vector<Left>{
                  {100, true, false}, {1, true, true}, {100, true, true}, {7, false, true}}));
    EXPECT_FALSE(assembly_.in_pieces());
    for (const ReceivedBundle &bundle : out.bundles)
        for (const ByteView slice : out.slices_of(bundle)) append(octets_, slice);
    EXPECT_TRUE(std::ranges::equal(octets_, ByteView(slab->data, at)));
}

TEST_F(BundleAssemblyTest, AfterAPieceThatIsDroppedTheNextBundleBegins) {
    const SlabRef slab = filled(0);
    ReceivedBundles out;
    assembly_.add(slab, {slab->data, 10}, 10, out);
    assembly_.add(slab, {slab->data + 10, 10}, 10, out);
    assembly_.clear();
    EXPECT_FALSE(assembly_.in_pieces());
    assembly_.add(slab, {slab->data, 5}, 10, out);
    assembly_.emit(out);
    EXPECT_EQ(left_of(out), (std::vector<Left>{{10, true, false}, {5, false, false}}));
}

}  // namespace
}  // namespace farlink::bundle_assembly_test
