// SPDX-License-Identifier: Apache-2.0
// Waits for memory to read into: until a slab comes back to the pool, or for 50 ms.
// Owned by a link's body that reads; the loop's thread.
// The 50 ms are for what no release reports: a share of the memory that is free again, and a peer
// that has become slow enough to be ended (ReceptionShares).
#pragma once

#include <functional>

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
    void abandon();

private:
    void finish();

    LinkResources resources_;
    MonotonicTimer timer_;
    std::function<void()> then_;  ///< empty: nothing waits
    bool registered_ = false;     ///< with the pool, for its next release
};

}  // namespace farlink::cla
