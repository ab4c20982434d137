// SPDX-License-Identifier: Apache-2.0
// What a receiver has been given and has not answered, in order.
// Owned by an AppSession.
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/base/time.hpp"
#include "common/buffer/ring.hpp"
#include "module/applications/core/leases/delivery_queue.hpp"

namespace farlink::applications {

/// An ADU that a receiver has and has not accepted.
struct LeasedAdu {
    DeliveryQueue::Lease lease{};
    /// See BundleKeys; 0: it has no source, or is an administrative record, and so no identity.
    std::uint64_t key = 0;
    std::uint64_t payload_bytes = 0;
};

class OutgoingAdus {
public:
    void set_window(std::uint64_t window) {
        constexpr std::uint64_t kMost = 1024;
        window_ = std::clamp<std::uint64_t>(window, 1, kMost);
    }
    [[nodiscard]] bool has_room() const { return given_.size() < window_; }
    [[nodiscard]] bool empty() const { return given_.empty(); }
    [[nodiscard]] std::size_t size() const { return given_.size(); }

    /// Its last octet is in front of `end` in the stream.
    void add(const LeasedAdu &adu, std::uint64_t end, TimePoint now) {
        given_.push_back({adu, end, now, false});
    }
    void add_keep_alive(std::uint64_t end, TimePoint now) {
        given_.push_back({{}, end, now, true});
    }

    struct Given {
        LeasedAdu adu{};
        std::uint64_t end = 0;
        TimePoint since{};
        bool keep_alive = false;
    };
    [[nodiscard]] const Given &oldest() const { return given_.front(); }
    Given pop(TimePoint now) {
        answered_ = now;
        return given_.pop_front();
    }
    /// Since when the receiver owes the next answer; only while something is given.
    [[nodiscard]] TimePoint waiting_since() const {
        return std::max(given_.front().since, answered_);
    }
    [[nodiscard]] Ring<LeasedAdu> take_leases() {
        Ring<LeasedAdu> leases;
        while (!given_.empty())
            if (const Given given = given_.pop_front(); !given.keep_alive)
                leases.push_back(given.adu);
        return leases;
    }

private:
    std::uint64_t window_ = 1;
    Ring<Given> given_;
    TimePoint answered_{};
};

}  // namespace farlink::applications
