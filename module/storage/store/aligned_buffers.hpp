// SPDX-License-Identifier: Apache-2.0
// Memory that a disk reads and writes without the page cache: buffers of one size, aligned.
// Owned by whoever has operations going on in them; one thread.
// A buffer's memory is taken when it is first used and kept.
#pragma once

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
    AlignedBuffers(std::size_t count, std::size_t bytes)
        : blocks_(bytes / kBlockBytes), memory_(count) {
        for (std::size_t i = count; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
    }

    [[nodiscard]] bool empty() const { return free_.empty(); }
    [[nodiscard]] bool all_free() const { return free_.size() == memory_.size(); }
    [[nodiscard]] std::size_t count() const { return memory_.size(); }
    [[nodiscard]] std::size_t bytes() const { return blocks_ * kBlockBytes; }
    [[nodiscard]] std::uint32_t acquire() {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        if (memory_[index] == nullptr)
            memory_[index] = std::make_unique_for_overwrite<Block[]>(blocks_);
        return index;
    }
    void release(std::uint32_t index) { free_.push_back(index); }
    [[nodiscard]] MutableBytes operator[](std::uint32_t index) {
        return {memory_[index][0].octets.data(), bytes()};
    }

private:
    struct alignas(kBlockBytes) Block {
        std::array<std::uint8_t, kBlockBytes> octets;
    };
    std::size_t blocks_;  ///< of each buffer
    std::vector<std::unique_ptr<Block[]>> memory_;
    std::vector<std::uint32_t> free_;
};

}  // namespace farlink::storage
