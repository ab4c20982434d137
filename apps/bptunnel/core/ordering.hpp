// SPDX-License-Identifier: Apache-2.0
// ADUs in the order of their numbers: one that is missing is waited for, within bounds.
// Owned by what receives from a peer.
// One thread; times are given. A number comes once.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"

namespace farlink::bptunnel {

struct OrderLimits {
    std::chrono::milliseconds wait{100};
    std::size_t bytes = std::size_t{16} << 20;  ///< that are held for a missing one
    bool drop_late = false;
};

class Ordering {
public:
    explicit Ordering(OrderLimits limits) : limits_(limits) {}

    void put(std::uint64_t number, Bytes adu, TimePoint now);
    /// The next one whose turn it is.
    [[nodiscard]] std::optional<Bytes> next(TimePoint now);
    /// When next() has more without a further put(); none: nothing is held.
    [[nodiscard]] std::optional<TimePoint> due() const;
    /// A new session: numbers begin again. What is held comes first.
    void restart();

    [[nodiscard]] std::uint64_t late() const { return late_; }
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

private:
    struct Held {
        Bytes adu;
        TimePoint since;
    };
    [[nodiscard]] bool may_skip(TimePoint now) const;
    [[nodiscard]] Bytes take(std::map<std::uint64_t, Held>::iterator at);

    OrderLimits limits_;
    std::map<std::uint64_t, Held> held_;
    std::map<std::uint64_t, Held> at_once_;  ///< late ones, and those of an earlier session
    std::uint64_t at_once_number_ = 0;
    std::size_t held_bytes_ = 0;
    std::optional<TimePoint> gap_since_;  ///< what is held has waited since then
    std::uint64_t expected_ = 0;
    bool begun_ = false;  ///< one of this session has been given out
    std::uint64_t late_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace farlink::bptunnel
