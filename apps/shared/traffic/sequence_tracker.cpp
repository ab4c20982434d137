// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sequence_tracker.hpp"

#include <algorithm>

namespace farlink::traffic {

SequenceTracker::Verdict SequenceTracker::record(std::uint64_t sequence) {
    if (sequence >= kLimit) return Verdict::kBeyondLimit;
    const std::uint64_t index = sequence / kChunkBundles;
    if (index >= chunks_.size()) chunks_.resize(index + 1);
    Chunk &chunk = chunks_[index];
    if (chunk.received == kChunkBundles) {
        ++duplicates_;
        return Verdict::kDuplicate;
    }
    if (!chunk.bits) chunk.bits = std::make_unique<Bits>();
    std::uint64_t &word = (*chunk.bits)[sequence % kChunkBundles / 64];
    const std::uint64_t bit = std::uint64_t{1} << sequence % 64;
    if ((word & bit) != 0) {
        ++duplicates_;
        return Verdict::kDuplicate;
    }
    word |= bit;
    if (++chunk.received == kChunkBundles) chunk.bits.reset();
    ++received_;
    if (sequence + 1 < end_) ++out_of_order_;
    end_ = std::max(end_, sequence + 1);
    return Verdict::kNew;
}

bool SequenceTracker::contains(std::uint64_t sequence) const {
    const std::uint64_t index = sequence / kChunkBundles;
    if (index >= chunks_.size()) return false;
    const Chunk &chunk = chunks_[index];
    if (!chunk.bits) return chunk.received == kChunkBundles;
    return ((*chunk.bits)[sequence % kChunkBundles / 64] >> sequence % 64 & 1) != 0;
}

void SequenceTracker::note_total(std::uint64_t sequence, std::uint64_t total) {
    if (total == 0 || sequence < total_stated_by_) return;
    total_ = total;
    total_stated_by_ = sequence;
}

std::uint64_t SequenceTracker::lost() const {
    return std::max(total_, end_) - received_;
}

}  // namespace farlink::traffic
