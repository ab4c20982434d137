// SPDX-License-Identifier: Apache-2.0
// Events of an engine, in order, with the memory of the blocks that have ended.
// Owned by the engine; one thread.
// A block's memory outlasts its session: segments that lie in an OutBatch refer to it.
#pragma once

#include <optional>

#include "cla/ltp/core/engine/engine_types.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::ltp {

class EventQueue {
public:
    void push(const Event &event) { push(event, {}); }
    /// `block` is released by the poll() after the one that returns `event`.
    void push(const Event &event, const OutBlock &block) { entries_.push_back({event, block}); }
    /// The next event. Releases the block of the event before it to `memory`.
    [[nodiscard]] std::optional<Event> poll(MemoryPool &memory);

private:
    struct Entry {
        Event event;
        OutBlock block;
    };

    Ring<Entry> entries_;
    std::optional<OutBlock> polled_;  ///< of the event that was polled last
};

}  // namespace farlink::cla::ltp
