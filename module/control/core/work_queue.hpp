// SPDX-License-Identifier: Apache-2.0
// Work that would hold up the loop: reading a large plan, writing a file, writing a long reply.
// Implemented by SlowWork, in a thread beside the loop.
// Owned by the control agent; add() on its thread.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "common/base/time.hpp"

namespace farlink::control {

class WorkQueue {
public:
    /// Runs beside the loop, and is destroyed there. It ends early when it is told to stop.
    using Work = std::move_only_function<void(const std::stop_token &)>;
    /// Runs on the loop when the work is done.
    using Then = std::move_only_function<void(const WallClock &now)>;

    virtual ~WorkQueue() = default;

    /// One work runs at a time, in their order; its `then` runs before the next one begins.
    /// `bytes`: what the work keeps in memory while it waits. False: the queue is full, and neither
    /// is called.
    [[nodiscard]] virtual bool add(Work work, Then then, std::size_t bytes = 0) = 0;

protected:
    WorkQueue() = default;
    WorkQueue(const WorkQueue &) = default;
    WorkQueue &operator=(const WorkQueue &) = default;
};

}  // namespace farlink::control
