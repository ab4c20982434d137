// SPDX-License-Identifier: Apache-2.0
// Makes the bundle of an ADU around its payload: a head in front, in BPv7 a tail behind.
// Owned by a session, one at a time; one thread.
// The payload stays where it was read, unless it is small and all there. What is too large for
// memory leaves in pieces.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/bp/v7/block.hpp"
#include "common/buffer/bundle_assembly.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/slab.hpp"
#include "module/applications/core/sending/adu_head.hpp"

namespace farlink::applications {

/// Memory for heads, tails and small bundles, in slabs that many of them share.
/// Owned by ApplicationsCore.
class HeadMemory {
public:
    explicit HeadMemory(SlabPool &pool) : pool_(pool) {}

    struct Piece {
        SlabRef slab;
        MutableBytes octets;
    };
    /// Empty when the pool has no memory left.
    [[nodiscard]] Piece take(std::size_t size);
    /// Of the pool, bytes.
    [[nodiscard]] std::uint64_t limit() const { return pool_.limit_bytes(); }
    /// Releases the slab unless bundles lie in it.
    void rest() {
        if (slab_ && slab_->references == 1) slab_.reset();
    }

private:
    SlabPool &pool_;
    SlabRef slab_;
    std::size_t used_ = 0;
};

class AduBundle {
public:
    /// Begins a bundle; the octets that `fields` borrows are not needed afterwards.
    void begin(const AduFields &fields);
    /// The payload goes on with `octets`, which lie in `slab`; at most left() of them. Of a bundle
    /// of more than `above` octets, pieces move to `out`. False: there is no memory, and the bundle
    /// is to be abandoned.
    [[nodiscard]] bool add(const SlabRef &slab, ByteView octets, HeadMemory &memory,
                           std::uint64_t above, ReceivedBundles &out);
    /// Octets of the payload that are missing.
    [[nodiscard]] std::uint64_t left() const { return left_; }
    [[nodiscard]] bool under_way() const { return under_way_; }
    /// Behind the last octet of the payload: the bundle moves to `out`. False as in add().
    [[nodiscard]] bool finish(ReceivedBundles &out, HeadMemory &memory);
    /// The rest will not come: see BundleAssembly::break_off().
    void abandon(ReceivedBundles &out);
    /// Likewise, at the end of the session.
    void abandon();
    /// The beginning of the bundle has left as a piece.
    [[nodiscard]] bool in_pieces() const { return pieces_.in_pieces(); }

    /// See BundleAssembly.
    [[nodiscard]] bool compact(SlabPool &pool) { return pieces_.compact(pool); }
    [[nodiscard]] std::uint64_t held_bytes() const { return pieces_.size(); }

private:
    [[nodiscard]] bool add_copy(ByteView octets, HeadMemory &memory);
    [[nodiscard]] std::size_t write_tail(std::uint8_t *to);

    Bytes head_;
    BundleAssembly pieces_;
    bp::v7::CrcType crc_type_ = bp::v7::CrcType::kNone;
    bp::v7::BlockCrc crc_{bp::v7::CrcType::kNone};
    std::uint64_t left_ = 0;
    bool under_way_ = false;
    bool has_break_ = true;  ///< the bundle ends with one: BPv7
    bool whole_ = false;     ///< never in pieces
    bool closed_ = false;    ///< the tail is there
};

}  // namespace farlink::applications
