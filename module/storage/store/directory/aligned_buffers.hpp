// SPDX-License-Identifier: Apache-2.0
// Memory that a disk reads and writes without the page cache: buffers of one size, aligned.
// Owned by the object whose operations use them; one thread.
// They lie in one stretch of memory, for which the system is asked to use large pages: a disk
// takes a stretch in one piece then, and not as hundreds of pages in two requests. A page's memory
// is taken when it is first used, and kept.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::storage {

/// Offsets, sizes and memory of direct reads and writes are multiples of this.
inline constexpr std::uint64_t kBlockBytes = 4096;

[[nodiscard]] constexpr std::uint64_t block_floor(std::uint64_t offset) {
    return offset & ~(kBlockBytes - 1);
}
[[nodiscard]] constexpr std::uint64_t block_ceiling(std::uint64_t offset) {
    return block_floor(offset + kBlockBytes - 1);
}

class AlignedBuffers {
public:
    /// `bytes` of each is a multiple of kBlockBytes.
    AlignedBuffers(std::size_t count, std::size_t bytes) : count_(count), bytes_(bytes) {
        for (std::size_t i = count; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
    }

    [[nodiscard]] bool empty() const { return free_.empty(); }
    [[nodiscard]] bool all_free() const { return free_.size() == count_; }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// The one that was used last, so that few are used while few are needed.
    [[nodiscard]] std::uint32_t acquire() {
        if (memory_ == nullptr) take_memory();
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    void release(std::uint32_t index) { free_.push_back(index); }
    [[nodiscard]] MutableBytes operator[](std::uint32_t index) {
        return {memory_[0].octets.data() + index * bytes_, bytes_};
    }

private:
    static constexpr std::size_t kLargePageBytes = 2 * 1024 * 1024;
    struct alignas(kLargePageBytes) LargePage {
        std::array<std::uint8_t, kLargePageBytes> octets;
    };

    void take_memory() {
        const std::size_t pages = (count_ * bytes_ + kLargePageBytes - 1) / kLargePageBytes;
        memory_ = std::make_unique_for_overwrite<LargePage[]>(pages);
        // Where it is refused, all goes by small pages.
        (void)::madvise(memory_.get(), pages * kLargePageBytes, MADV_HUGEPAGE);
    }

    std::size_t count_;
    std::size_t bytes_;  ///< of each buffer
    std::unique_ptr<LargePage[]> memory_;
    std::vector<std::uint32_t> free_;
};

}  // namespace farlink::storage
