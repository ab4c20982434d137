// SPDX-License-Identifier: Apache-2.0
// The slab that all links of one loop read into, one after the other, so that idle links hold none.
// Owned by the loop; one thread.
// A link asks for space, reads, commits what came, and pins the slab as long as it needs the bytes.
#pragma once

#include <cstdint>

#include "common/buffer/slab.hpp"

namespace farlink {

class ReadBuffer {
public:
    explicit ReadBuffer(SlabPool &pool) : pool_(pool) {}

    /// Free space of at least `least` bytes (at most the pool's slab size); empty when the pool's
    /// limit is reached: the caller stops reading and tries again later.
    [[nodiscard]] MutableBytes space(std::uint32_t least) {
        FARLINK_INVARIANT(least <= pool_.slab_bytes());
        if (!slab_ || slab_->capacity - used_ < least) {
            slab_ = pool_.acquire();
            used_ = 0;
            if (!slab_) return {};
        }
        return {slab_->data + used_, slab_->capacity - used_};
    }
    /// The slab in which the last space() lies.
    [[nodiscard]] const SlabRef &slab() const { return slab_; }
    void commit(std::size_t bytes) { used_ += static_cast<std::uint32_t>(bytes); }
    /// Lets go of the slab when nobody else pins it: an idle loop holds no memory.
    void rest() {
        if (slab_ && slab_->references == 1) slab_.reset();
    }
    [[nodiscard]] SlabPool &pool() { return pool_; }

private:
    SlabPool &pool_;
    SlabRef slab_;
    std::uint32_t used_ = 0;
};

}  // namespace farlink
