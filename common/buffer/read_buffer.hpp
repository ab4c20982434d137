// SPDX-License-Identifier: Apache-2.0
// The slab that all links of one loop read into in turn, so that idle links occupy none.
// Owned by the loop; one thread.
// A link gets space, reads, commits the octets, and pins the slab as long as it needs them.
//
// Many sessions in the middle of large bundles could use up the pool and wait for each other for
// ever. Therefore one session at a time may exceed the limit until its bundle is complete, and no
// other may before the pool is back within the limit: memory is bounded by the limit and one
// bundle. reception_shares.hpp has the shares of sessions with incomplete bundles; a session that
// calls begin_read() is limited to its share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/types.hpp"
#include "common/buffer/bundle_piece.hpp"
#include "common/buffer/reception_shares.hpp"
#include "common/buffer/slab.hpp"

namespace farlink {

class ReadBuffer {
public:
    explicit ReadBuffer(SlabPool &pool) : pool_(pool), shares_(pool.limit_bytes()) {}

    /// Free space of at least `least` bytes (at most the pool's slab size); empty if the pool's
    /// limit is reached: the caller stops reading and tries again later. `inside` is a session in
    /// the middle of a bundle.
    [[nodiscard]] MutableBytes space(std::uint32_t least, UpstreamId inside = kNoUpstream) {
        FARLINK_INVARIANT(least <= pool_.slab_bytes());
        const MutableBytes found = find_space(least, inside);
        if (!found.empty() || reader_ == nullptr) return found;
        reader_->excuse(now_);
        shares_.handle_shortage(*reader_, now_);
        return find_space(least, inside);  // what others gave up may be free already
    }
    /// The remaining space of the slab, which was returned last.
    [[nodiscard]] MutableBytes unused() const {
        return {slab_->data + used_, slab_->capacity - used_};
    }
    /// The session's bundle is complete, or abandoned.
    void finished(UpstreamId session) {
        if (finishing_ == session) finishing_ = kNoUpstream;
    }
    /// The slab of the last space().
    [[nodiscard]] const SlabRef &slab() const { return slab_; }
    void commit(std::size_t bytes) { used_ += static_cast<std::uint32_t>(bytes); }
    /// Releases the slab unless it is pinned: an idle loop occupies no memory.
    void rest() {
        if (slab_ && slab_->references == 1) slab_.reset();
    }
    [[nodiscard]] SlabPool &pool() { return pool_; }

    /// Until end_read(), space is for the session of `reader`.
    void begin_read(ReceptionShares::Hold *reader, TimePoint now) {
        reader_ = reader;
        now_ = now;
    }
    void end_read() { reader_ = nullptr; }
    [[nodiscard]] ReceptionShares &shares() { return shares_; }

    /// Bundles above this many octets are delivered in pieces.
    void set_spool_above(std::uint64_t bytes) { spool_above_ = bytes; }
    [[nodiscard]] std::uint64_t spool_above() const { return spool_above_; }

private:
    [[nodiscard]] bool beyond_limit() const { return pool_.counted_bytes() > pool_.limit_bytes(); }
    [[nodiscard]] bool finishing(UpstreamId session) const {
        return session != kNoUpstream && session == finishing_;
    }
    [[nodiscard]] bool may_finish(UpstreamId inside) {
        if (inside == kNoUpstream || (beyond_limit() && !finishing(inside))) return false;
        finishing_ = inside;
        return true;
    }

    [[nodiscard]] MutableBytes find_space(std::uint32_t least, UpstreamId inside) {
        if (reader_ != nullptr && !reader_->admitted(now_)) return {};
        if (beyond_limit()) rest();
        if (beyond_limit() && !finishing(inside)) return {};
        if (!slab_ || slab_->capacity - used_ < least) {
            slab_.reset();
            slab_ = pool_.acquire_to_read();
            if (!slab_ && may_finish(inside)) slab_ = pool_.acquire_beyond_limit();
            used_ = 0;
            if (!slab_) return {};
        }
        return unused();
    }

    SlabPool &pool_;
    ReceptionShares shares_;
    ReceptionShares::Hold *reader_ = nullptr;
    TimePoint now_{};
    SlabRef slab_;
    std::uint32_t used_ = 0;
    std::uint64_t spool_above_ = ~std::uint64_t{0};
    UpstreamId finishing_ = kNoUpstream;  ///< the session that may go beyond the limit
};

}  // namespace farlink
