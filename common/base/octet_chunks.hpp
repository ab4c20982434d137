// SPDX-License-Identifier: Apache-2.0
// Octets that become ever more, in chunks that never move: nothing is copied, and no room is kept
// for twice as many.
// A value with its memory; one thread.
#pragma once

#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"

namespace farlink {

class OctetChunks {
public:
    static constexpr std::size_t kChunkBytes = 128 * 1024;

    /// Puts them, at most kChunkBytes, behind the others; returns their place.
    std::uint64_t append(ByteView octets) {
        FARLINK_INVARIANT(octets.size() <= kChunkBytes);
        if (used_ == 0 || chunks_[used_ - 1].size() + octets.size() > kChunkBytes) begin_chunk();
        Bytes &chunk = chunks_[used_ - 1];
        const std::uint64_t place = (used_ - 1) * kChunkBytes + chunk.size();
        farlink::append(chunk, octets);
        size_ += octets.size();
        return place;
    }
    /// What was appended there, with what follows it in its chunk.
    [[nodiscard]] ByteView from(std::uint64_t place) const {
        return ByteView(chunks_[place / kChunkBytes]).subspan(place % kChunkBytes);
    }
    /// All octets, in the order of their arrival.
    void append_to(Bytes &out) const {
        for (std::size_t at = 0; at < used_; ++at) farlink::append(out, chunks_[at]);
    }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Keeps the memory.
    void clear() {
        for (std::size_t at = 0; at < used_; ++at) chunks_[at].clear();
        used_ = 0;
        size_ = 0;
    }

private:
    void begin_chunk() {
        if (used_ == chunks_.size()) chunks_.emplace_back().reserve(kChunkBytes);
        ++used_;
    }

    std::vector<Bytes> chunks_;  ///< those that are not used are empty
    std::size_t used_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace farlink
