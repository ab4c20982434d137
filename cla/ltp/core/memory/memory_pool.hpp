// SPDX-License-Identifier: Apache-2.0
// Memory for what an outgoing block needs beside its octets: its list of pieces, copied heads.
// Owned by the engine; one thread. Sizes are powers of two; freed memory is reused.
// A piece that is larger than a chunk is allocated alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace farlink::cla::ltp {

class MemoryPool {
public:
    static constexpr std::size_t kChunkBytes = 64 * 1024;
    static constexpr unsigned kSmallest = 6;  ///< 64 octets
    static constexpr unsigned kLargest = 16;

    [[nodiscard]] std::uint8_t *acquire(std::size_t bytes) {
        const unsigned kind = kind_of(bytes);
        used_ += std::size_t{1} << kind;
        if (kind > kLargest) return own_memory(std::size_t{1} << kind).release();
        std::vector<std::uint8_t *> &free = free_[kind];
        if (free.empty()) carve(kind);
        std::uint8_t *const memory = free.back();
        free.pop_back();
        return memory;
    }
    /// `bytes` as in acquire().
    void release(std::uint8_t *memory, std::size_t bytes) {
        const unsigned kind = kind_of(bytes);
        used_ -= std::size_t{1} << kind;
        if (kind > kLargest)
            Chunk(memory).reset();
        else
            free_[kind].push_back(memory);
    }
    [[nodiscard]] std::size_t used_bytes() const { return used_; }

private:
    using Chunk = std::unique_ptr<std::uint8_t[]>;

    static Chunk own_memory(std::size_t bytes) {
        return std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    }
    static unsigned kind_of(std::size_t bytes) {
        return std::max(kSmallest, static_cast<unsigned>(std::bit_width(bytes - (bytes > 0))));
    }
    void carve(unsigned kind) {
        chunks_.push_back(own_memory(kChunkBytes));
        const std::size_t size = std::size_t{1} << kind;
        made_[kind] += kChunkBytes / size;
        // release() must not allocate.
        if (made_[kind] > free_[kind].capacity()) free_[kind].reserve(2 * made_[kind]);
        for (std::size_t at = 0; at < kChunkBytes; at += size)
            free_[kind].push_back(chunks_.back().get() + at);
    }

    std::array<std::vector<std::uint8_t *>, kLargest + 1> free_;
    std::array<std::size_t, kLargest + 1> made_{};
    std::vector<Chunk> chunks_;
    std::size_t used_ = 0;
};

}  // namespace farlink::cla::ltp
