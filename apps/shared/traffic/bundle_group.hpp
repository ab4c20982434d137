// SPDX-License-Identifier: Apache-2.0
// Renders groups of bundles for a link: short ones in an arena that the next group overwrites, long
// ones with references to memory that lives until the bundles are acknowledged.
// Owned by the generator; one thread. The template and the pattern outlive the group.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::traffic {

/// Memory of one group: the trailers, and views of the pattern.
struct GroupMemory {
    using Trailer = std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes>;
    std::vector<Trailer> trailers;
    std::vector<ByteView> pieces;
    std::vector<Bytes> bundles;
};
using GroupMemoryPtr = std::unique_ptr<GroupMemory>;

class BundleGroup {
public:
    /// Limit of a group of several bundles, so that it is in the first-level cache when the link
    /// copies it.
    static constexpr std::size_t kFullBytes = 256 * 1024;
    static constexpr std::size_t kFullBundles = 64;

    BundleGroup(BundleTemplate &bundles, const Pattern &pattern);

    /// The number of bundles in a group of at most `bytes`; at least one.
    [[nodiscard]] std::uint64_t bundles_within(std::uint64_t bytes) const;
    /// Appends the bundle for `header`; a group has room for bundles_within().
    void add(const PayloadHeader &header, std::uint64_t token);
    /// Appends a bundle that was made elsewhere.
    void add_whole(Bytes &&bundle, std::uint64_t token);
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// The largest size of a bundle of the run; sizes differ by a few octets.
    [[nodiscard]] std::uint64_t max_bundle_bytes() const { return max_bundle_bytes_; }

    /// Their heads are valid until clear(), the rest as long as the memory that release() gives.
    [[nodiscard]] std::span<const TxBundle> bundles() const { return group_; }
    /// Null when the group refers to nothing.
    [[nodiscard]] GroupMemoryPtr release() { return std::move(memory_); }
    /// Returns memory that is no longer in use.
    void recycle(GroupMemoryPtr memory);
    void clear();

private:
    /// From this size on, referring is cheaper than copying.
    static constexpr std::uint64_t kReferBytes = 4096;

    [[nodiscard]] std::uint64_t largest() const;
    [[nodiscard]] GroupMemory &memory();
    void refer(TxBundle &bundle);

    BundleTemplate &bundles_;
    const Pattern &pattern_;
    const std::uint64_t tail_bytes_;
    const bool refer_;
    const std::uint64_t max_bundle_bytes_;
    const std::size_t max_bundles_;        ///< of a group
    const std::size_t pieces_per_bundle_;  ///< of the pattern, and the trailer
    std::vector<std::uint8_t> arena_;
    std::size_t used_ = 0;  ///< of the arena
    std::vector<TxBundle> group_;
    std::uint64_t bytes_ = 0;
    GroupMemoryPtr memory_;
    std::vector<GroupMemoryPtr> spare_;
};

}  // namespace farlink::traffic
