// SPDX-License-Identifier: Apache-2.0
// Waits for memory to read into: until a slab comes back to the pool, or for 50 ms.
// Owned by a link's body that reads; the loop's thread.
// The 50 ms are for what no release reports: a share of the memory that is free again, and a peer
// that has become slow enough to be ended (ReceptionShares).
#pragma once

#include <boost/asio/post.hpp>
#include <functional>
#include <utility>

#include "cla/io/link_body.hpp"
#include "cla/io/resources.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class MemoryWait : public LinkBody {
public:
    static constexpr milliseconds kLongest{50};

    explicit MemoryWait(LinkResources resources) : resources_(resources), timer_(resources.io) {}

    /// Calls `then` once, from the loop; an earlier wait ends without its call.
    void start(std::function<void()> then);
    void cancel();
    [[nodiscard]] bool waiting() const { return then_ != nullptr; }
    void abandon();

private:
    void finish();

    LinkResources resources_;
    MonotonicTimer timer_;
    std::function<void()> then_;  ///< empty: nothing waits
    bool registered_ = false;     ///< with the pool, for its next release
};

inline void MemoryWait::start(std::function<void()> then) {
    then_ = std::move(then);
    timer_.expires_after(kLongest);
    timer_.async_wait(while_open(*this, [](MemoryWait &self, const auto &error) {
        if (!error) self.finish();
    }));
    if (std::exchange(registered_, true)) return;
    resources_.buffer.pool().notify_when_freed([weak = weak_from_this()] {
        const auto self = std::static_pointer_cast<MemoryWait>(weak.lock());
        if (!self || self->closed()) return;
        self->registered_ = false;
        boost::asio::post(self->resources_.io,
                          while_open(*self, [](MemoryWait &wait) { wait.finish(); }));
    });
}

inline void MemoryWait::finish() {
    timer_.cancel();
    if (const auto then = std::exchange(then_, nullptr)) then();
}

inline void MemoryWait::cancel() {
    then_ = nullptr;
    timer_.cancel();
}

inline void MemoryWait::abandon() {
    mark_closed();
    cancel();
}

}  // namespace farlink::cla
