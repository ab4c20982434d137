// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/waiting_blocks.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cla::ltp {

std::unique_ptr<KeptBlock> WaitingBlocks::acquire(SessionHandle session, std::uint64_t service,
                                                  std::uint64_t size) {
    if (spare_.empty()) spare_.push_back(std::make_unique<KeptBlock>());
    std::unique_ptr<KeptBlock> block = std::move(spare_.back());
    spare_.pop_back();
    block->session = session;
    block->service = service;
    block->size = size;
    return block;
}

void WaitingBlocks::release(std::unique_ptr<KeptBlock> block) {
    if (spare_.size() >= kMostSpare) return;
    block->slices.clear();
    block->slabs.clear();
    block->places.clear();
    block->refused.clear();
    block->follows = block->taken = false;
    block->pause = Duration{};
    spare_.push_back(std::move(block));
}

void WaitingBlocks::wait(std::unique_ptr<KeptBlock> block, bool progress, TimePoint now) {
    block->pause =
        progress ? kShortestPause : std::clamp(2 * block->pause, kShortestPause, kLongestPause);
    // The host may refuse bundles in any order.
    std::ranges::sort(block->refused);
    std::swap(block->places, block->refused);
    block->refused.clear();
    const TimePoint due = now + block->pause;
    by_due_.emplace(due, std::move(block));
}

void WaitingBlocks::wait_for_turn(std::unique_ptr<KeptBlock> block, TimePoint now) {
    block->follows = false;
    by_due_.emplace(now, std::move(block));
}

std::unique_ptr<KeptBlock> WaitingBlocks::poll_due(TimePoint now) {
    if (next_due() > now) return nullptr;
    return std::move(by_due_.extract(by_due_.begin()).mapped());
}

}  // namespace farlink::cla::ltp
