// SPDX-License-Identifier: Apache-2.0
// The red part, the green part and the end of an incoming block, as far as its segments show them
// (RFC 5326 section 6.21).
// Owned by a receiver session; one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cla/ltp/core/codec/segment.hpp"
#include "cla/ltp/core/codec/types.hpp"

namespace farlink::cla::ltp {

enum class DataVerdict : std::uint8_t {
    kTaken,
    kDuplicate,
    kMiscoloured,    ///< RFC 5326 section 6.21
    kContradictory,  ///< contradicts the known end of red part or block
    kTooLarge,
    kTooManyGaps,
    kNoMemory,
    kPostponed,  ///< of a large block: dropped without memory, as if it were lost
};

class BlockParts {
public:
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    /// kTaken: the segment agrees with those before it, and ends within `most` octets.
    [[nodiscard]] DataVerdict judge(const Segment &segment, std::uint64_t most) const;
    /// A segment that judge() has taken.
    void add(const Segment &segment) {
        const std::uint64_t end = segment.data.end();
        if (is_red(segment.type))
            add_red(end);
        else
            green_begin_ = std::min(green_begin_, segment.data.offset);
        if (ends_red(segment.type)) red_known_ = end;
        if (ends_block(segment.type)) size_ = end;
    }
    /// Red octets up to `end`, of a segment that ends nothing.
    void add_red(std::uint64_t end) { red_end_ = std::max(red_end_, end); }
    /// The block is delivered up to its end; otherwise its red part alone.
    void deliver_whole() { whole_ = true; }

    [[nodiscard]] bool has_red() const { return red_end_ != 0; }
    [[nodiscard]] bool red_size_known() const { return red_known_ != kUnknown; }
    /// Octets of the red part; of the received ones until its end is known.
    [[nodiscard]] std::uint64_t red_size() const {
        return red_known_ == kUnknown ? red_end_ : red_known_;
    }
    /// Octets of the whole block; kUnknown until its end is known.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The red part is the whole block.
    [[nodiscard]] bool all_red() const { return red_known_ == size_; }
    [[nodiscard]] bool whole() const { return whole_; }
    /// Octets of the block as it is delivered.
    [[nodiscard]] std::uint64_t delivered_size() const { return whole_ ? size_ : red_size(); }

private:
    std::uint64_t red_known_ = kUnknown;  ///< size of the red part, from its end
    std::uint64_t size_ = kUnknown;       ///< of the block, from its end
    std::uint64_t red_end_ = 0;           ///< the end of received red data
    std::uint64_t green_begin_ = kUnknown;
    bool whole_ = false;
};

}  // namespace farlink::cla::ltp
