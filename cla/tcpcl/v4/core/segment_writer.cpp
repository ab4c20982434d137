// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/segment_writer.hpp"

#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {

void SegmentWriter::write(const TxBundle &bundle, std::uint64_t id) {
    write_on(kEverything);  // transfers are never interleaved
    if (bundle.size <= kCopyBytes && bundle.size <= segment_bytes_ && bundle.rest.empty() &&
        bundle.left == 0)
        write_small(bundle, id);
    else
        begin_large(bundle, id);
}

void SegmentWriter::end_run() {
    if (!in_run_) return;
    in_run_ = false;
    spans_.push_back({run_begin_, queue_.queued_offset(), kNoTransfer, 0});
}

bool SegmentWriter::handle_written() {
    const bool waited = !spans_.empty();
    const std::uint64_t written = queue_.written_offset();
    bool referred_gone = false;
    while (!spans_.empty() && spans_.front().end <= written)
        referred_gone |= spans_.pop_front().id == first_referred_;
    if (referred_gone) find_first_referred();
    write_on(kAheadBytes);
    return waited;
}

void SegmentWriter::write_small(const TxBundle &bundle, std::uint64_t id) {
    if (!in_run_) {
        in_run_ = true;
        run_begin_ = queue_.queued_offset();
    }
    const std::size_t total = kStartHeadBytes + static_cast<std::size_t>(bundle.size);
    std::uint8_t *out = queue_.reserve(total).data();
    out = encode(out, Segment{kSegmentStart | kSegmentEnd, id, {}, bundle.size});
    // std::ranges::copy would go octet by octet here.
    out = std::copy(bundle.head.begin(), bundle.head.end(), out);
    std::copy(bundle.body.begin(), bundle.body.end(), out);
    queue_.commit(total);
}

void SegmentWriter::begin_large(const TxBundle &bundle, std::uint64_t id) {
    end_run();
    large_.id = id;
    large_.bytes = large_.left = bundle.size + bundle.left;
    large_.here = bundle.size;
    large_.parts.clear();
    large_.part = 0;
    add_parts(bundle);
    write_segments(bundle.head);
}

void SegmentWriter::write_piece(const TxBundle &piece) {
    FARLINK_INVARIANT(piece.size + piece.left + large_.here == large_.left);
    if (!piece.head.empty()) write_on(kEverything);  // it comes behind what is here
    large_.parts.erase(large_.parts.begin(),
                       large_.parts.begin() + static_cast<std::ptrdiff_t>(large_.part));
    large_.part = 0;
    large_.here += piece.size;
    add_parts(piece);
    if (piece.head.empty())
        write_on(kAheadBytes);
    else
        write_segments(piece.head);
}

void SegmentWriter::add_parts(const TxBundle &bundle) {
    large_.parts.push_back(bundle.body);
    large_.parts.insert(large_.parts.end(), bundle.rest.begin(), bundle.rest.end());
}

/// Queues all of `head`, which is gone after the call, and as much more as may wait in the queue.
void SegmentWriter::write_segments(ByteView head) {
    do write_segment(head);
    while (!head.empty());
    write_on(kAheadBytes);
}

/// Queues segments of the large bundle while less than `limit` octets wait.
void SegmentWriter::write_on(std::uint64_t limit) {
    ByteView no_head;
    while (large_.here > 0 && queue_.pending() < limit) write_segment(no_head);
}

void SegmentWriter::write_segment(ByteView &head) {
    const std::uint64_t begin = queue_.queued_offset();
    const std::uint64_t bytes = std::min(segment_bytes_, large_.here);
    const std::uint64_t from = large_.bytes - large_.left;
    write_head(bytes);
    const auto from_head = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, head.size()));
    queue_.copy(head.first(from_head));
    head = head.subspan(from_head);
    write_data(bytes - from_head, bytes <= kCopyBytes);
    large_.left -= bytes;
    large_.here -= bytes;
    spans_.push_back({begin, queue_.queued_offset(), large_.id, from});
    if (first_referred_ != kNoTransfer) return;
    first_referred_ = large_.id;
    first_from_ = from;
}

void SegmentWriter::write_head(std::uint64_t data_bytes) {
    const bool first = large_.left == large_.bytes;
    const bool last = large_.left == data_bytes;
    std::array<std::uint8_t, sizeof(std::uint64_t)> total;
    std::array<std::uint8_t, kTransferLengthBytes> items;
    Segment segment;
    segment.flags = (first ? kSegmentStart : 0) | (last ? kSegmentEnd : 0);
    segment.id = large_.id;
    segment.data_bytes = data_bytes;
    if (first && !last) {  // RFC 9174 section 5.2.5.1: not for a transfer of one segment
        store_be(total.data(), large_.bytes);
        encode(items.data(), ExtensionItem{kCritical, kTransferLengthType, total});
        segment.items = items;
    }
    encode(queue_.reserve(segment.head_bytes()).data(), segment);
    queue_.commit(segment.head_bytes());
}

void SegmentWriter::write_data(std::uint64_t bytes, bool copied) {
    while (bytes > 0) {
        ByteView &part = large_.parts[large_.part];
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, part.size()));
        if (copied)
            queue_.copy(part.first(size));
        else
            queue_.reference(part.first(size));
        part = part.subspan(size);
        bytes -= size;
        if (part.empty()) ++large_.part;
    }
}

void SegmentWriter::withdraw(std::uint64_t id) {
    if (large_.id == id) forget_rest();
    take_back([id](const Span &span) { return span.id == id; });
}

bool SegmentWriter::abandon() {
    forget_rest();
    large_.parts.clear();
    large_.part = 0;
    take_back([](const Span &) { return true; });
    // What is left is begun: small transfers go out, a segment with references is cut.
    const bool cut = !spans_.empty() && spans_.front().id != kNoTransfer;
    if (cut) queue_.truncate(queue_.written_offset());
    spans_.clear();
    first_referred_ = kNoTransfer;
    return !cut;
}

template <class Predicate>
void SegmentWriter::take_back(Predicate unwanted) {
    const std::uint64_t written = queue_.written_offset();
    std::uint64_t gone = 0;
    for (std::size_t left = spans_.size(); left > 0; --left) {
        Span span = spans_.pop_front();
        span.begin -= gone;
        span.end -= gone;
        if (span.begin < written || !unwanted(span)) {
            spans_.push_back(span);
            continue;
        }
        queue_.erase(span.begin, span.end);
        gone += span.end - span.begin;
    }
    find_first_referred();
}

void SegmentWriter::find_first_referred() {
    first_referred_ = kNoTransfer;
    for (std::size_t i = 0; i < spans_.size() && first_referred_ == kNoTransfer; ++i) {
        first_referred_ = spans_[i].id;
        first_from_ = spans_[i].from;
    }
}

}  // namespace farlink::cla::tcpclv4
