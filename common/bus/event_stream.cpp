// SPDX-License-Identifier: Apache-2.0
#include "common/bus/event_stream.hpp"

#include <utility>

namespace farlink::bus {

EventStream::Arrival EventStream::accept(const EventHeader &header) {
    if (!last_ || last_->epoch != header.epoch) {
        // A request from before the restart may be lost, so it is repeated.
        need_ = Need::kRequest;
        last_ = header;
        return Arrival::kNewEpoch;
    }
    if (header.sequence <= last_->sequence) return Arrival::kDuplicate;
    const bool next = header.sequence == last_->sequence + 1;
    last_ = header;
    if (next) return Arrival::kInOrder;
    // The answer to a pending request covers this gap, too, or is outdated and requested again.
    if (need_ == Need::kNone) need_ = Need::kRequest;
    return Arrival::kGap;
}

bool EventStream::accept_snapshot(const EventHeader &header) {
    if (last_ && last_->epoch == header.epoch && header.sequence < last_->sequence) {
        if (need_ == Need::kRequested) need_ = Need::kRequest;
        return false;
    }
    const bool known = last_ && last_->epoch == header.epoch && last_->sequence == header.sequence;
    if (known && synchronised()) return false;
    last_ = header;
    need_ = Need::kNone;
    return true;
}

bool EventStream::take_request() {
    if (need_ != Need::kRequest) return false;
    need_ = Need::kRequested;
    return true;
}

}  // namespace farlink::bus
