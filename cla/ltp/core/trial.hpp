// SPDX-License-Identifier: Apache-2.0
// After a link has lost its neighbour, few bundles at a time, until the neighbour answers for one:
// while the light time is too short, all that is sent is sent in vain.
// Owned by an LTP link; one thread.
// A value without a clock.
#pragma once

#include <cstdint>
#include <utility>

namespace farlink::cla::ltp {

class Trial {
public:
    /// Bundles that may be in flight.
    static constexpr std::uint64_t kBundles = 8;

    /// The neighbour was lost.
    void begin() { on_ = true; }
    /// The neighbour has taken a block, or refused it.
    void handle_answer() {
        handle_end();
        on_ = false;
    }
    [[nodiscard]] bool on() const { return on_; }
    /// Octets that the link takes now; so few that each call of the host is one bundle.
    [[nodiscard]] std::uint64_t credit(std::uint64_t credit, std::uint64_t unfinished) const {
        if (!on_ || credit == 0) return credit;
        return unfinished < kBundles ? 1 : 0;
    }
    /// A block has ended.
    void handle_end() { more_ = more_ || on_; }
    /// The host is to look at the credit again.
    [[nodiscard]] bool take_more() { return std::exchange(more_, false); }

private:
    bool on_ = false;
    bool more_ = false;
};

}  // namespace farlink::cla::ltp
