// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/delay_line.hpp"

#include <algorithm>
#include <cstring>

#include "common/base/invariant.hpp"

namespace farlink::emulation {
namespace {

/// Free blocks that are kept: at a steady rate, as many are freed as are used.
constexpr std::size_t kSpareBlocks = 16;

}  // namespace

std::size_t DelayLine::room_for(std::size_t size) {
    constexpr std::size_t kAlign = alignof(Record);
    return sizeof(Record) + (size + kAlign - 1) / kAlign * kAlign;
}

DelayLine::Record DelayLine::record_at(const Block &block, std::size_t offset) {
    Record record;
    std::memcpy(&record, block.memory->data() + offset, sizeof record);
    return record;
}

bool DelayLine::append(ByteView piece, TimePoint due) {
    FARLINK_INVARIANT(piece.size() <= kMaxPieceBytes);
    const std::size_t room = room_for(piece.size());
    if (blocks_.empty() || kBlockBytes - blocks_.back().end < room) {
        if (!add_block()) return false;
    }
    last_in_order_ = std::max(last_in_order_, due);
    Block &block = blocks_.back();
    const Record record{last_in_order_, piece.size()};
    std::uint8_t *const at = block.memory->data() + block.end;
    std::memcpy(at, &record, sizeof record);
    if (!piece.empty()) std::memcpy(at + sizeof record, piece.data(), piece.size());
    block.end += room;
    waiting_bytes_ += piece.size();
    return true;
}

bool DelayLine::insert(ByteView piece, TimePoint due) {
    FARLINK_INVARIANT(piece.size() <= kMaxPieceBytes);
    if (memory_bytes() + piece.size() > limit_) return false;
    apart_.emplace(due, Bytes(piece.begin(), piece.end()));
    apart_bytes_ += piece.size();
    waiting_bytes_ += piece.size();
    return true;
}

bool DelayLine::add_block() {
    if (!blocks_.empty() && memory_bytes() + kBlockBytes > limit_) return false;
    Block block;
    if (spare_.empty()) {
        block.memory = std::make_unique_for_overwrite<Memory>();
    } else {
        block.memory = std::move(spare_.back());
        spare_.pop_back();
    }
    blocks_.push_back(std::move(block));
    return true;
}

std::uint64_t DelayLine::memory_bytes() const {
    return blocks_.size() * kBlockBytes + apart_bytes_;
}

TimePoint DelayLine::next_due() const {
    const TimePoint in_order =
        blocks_.empty() ? kNever : record_at(blocks_.front(), blocks_.front().begin).due;
    return apart_.empty() ? in_order : std::min(in_order, apart_.begin()->first);
}

std::span<const ByteView> DelayLine::due(TimePoint now) {
    views_.clear();
    views_apart_.clear();
    std::size_t block = 0;
    std::size_t offset = blocks_.empty() ? 0 : blocks_.front().begin;
    auto apart = apart_.begin();
    while (views_.size() < kMostAtOnce) {
        Record record{kNever, 0};
        if (block < blocks_.size()) record = record_at(blocks_[block], offset);
        const TimePoint apart_due = apart == apart_.end() ? kNever : apart->first;
        if (std::min(record.due, apart_due) > now ||
            (apart == apart_.end() && block == blocks_.size()))
            break;
        if (apart_due < record.due) {
            views_.emplace_back(apart->second);
            views_apart_.push_back(true);
            ++apart;
            continue;
        }
        views_.emplace_back(blocks_[block].memory->data() + offset + sizeof record, record.size);
        views_apart_.push_back(false);
        offset += room_for(record.size);
        if (offset < blocks_[block].end) continue;
        ++block;
        offset = 0;
    }
    return views_;
}

void DelayLine::sent(std::size_t count) {
    FARLINK_INVARIANT(count <= views_.size());
    for (std::size_t i = 0; i < count; ++i) {
        waiting_bytes_ -= views_[i].size();
        if (!views_apart_[i]) {
            drop_in_order();
            continue;
        }
        apart_bytes_ -= views_[i].size();
        apart_.erase(apart_.begin());
    }
    views_.clear();
    views_apart_.clear();
}

void DelayLine::drop_in_order() {
    Block &block = blocks_.front();
    block.begin += room_for(record_at(block, block.begin).size);
    if (block.begin < block.end) return;
    if (spare_.size() < kSpareBlocks) spare_.push_back(std::move(block.memory));
    blocks_.pop_front();
}

}  // namespace farlink::emulation
