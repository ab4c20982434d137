// SPDX-License-Identifier: Apache-2.0
// Sending side of TCPCLv3: cuts bundles into DATA_SEGMENT messages and reads the peer's answers to
// them (RFC 7242 sections 5.2 to 5.5).
// Owned by one session's core; one thread.
// Octets of a bundle are in the queue by reference until its token is reported as done. Of a bundle
// in pieces each is cut for itself, so that a segment has only octets that are here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cla/tcpcl/v3/core/backlog.hpp"
#include "cla/tcpcl/v3/core/contact.hpp"
#include "cla/tcpcl/v3/core/events.hpp"
#include "cla/tcpcl/v3/core/message.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla::tcpclv3 {

class Sender {
public:
    Sender(const SessionConfig &config, TxQueue &queue, Events &events);

    /// Before the first bundle.
    void agree(const SessionTerms &terms) { terms_ = terms; }

    void handle_send(std::span<const TxBundle> bundles);
    /// The queue has been written up to TxQueue::written_offset().
    void handle_written();
    [[nodiscard]] LinkFault handle_acknowledgement(std::uint64_t length);
    [[nodiscard]] LinkFault handle_refusal(std::uint8_t code);
    /// After a run of answers: begins what they made room for, reports what is done.
    void handle_answers_read();
    /// Reports the transfers that ended since the last call.
    void report();

    /// Removes the bundles of which no octet is written, and starts no more.
    void finish();
    /// Removes all bundle octets from the queue, and all bundles. False when a segment is
    /// written in part: the peer would take any octets behind it for its data.
    [[nodiscard]] bool withdraw();

    /// Bytes of bundles that would be taken now.
    [[nodiscard]] std::uint64_t credit() const;
    /// Nothing is unsent or unanswered.
    [[nodiscard]] bool idle() const { return transfers_.empty() && backlog_.empty(); }
    /// Bundles have begun and are not answered: the peer's answers must be read.
    [[nodiscard]] bool awaits_answers() const { return !transfers_.empty(); }
    /// Something is sent, or can be, that has no answer yet: not while only the host is waited for.
    [[nodiscard]] bool may_stall() const;
    /// The last bundle cannot end before further pieces of it have come.
    [[nodiscard]] bool inside_bundle() const { return left_ > 0 && !skips_; }
    /// Grows with everything that the peer's answers, or the writing of what it is to answer,
    /// achieve.
    [[nodiscard]] std::uint64_t progress() const;

private:
    /// Up to this size a bundle is copied into one piece: entries to the kernel cost more.
    static constexpr std::size_t kCopyBytes = 2048;

    /// A bundle that has begun. What is in the queue of it and not yet written is one run of
    /// messages: the next run is made when this one is written.
    struct Transfer {
        std::uint64_t token = 0;
        std::uint64_t size = 0;
        std::uint64_t here = 0;          ///< up to the end of the piece that the last run is of
        std::uint64_t framed = 0;        ///< octets of the bundle in messages so far
        std::uint64_t acknowledged = 0;  ///< octets of the bundle
        std::uint64_t run_from = 0;      ///< `framed` when the last run began
        std::uint64_t begin = 0;         ///< of the last run, stream offsets
        std::uint64_t end = 0;
        bool refused = false;  ///< it is only here until what has begun is written
        bool in_pieces = false;
    };
    /// Of a bundle that is handed over in pieces.
    struct Piece {
        std::uint64_t bundle = 0;  ///< token of the first piece
        std::uint64_t token = 0;
        std::uint64_t begin = 0;  ///< octets of the bundle in front of it
        std::uint64_t end = 0;
        std::uint64_t segments_before = 0;
    };
    /// Where the message that is being written ends.
    struct Boundary {
        std::uint64_t offset = 0;  ///< in the stream
        std::uint64_t octets = 0;  ///< of the bundle up to there
    };

    [[nodiscard]] bool begun(const Transfer &transfer) const;
    [[nodiscard]] bool may_begin() const;
    [[nodiscard]] bool may_continue() const;
    [[nodiscard]] bool take_piece(const TxBundle &piece);
    void begin_bundle(const TxBundle &first);
    void skip(std::uint64_t token);
    void fill();
    void begin_transfer(const TxBundle &bundle);
    void frame_small(const TxBundle &bundle);
    void frame_run(const TxBundle &bundle, Transfer &transfer);
    void queue_octets(const TxBundle &bundle, std::uint64_t from, std::uint64_t size);
    [[nodiscard]] std::uint64_t segment_at(const Transfer &transfer, std::uint64_t from) const;
    [[nodiscard]] std::uint64_t segments(std::uint64_t octets) const;
    [[nodiscard]] std::uint64_t segments(const Transfer &transfer, std::uint64_t octets) const;
    [[nodiscard]] std::uint64_t written_of(const Transfer &transfer) const;
    [[nodiscard]] bool announces_length(const Transfer &transfer) const;
    [[nodiscard]] Boundary boundary(const Transfer &transfer) const;
    void cut(std::size_t index, std::uint64_t begin);
    void forget_backlog_of_last();
    void report_refused(const Transfer &transfer, Refusal reason);
    void complete_front();
    void advance_pieces();
    void drop_written();

    const std::uint64_t max_segment_;
    const std::uint64_t max_unsent_;
    const std::size_t max_transfers_;
    TxQueue &queue_;
    Events &events_;
    SessionTerms terms_;
    Ring<Transfer> transfers_;
    Ring<Piece> pieces_;                 ///< not done, in order
    Piece last_piece_;                   ///< of the last bundle in pieces
    std::uint64_t left_ = 0;             ///< octets of that bundle that come in further pieces
    bool skips_ = false;                 ///< that bundle is refused
    std::optional<Refusal> unreported_;  ///< to be reported with the next piece of it
    Backlog backlog_;  ///< its front may have begun: then it is the last of transfers_
    bool front_begun_ = false;
    bool finishing_ = false;
    bool clearing_ = false;           ///< in doubt: begins no bundle before all are answered
    std::uint64_t crossed_ = 0;       ///< answers still to come for segments of a refused bundle
    std::uint64_t doubtful_ = 0;      ///< below this token acknowledgements may mean another one
    std::uint64_t done_ = 0;          ///< every bundle below this token
    std::uint64_t reported_ = 0;      ///< the part of done_ that was reported
    std::uint64_t answers_read_ = 0;  ///< that brought something forward
};

}  // namespace farlink::cla::tcpclv3
