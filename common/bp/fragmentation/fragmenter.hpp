// SPDX-License-Identifier: Apache-2.0
// Cuts one bundle of either version into fragments, in order, without a copy of its payload
// (RFC 9171 section 5.8, RFC 5050 section 5.8). A fragment is cut like any bundle.
// A value of the function that cuts; it borrows the bundle and allocates nothing.
// One thread. fragment() is the reference that it is tested against.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/bp/base/bundle_view.hpp"
#include "common/bp/fragmentation/fragment_place.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp {

/// A fragment is `head`, octets [from, end) of the bundle that is cut, and `tail`.
struct Fragment {
    ByteView head;           ///< up to the payload's data
    ByteView tail;           ///< behind it
    std::uint64_t from = 0;  ///< of its part of the payload, bytes
    std::uint64_t end = 0;
    std::uint64_t size = 0;  ///< bytes of all three
};

class Fragmenter {
public:
    /// A bundle is not cut into fragments with less payload than this, except the last one: a peer
    /// that announces a tiny limit must not make ever more fragments.
    static constexpr std::uint64_t kLeastPayload = 64;

    /// `view` and `slices` are of a bundle that may_be_fragmented(); `head` is what it leaves with
    /// up to the payload block, with the primary block of the bundle. `cut` bytes of the payload
    /// are in earlier fragments.
    Fragmenter(const BundleView &view, ByteView head, std::span<const ByteView> slices,
               std::uint64_t cut = 0);

    /// What next() needs, in bytes.
    [[nodiscard]] std::size_t head_bound() const;
    [[nodiscard]] std::size_t tail_bound() const;
    /// The next fragment, of at most `max_bytes`, which is less than the bundle has. Its head is
    /// written to `head`, its tail to `tail`. Empty when all is cut, or when the limit is too low
    /// for this bundle.
    [[nodiscard]] std::optional<Fragment> next(std::uint64_t max_bytes, MutableBytes head,
                                               MutableBytes tail);
    /// Bytes of the payload that are in fragments.
    [[nodiscard]] std::uint64_t cut() const { return cut_; }
    [[nodiscard]] bool done() const { return cut_ == view_.payload_length; }

private:
    [[nodiscard]] ByteView trailing() const;
    [[nodiscard]] std::optional<Fragment> next_v6(std::uint64_t max_bytes, MutableBytes head,
                                                  MutableBytes tail);
    [[nodiscard]] std::optional<Fragment> next_v7(std::uint64_t max_bytes, MutableBytes head,
                                                  MutableBytes tail);
    [[nodiscard]] Fragment take(std::uint64_t payload_bytes, ByteView head, ByteView tail);
    [[nodiscard]] FragmentPlace place() const;

    const BundleView &view_;
    ByteView head_;
    ByteView payload_head_;  ///< of the bundle
    std::span<const ByteView> slices_;
    std::uint64_t cut_;
    bool first_;
    v7::BlockHead payload_v7_;
};

}  // namespace farlink::bp
