// SPDX-License-Identifier: Apache-2.0
#include "cla/io/memory_wait.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace farlink::cla {

void MemoryWait::start(std::function<void()> then) {
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

void MemoryWait::finish() {
    timer_.cancel();
    if (const auto then = std::exchange(then_, nullptr)) then();
}

void MemoryWait::cancel() {
    then_ = nullptr;
    timer_.cancel();
}

void MemoryWait::abandon() {
    mark_closed();
    cancel();
}

}  // namespace farlink::cla
