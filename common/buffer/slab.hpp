// SPDX-License-Identifier: Apache-2.0
// Slabs: the blocks of memory that links read into and that bundles are slices of.
// A SlabPool is owned by one loop (one thread); slabs and SlabRefs may travel inside a batch to
// another thread, which only reads bytes; references are taken and dropped on the owner's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"

namespace farlink {

struct Slab;

/// The owner of slabs, to which a slab returns with its last reference.
class SlabOwner {
public:
    virtual ~SlabOwner() = default;
    virtual void release(Slab *slab) = 0;
};

struct Slab {
    std::uint8_t *data = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t references = 0;
    bool pooled = false;
    SlabOwner *owner = nullptr;
};

/// A counted reference; the slab goes back to its owner with the last one.
class SlabRef {
public:
    SlabRef() = default;
    explicit SlabRef(Slab *slab) : slab_(slab) { ++slab_->references; }
    SlabRef(const SlabRef &other) : slab_(other.slab_) {
        if (slab_ != nullptr) ++slab_->references;
    }
    SlabRef(SlabRef &&other) noexcept : slab_(std::exchange(other.slab_, nullptr)) {}
    SlabRef &operator=(SlabRef other) noexcept {
        std::swap(slab_, other.slab_);
        return *this;
    }
    ~SlabRef() { reset(); }

    inline void reset();
    [[nodiscard]] Slab *get() const { return slab_; }
    Slab *operator->() const { return slab_; }
    explicit operator bool() const { return slab_ != nullptr; }
    friend bool operator==(const SlabRef &, const SlabRef &) = default;

private:
    Slab *slab_ = nullptr;
};

/// Hands out slabs, warmest first. `slab_bytes` is the size of a pooled slab; `limit_bytes`
/// bounds all memory that the pool has handed out (pooled and sized slabs together).
class SlabPool final : public SlabOwner {
public:
    SlabPool(std::uint32_t slab_bytes, std::uint64_t limit_bytes);
    ~SlabPool() override;
    SlabPool(const SlabPool &) = delete;
    SlabPool &operator=(const SlabPool &) = delete;

    /// A slab of slab_bytes(), or an empty reference when the limit is reached (counted).
    [[nodiscard]] SlabRef acquire();
    /// The same for a link that reads: the limit holds for counted_bytes().
    [[nodiscard]] SlabRef acquire_to_read();
    /// A slab of slab_bytes() beyond the limit; ReadBuffer decides which session may have it.
    [[nodiscard]] SlabRef acquire_beyond_limit();
    /// A slab of exactly `bytes`, freed (not pooled) after use; for copies that outlive a slab.
    [[nodiscard]] SlabRef acquire_sized(std::uint32_t bytes);
    /// The same beyond the limit; for copies that free a slab.
    [[nodiscard]] SlabRef acquire_sized_beyond_limit(std::uint32_t bytes);
    /// Calls `wake` once, when the next slab comes back. It runs inside of the release, so it may
    /// only post work.
    void notify_when_freed(std::function<void()> wake) { waiting_.push_back(std::move(wake)); }

    /// Octets that count beside the slabs for a link that reads: `beside` is called for each slab.
    /// Empty: none.
    void set_beside(std::function<std::uint64_t()> beside) { beside_ = std::move(beside); }
    /// A lower limit than the one at the beginning, or that one again. What is handed out stays.
    void set_limit(std::uint64_t bytes) { limit_bytes_ = std::min(bytes, most_bytes_); }

    [[nodiscard]] std::uint32_t slab_bytes() const { return slab_bytes_; }
    [[nodiscard]] std::uint64_t limit_bytes() const { return limit_bytes_; }
    /// Bytes of slabs with references.
    [[nodiscard]] std::uint64_t pinned_bytes() const { return pinned_bytes_; }
    /// With what counts beside them.
    [[nodiscard]] std::uint64_t counted_bytes() const {
        return pinned_bytes_ + (beside_ ? beside_() : 0);
    }
    [[nodiscard]] std::uint64_t refusals() const { return refusals_; }

private:
    void release(Slab *slab) override;

    std::uint32_t slab_bytes_;
    const std::uint64_t most_bytes_;
    std::uint64_t limit_bytes_;
    std::uint64_t pinned_bytes_ = 0;
    std::uint64_t refusals_ = 0;
    std::size_t made_ = 0;  ///< pooled slabs, free and used
    std::vector<Slab *> free_;
    std::vector<std::function<void()>> waiting_;
    std::function<std::uint64_t()> beside_;
};

inline void SlabRef::reset() {
    if (Slab *slab = std::exchange(slab_, nullptr); slab != nullptr && --slab->references == 0)
        slab->owner->release(slab);
}

}  // namespace farlink
