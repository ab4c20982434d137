// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/backlog.hpp"

namespace farlink::cla::tcpclv3 {

void Backlog::push(const TxBundle &bundle) {
    heads_.add(bundle.head);
    pieces_.add(bundle.body);
    pieces_.add(bundle.rest);
    waiting_.push_back({bundle.token, bundle.size, bundle.head.size(), 1 + bundle.rest.size(),
                        bundle.left, bundle.is_further_piece});
    bytes_ += bundle.size;
}

TxBundle Backlog::front() const {
    const Waiting &waiting = waiting_.front();
    const std::span<const ByteView> pieces = pieces_.first(waiting.pieces);
    return {.head = heads_.first(waiting.head_size),
            .body = pieces.front(),
            .rest = pieces.subspan(1),
            .size = waiting.size,
            .token = waiting.token,
            .is_further_piece = waiting.is_further_piece,
            .left = waiting.left};
}

void Backlog::pop() {
    const Waiting waiting = waiting_.pop_front();
    heads_.remove(waiting.head_size);
    pieces_.remove(waiting.pieces);
    bytes_ -= waiting.size;
}

void Backlog::pop_back() {
    const Waiting waiting = waiting_.pop_back();
    heads_.remove_back(waiting.head_size);
    pieces_.remove_back(waiting.pieces);
    bytes_ -= waiting.size;
}

void Backlog::clear() {
    waiting_.clear();
    heads_.clear();
    pieces_.clear();
    bytes_ = 0;
}

}  // namespace farlink::cla::tcpclv3
