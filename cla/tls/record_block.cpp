// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/record_block.hpp"

namespace farlink::cla {
namespace {

/// Blocks that a thread keeps for the next records; stalled connections hold more for a while.
constexpr std::size_t kSpareBlocks = 4;

}  // namespace

ByteView RecordBlock::waiting() const {
    if (!memory_) return {};
    return {memory_->data() + begin_, end_ - begin_};
}

MutableBytes RecordBlock::room() {
    if (!memory_ && !spare().empty()) {
        memory_ = std::move(spare().back());
        spare().pop_back();
    }
    if (!memory_) memory_ = std::make_unique_for_overwrite<Memory>();
    return {memory_->data() + end_, kBytes - end_};
}

void RecordBlock::emptied(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) release();
}

void RecordBlock::release() {
    begin_ = end_ = 0;
    if (memory_ && spare().size() < kSpareBlocks) spare().push_back(std::move(memory_));
    memory_.reset();
}

std::vector<std::unique_ptr<RecordBlock::Memory>> &RecordBlock::spare() {
    thread_local std::vector<std::unique_ptr<Memory>> blocks;
    return blocks;
}

}  // namespace farlink::cla
