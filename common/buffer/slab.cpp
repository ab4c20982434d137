// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/slab.hpp"

#include <new>

namespace farlink {
namespace {

constexpr std::size_t kSlabAlignment = 4096;

/// A smaller slab would take two pages for itself if it began at one.
bool is_aligned(std::uint32_t bytes) {
    return bytes >= kSlabAlignment;
}

void *allocate(std::uint32_t bytes) {
    return is_aligned(bytes) ? ::operator new(bytes, std::align_val_t{kSlabAlignment}, std::nothrow)
                             : ::operator new(bytes, std::nothrow);
}

// Null: the system has no memory left, which is a limit like the pool's own.
Slab *make_slab(SlabOwner *owner, std::uint32_t bytes, bool pooled) {
    auto slab = std::make_unique<Slab>();
    slab->data = static_cast<std::uint8_t *>(allocate(bytes));
    if (slab->data == nullptr) return nullptr;
    slab->capacity = bytes;
    slab->pooled = pooled;
    slab->owner = owner;
    return slab.release();
}

void destroy_slab(Slab *slab) {
    const std::unique_ptr<Slab> owner(slab);
    if (is_aligned(slab->capacity))
        ::operator delete(slab->data, std::align_val_t{kSlabAlignment});
    else
        ::operator delete(slab->data);
}

}  // namespace

SlabPool::SlabPool(std::uint32_t slab_bytes, std::uint64_t limit_bytes)
    : slab_bytes_(slab_bytes), most_bytes_(limit_bytes), limit_bytes_(limit_bytes) {}

SlabPool::~SlabPool() {
    FARLINK_INVARIANT(pinned_bytes_ == 0);
    for (Slab *slab : free_) destroy_slab(slab);
}

SlabRef SlabPool::acquire() {
    if (pinned_bytes_ + slab_bytes_ > limit_bytes_) {
        ++refusals_;
        return {};
    }
    return acquire_beyond_limit();
}

SlabRef SlabPool::acquire_to_read() {
    if (counted_bytes() + slab_bytes_ > limit_bytes_) {
        ++refusals_;
        return {};
    }
    return acquire_beyond_limit();
}

SlabRef SlabPool::acquire_beyond_limit() {
    Slab *slab = nullptr;
    if (free_.empty()) {
        slab = make_slab(this, slab_bytes_, true);
        if (slab == nullptr) {
            ++refusals_;
            return {};
        }
        // A slab that comes back must not need memory for being remembered.
        if (++made_ > free_.capacity()) free_.reserve(2 * made_);
    } else {
        slab = free_.back();
        free_.pop_back();
    }
    pinned_bytes_ += slab->capacity;
    return SlabRef(slab);
}

SlabRef SlabPool::acquire_sized(std::uint32_t bytes) {
    if (pinned_bytes_ + bytes > limit_bytes_) {
        ++refusals_;
        return {};
    }
    return acquire_sized_beyond_limit(bytes);
}

SlabRef SlabPool::acquire_sized_beyond_limit(std::uint32_t bytes) {
    Slab *slab = make_slab(this, bytes, false);
    if (slab == nullptr) {
        ++refusals_;
        return {};
    }
    pinned_bytes_ += bytes;
    return SlabRef(slab);
}

void SlabPool::release(Slab *slab) {
    FARLINK_INVARIANT(pinned_bytes_ >= slab->capacity);
    pinned_bytes_ -= slab->capacity;
    if (slab->pooled)
        free_.push_back(slab);
    else
        destroy_slab(slab);
    if (waiting_.empty()) return;
    for (const auto &wake : std::exchange(waiting_, {})) wake();
}

}  // namespace farlink
