// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/block_parts.hpp"

namespace farlink::cla::ltp {

DataVerdict BlockParts::judge(const Segment &segment, std::uint64_t most) const {
    const DataFields &data = segment.data;
    const std::uint64_t end = data.end();
    // RFC 5326 section 6.21: all red data lie before all green data.
    if (is_red(segment.type) ? end > green_begin_ : data.offset < red_size())
        return DataVerdict::kMiscoloured;
    if (end > most) return DataVerdict::kTooLarge;
    if (end > size_) return DataVerdict::kContradictory;
    if (is_red(segment.type) && end > red_known_) return DataVerdict::kContradictory;
    if (ends_red(segment.type) && (end < red_end_ || (red_size_known() && end != red_known_)))
        return DataVerdict::kContradictory;
    if (ends_block(segment.type)) {
        const bool more = is_red(segment.type) && green_begin_ != kUnknown;
        if (more || (size_ != kUnknown && end != size_)) return DataVerdict::kContradictory;
    }
    return DataVerdict::kTaken;
}

}  // namespace farlink::cla::ltp
