// SPDX-License-Identifier: Apache-2.0
// The received, or acknowledged, octets of a block: disjoint intervals in ascending order.
// Owned by a session; its nodes lie in the engine's pool; one thread.
// Octets that follow the last ones cost one comparison; a finger makes repairs in order cheap.
#pragma once

#include <cstdint>
#include <optional>

#include "cla/ltp/core/codec/segment.hpp"
#include "cla/ltp/core/memory/node_pool.hpp"

namespace farlink::cla::ltp {

using IntervalPool = NodePool<Interval>;

class IntervalList {
public:
    /// Adds [begin, end); false when that would make more than `most` intervals.
    [[nodiscard]] bool add(IntervalPool &pool, std::uint64_t begin, std::uint64_t end,
                           std::uint32_t most = ~std::uint32_t{0}) {
        if (begin >= end) return true;
        if (tail_ != kNoNode) {
            Interval &last = pool[tail_].value;
            if (begin == last.end) {
                last.end = end;
                return true;
            }
        }
        return add_elsewhere(pool, begin, end, most);
    }
    [[nodiscard]] bool contains(const IntervalPool &pool, std::uint64_t begin,
                                std::uint64_t end) const;
    /// The first part of [from, to) that is missing.
    [[nodiscard]] std::optional<Interval> next_gap(const IntervalPool &pool, std::uint64_t from,
                                                   std::uint64_t to) const;
    /// The first part of [from, to) that is present.
    [[nodiscard]] std::optional<Interval> next_part(const IntervalPool &pool, std::uint64_t from,
                                                    std::uint64_t to) const;
    void clear(IntervalPool &pool);
    /// The end of the last interval; 0: the list is empty.
    [[nodiscard]] std::uint64_t last_end(const IntervalPool &pool) const {
        return tail_ == kNoNode ? 0 : pool[tail_].value.end;
    }

    /// The end of the octets that are present from 0 on; 0: the first one is missing.
    [[nodiscard]] std::uint64_t front_end(const IntervalPool &pool) const {
        return head_ == kNoNode || pool[head_].value.begin > 0 ? 0 : pool[head_].value.end;
    }

    [[nodiscard]] bool empty() const { return head_ == kNoNode; }
    [[nodiscard]] std::uint32_t count() const { return count_; }

private:
    [[nodiscard]] bool add_elsewhere(IntervalPool &pool, std::uint64_t begin, std::uint64_t end,
                                     std::uint32_t most);
    [[nodiscard]] std::uint32_t locate(const IntervalPool &pool, std::uint64_t begin) const;
    void absorb(IntervalPool &pool, std::uint32_t grown);

    std::uint32_t head_ = kNoNode;
    std::uint32_t tail_ = kNoNode;
    mutable std::uint32_t finger_ = kNoNode;  ///< where the last search ended
    std::uint32_t count_ = 0;
};

}  // namespace farlink::cla::ltp
