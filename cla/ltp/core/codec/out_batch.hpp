// SPDX-License-Identifier: Apache-2.0
// Segments to be sent: heads lie in the batch's memory, data are views of blocks.
// Owned by the link, filled by Engine::poll_segments(); one thread. Suits sendmmsg and segmentation
// offload: all segments of a run but the last have the same size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

struct OutSegment {
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
    std::uint32_t size = 0;  ///< octets of all pieces
};

class OutBatch {
public:
    explicit OutBatch(std::size_t max_segments = 1024, std::size_t head_bytes = 256 * 1024)
        : heads_(std::make_unique_for_overwrite<std::uint8_t[]>(head_bytes)),
          head_bytes_(head_bytes),
          max_segments_(max_segments) {
        segments_.reserve(max_segments);
        pieces_.reserve(4 * max_segments);
    }

    void clear() {
        segments_.clear();
        pieces_.clear();
        used_ = bytes_ = rated_bytes_ = 0;
    }
    [[nodiscard]] std::span<const OutSegment> segments() const { return segments_; }
    [[nodiscard]] std::span<const ByteView> pieces_of(const OutSegment &segment) const {
        return {pieces_.data() + segment.first_piece, segment.piece_count};
    }
    [[nodiscard]] bool empty() const { return segments_.empty(); }
    /// Octets of all segments.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// Octets that count against a rate: of data segments the block's octets, as for every link;
    /// of other segments all.
    [[nodiscard]] std::uint64_t rated_bytes() const { return rated_bytes_; }

    // ---- for the writer of segments
    [[nodiscard]] bool has_room(std::size_t head) const {
        return segments_.size() < max_segments_ && used_ + head <= head_bytes_;
    }
    /// Free memory for heads; commit_head() takes from its front.
    [[nodiscard]] std::uint8_t *head() { return heads_.get() + used_; }
    void begin() { segments_.push_back({static_cast<std::uint32_t>(pieces_.size()), 0, 0}); }
    void commit_head(const std::uint8_t *end) {
        const auto size = static_cast<std::size_t>(end - head());
        FARLINK_INVARIANT(used_ + size <= head_bytes_);
        add({head(), size});
        used_ += size;
    }
    void add_data(ByteView piece) {
        add(piece);
        rated_bytes_ += piece.size();
    }
    /// The whole segment counts against a rate: it has no data.
    void rate_whole() { rated_bytes_ += segments_.back().size; }

private:
    void add(ByteView piece) {
        pieces_.push_back(piece);
        OutSegment &segment = segments_.back();
        ++segment.piece_count;
        segment.size += static_cast<std::uint32_t>(piece.size());
        bytes_ += piece.size();
    }

    std::unique_ptr<std::uint8_t[]> heads_;
    std::size_t head_bytes_;
    std::size_t max_segments_;
    std::size_t used_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t rated_bytes_ = 0;
    std::vector<OutSegment> segments_;
    std::vector<ByteView> pieces_;
};

}  // namespace farlink::cla::ltp
