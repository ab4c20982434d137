// SPDX-License-Identifier: Apache-2.0
// Cuts bundles into segments and queues them (RFC 9174 section 5.2.2).
// Owned by one session's sender; one thread.
//
// Of one large bundle, the last, only so much is queued at a time that answers to the peer do not
// wait behind all of it. What is queued and not begun can be taken back. A bundle may come in
// pieces: a segment has only octets that are here, so that it can be written to its end.
#pragma once

#include <cstdint>
#include <vector>

#include "cla/tcpcl/v4/core/wire_out.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::cla::tcpclv4 {

class SegmentWriter {
public:
    explicit SegmentWriter(WireOut &out) : queue_(out.queue()) {}

    void start(std::uint64_t segment_bytes) { segment_bytes_ = segment_bytes; }
    /// Queues `bundle` as transfer `id`, at least as far as its head goes.
    void write(const TxBundle &bundle, std::uint64_t id);
    /// The next piece of the transfer written last.
    void write_piece(const TxBundle &piece);
    /// Ends a run of write() calls.
    void end_run();
    /// The kernel has taken octets from the queue: queues more. True if segments waited there.
    [[nodiscard]] bool handle_written();
    /// Takes back the segments of transfer `id` that are not begun (RFC 9174 section 5.2.4).
    void withdraw(std::uint64_t id);
    /// Takes back everything that is not begun; nothing in the queue refers to a bundle any more.
    /// False when that cuts a segment short: nothing may follow it (RFC 9174 section 6.1).
    [[nodiscard]] bool abandon();

    /// Whether the queue refers to octets of transfer `id`, all before it being done.
    [[nodiscard]] bool refers_to(std::uint64_t id) const { return first_referred_ == id; }
    /// The same, to those of its octets in front of `end`.
    [[nodiscard]] bool refers_to(std::uint64_t id, std::uint64_t end) const {
        return first_referred_ == id && first_from_ < end;
    }
    /// Octets of transfer `id`, `bytes` long, that are in the queue or written.
    [[nodiscard]] std::uint64_t queued_of(std::uint64_t id, std::uint64_t bytes) const {
        return large_.left > 0 && large_.id == id ? bytes - large_.left : bytes;
    }
    [[nodiscard]] std::uint64_t segment_bytes() const { return segment_bytes_; }
    /// Octets of bundles that are here and not even queued.
    [[nodiscard]] std::uint64_t unqueued() const { return large_.here; }

private:
    /// Up to this size the octets of a segment are copied: an entry to the kernel costs more.
    static constexpr std::size_t kCopyBytes = 2048;
    /// Of a large bundle, this is queued ahead of the kernel.
    static constexpr std::uint64_t kAheadBytes = 512 * 1024;
    static constexpr std::uint64_t kEverything = ~std::uint64_t{0};
    static constexpr std::uint64_t kNoTransfer = ~std::uint64_t{0};

    /// Segments in the queue: one of transfer `id` that may be withdrawn, or a run of whole small
    /// transfers.
    struct Span {
        std::uint64_t begin = 0;  ///< stream offsets
        std::uint64_t end = 0;
        std::uint64_t id = kNoTransfer;
        std::uint64_t from = 0;  ///< octets of the transfer in front of it
    };
    /// The bundle that is being cut, behind its head.
    struct Large {
        std::uint64_t id = 0;
        std::uint64_t bytes = 0;
        std::uint64_t left = 0;       ///< not queued
        std::uint64_t here = 0;       ///< of those, handed over
        std::vector<ByteView> parts;  ///< of what is here
        std::size_t part = 0;
    };

    void write_small(const TxBundle &bundle, std::uint64_t id);
    void begin_large(const TxBundle &bundle, std::uint64_t id);
    void add_parts(const TxBundle &bundle);
    void write_segments(ByteView head);
    void write_segment(ByteView &head);
    void write_head(std::uint64_t data_bytes);
    void write_data(std::uint64_t bytes, bool copied);
    void write_on(std::uint64_t limit);
    void forget_rest() { large_.left = large_.here = 0; }
    void find_first_referred();
    template <class Predicate>
    void take_back(Predicate unwanted);

    TxQueue &queue_;
    std::uint64_t segment_bytes_ = 0;
    std::uint64_t run_begin_ = 0;  ///< stream offset at which the run of small transfers began
    bool in_run_ = false;
    Ring<Span> spans_;                            ///< not written to their end, in order
    std::uint64_t first_referred_ = kNoTransfer;  ///< of the first span of a transfer
    std::uint64_t first_from_ = 0;                ///< the same
    Large large_;
};

}  // namespace farlink::cla::tcpclv4
