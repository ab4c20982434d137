// SPDX-License-Identifier: Apache-2.0
// What goes together in one ADU: until there are enough octets, or the first has waited for a time.
// Owned by what sends to a peer.
// One thread; times are given.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "apps/bptunnel/core/adu.hpp"
#include "common/base/time.hpp"

namespace farlink::bptunnel {

struct BatchLimits {
    std::size_t bytes = 65'536;
    std::chrono::microseconds wait{1000};
};

class Batch {
public:
    explicit Batch(BatchLimits limits) : limits_(limits) {}

    /// Records are appended here, behind the head; then noted().
    [[nodiscard]] Bytes &octets() {
        if (octets_.empty()) octets_.assign(kHeadBytes, 0);
        return octets_;
    }
    void noted(TimePoint now) {
        if (!due_) due_ = now + limits_.wait;
    }
    [[nodiscard]] bool empty() const { return !due_; }
    [[nodiscard]] bool full() const { return octets_.size() >= limits_.bytes; }
    /// None: it is empty.
    [[nodiscard]] std::optional<TimePoint> due() const { return due_; }
    [[nodiscard]] Bytes take(const Head &head) {
        write_head(head, octets().data());
        due_.reset();
        Bytes taken = std::exchange(octets_, {});
        octets_.reserve(taken.size() + taken.size() / 4);
        return taken;
    }
    void clear() {
        octets_.clear();
        due_.reset();
    }

private:
    BatchLimits limits_;
    Bytes octets_;
    std::optional<TimePoint> due_;
};

}  // namespace farlink::bptunnel
