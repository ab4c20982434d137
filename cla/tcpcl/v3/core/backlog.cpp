// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/backlog.hpp"

namespace farlink::cla::tcpclv3 {

void Backlog::push(const TxBundle &bundle) {
    heads_.add(bundle.head);
    pieces_.add(bundle.body);
    pieces_.add(bundle.rest);
    waiting_.push_back({bundle.token, bundle.size, bundle.head.size(), 1 + bundle.rest.size()});
    bytes_ += bundle.size;
}

TxBundle Backlog::front() const {
    const Waiting &waiting = waiting_.front();
    const std::span<const ByteView> pieces = pieces_.first(waiting.pieces);
    return {heads_.first(waiting.head_size), pieces.front(), pieces.subspan(1), waiting.size,
            waiting.token};
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
