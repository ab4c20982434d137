// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/interval_list.hpp"

#include <algorithm>

namespace farlink::cla::ltp {

// The last interval that begins at or before `begin`.
std::uint32_t IntervalList::locate(const IntervalPool &pool, std::uint64_t begin) const {
    if (empty() || pool[head_].value.begin > begin) return kNoNode;
    if (pool[tail_].value.begin <= begin) return finger_ = tail_;
    std::uint32_t at = finger_;
    if (at == kNoNode || pool[at].value.begin > begin) at = head_;
    // Not at the tail, which begins behind `begin`.
    while (pool[pool[at].next].value.begin <= begin) at = pool[at].next;
    return finger_ = at;
}

bool IntervalList::add_elsewhere(IntervalPool &pool, std::uint64_t begin, std::uint64_t end,
                                 std::uint32_t most) {
    const std::uint32_t before = locate(pool, begin);
    if (before != kNoNode && pool[before].value.end >= begin) {
        if (pool[before].value.end >= end) return true;
        pool[before].value.end = end;
        absorb(pool, before);
        return true;
    }
    const std::uint32_t behind = before == kNoNode ? head_ : pool[before].next;
    if (behind != kNoNode && pool[behind].value.begin <= end) {
        pool[behind].value.begin = begin;
        pool[behind].value.end = std::max(pool[behind].value.end, end);
        absorb(pool, behind);
        return true;
    }
    if (count_ >= most) return false;
    const std::uint32_t made = pool.make({begin, end}, behind);
    (before == kNoNode ? head_ : pool[before].next) = made;
    if (behind == kNoNode) tail_ = made;
    finger_ = made;
    ++count_;
    return true;
}

void IntervalList::absorb(IntervalPool &pool, std::uint32_t grown) {
    finger_ = grown;
    Interval &interval = pool[grown].value;
    std::uint32_t next = pool[grown].next;
    while (next != kNoNode && pool[next].value.begin <= interval.end) {
        interval.end = std::max(interval.end, pool[next].value.end);
        const std::uint32_t gone = next;
        next = pool[gone].next;
        if (gone == tail_) tail_ = grown;
        pool.release(gone);
        --count_;
    }
    pool[grown].next = next;
}

bool IntervalList::contains(const IntervalPool &pool, std::uint64_t begin,
                            std::uint64_t end) const {
    if (begin >= end) return true;
    const std::uint32_t at = locate(pool, begin);
    return at != kNoNode && pool[at].value.end >= end;
}

std::optional<Interval> IntervalList::next_gap(const IntervalPool &pool, std::uint64_t from,
                                               std::uint64_t to) const {
    const std::uint32_t at = locate(pool, from);
    std::uint32_t next = head_;
    if (at != kNoNode) {
        from = std::max(from, pool[at].value.end);
        next = pool[at].next;
    }
    if (from >= to) return std::nullopt;
    return Interval{from, next == kNoNode ? to : std::min(to, pool[next].value.begin)};
}

std::optional<Interval> IntervalList::next_part(const IntervalPool &pool, std::uint64_t from,
                                                std::uint64_t to) const {
    std::uint32_t at = locate(pool, from);
    if (at == kNoNode)
        at = head_;
    else if (pool[at].value.end <= from)
        at = pool[at].next;
    if (at == kNoNode) return std::nullopt;
    const Interval part{std::max(from, pool[at].value.begin), std::min(to, pool[at].value.end)};
    if (part.begin >= part.end) return std::nullopt;
    return part;
}

void IntervalList::clear(IntervalPool &pool) {
    for (std::uint32_t at = head_; at != kNoNode;) {
        const std::uint32_t next = pool[at].next;
        pool.release(at);
        at = next;
    }
    *this = {};
}

}  // namespace farlink::cla::ltp
