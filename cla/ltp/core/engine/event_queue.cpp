// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/event_queue.hpp"

namespace farlink::cla::ltp {

std::optional<Event> EventQueue::poll(MemoryPool &memory) {
    if (polled_) polled_->release(memory);
    polled_.reset();
    if (entries_.empty()) return std::nullopt;
    const Entry entry = entries_.pop_front();
    polled_ = entry.block;
    return entry.event;
}

}  // namespace farlink::cla::ltp
