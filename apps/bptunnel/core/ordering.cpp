// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/ordering.hpp"

#include <algorithm>
#include <utility>

namespace farlink::bptunnel {

void Ordering::put(std::uint64_t number, Bytes adu, TimePoint now) {
    if (number < expected_) {
        ++late_;
        if (!limits_.drop_late) at_once_[at_once_number_++] = {std::move(adu), now};
        return;
    }
    held_bytes_ += adu.size();
    if (!gap_since_) gap_since_ = now;
    held_[number] = {std::move(adu), now};
}

std::optional<Bytes> Ordering::next(TimePoint now) {
    if (!at_once_.empty()) {
        Bytes adu = std::move(at_once_.begin()->second.adu);
        at_once_.erase(at_once_.begin());
        return adu;
    }
    if (held_.empty()) return std::nullopt;
    const auto first = held_.begin();
    if (first->first != expected_) {
        if (!may_skip(now)) return std::nullopt;
        // Where this end has restarted, the first one has any number.
        if (begun_) skipped_ += first->first - expected_;
    }
    begun_ = true;
    expected_ = first->first + 1;
    return take(first);
}

bool Ordering::may_skip(TimePoint now) const {
    return held_bytes_ > limits_.bytes || now >= *due();
}

std::optional<TimePoint> Ordering::due() const {
    if (!gap_since_) return std::nullopt;
    return *gap_since_ + limits_.wait;
}

Bytes Ordering::take(std::map<std::uint64_t, Held>::iterator at) {
    Bytes adu = std::move(at->second.adu);
    held_bytes_ -= adu.size();
    held_.erase(at);
    gap_since_.reset();
    if (!held_.empty()) gap_since_ = held_.begin()->second.since;
    return adu;
}

void Ordering::restart() {
    for (auto &[number, held] : held_) at_once_[at_once_number_++] = std::move(held);
    held_.clear();
    held_bytes_ = 0;
    gap_since_.reset();
    expected_ = 0;
    begun_ = false;
}

}  // namespace farlink::bptunnel
