// SPDX-License-Identifier: Apache-2.0
// Sending half of a session: bundles in, segments out, and the answers of the peer.
// Owned by one session; one thread.
// Transfer ids count up from 0 (RFC 9174 section 5.2.1), so an answer finds its transfer by a
// subtraction. A bundle in pieces is one transfer, whose pieces are done as they are acknowledged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cla/api/session_core.hpp"
#include "cla/tcpcl/v4/core/deviations.hpp"
#include "cla/tcpcl/v4/core/parsed.hpp"
#include "cla/tcpcl/v4/core/segment_writer.hpp"

namespace farlink::cla::tcpclv4 {

class TransferSender {
public:
    TransferSender(WireOut &out, ProtocolDeviations &deviations, Ring<SessionEvent> &events)
        : out_(out), deviations_(deviations), events_(events), writer_(out) {}

    /// The session is established: the largest segment to send, and the largest bundle.
    void start(std::uint64_t segment_bytes, std::uint64_t transfer_mtu);
    void handle_send(std::span<const TxBundle> bundles);
    /// Takes the XFER_ACK messages at the front of `fresh`.
    [[nodiscard]] Parsed handle_acks(ByteView &fresh);
    [[nodiscard]] Parsed handle_refuse(ByteView &fresh);
    void handle_written();
    /// The session ends: see SegmentWriter::abandon().
    [[nodiscard]] bool abandon() {
        left_ = 0;
        return writer_.abandon();
    }

    /// Every bundle with a token below this one is done.
    [[nodiscard]] std::uint64_t done_below() const { return done_below_; }
    /// Transfers without their last answer.
    [[nodiscard]] std::size_t unanswered() const { return transfers_.size(); }
    /// Of what is here of them, something has no answer yet.
    [[nodiscard]] bool awaits_answers() const {
        return transfers_.size() > 1 ||
               (!transfers_.empty() && (!inside_bundle() || !pieces_.empty()));
    }
    /// The last transfer cannot end before further pieces of its bundle have come.
    [[nodiscard]] bool inside_bundle() const { return left_ > 0 && !skips_; }
    /// Bytes of bundles that are here and not even in the queue.
    [[nodiscard]] std::uint64_t unqueued() const { return writer_.unqueued(); }
    [[nodiscard]] std::uint64_t transfer_mtu() const { return transfer_mtu_; }
    /// A number that stands still while the connection takes no segment and the peer gives no
    /// answer to one.
    [[nodiscard]] std::uint64_t progress() const { return progress_; }

private:
    struct Transfer {
        std::uint64_t token = 0;
        std::uint64_t done_below = 0;  ///< when this one is done, tokens below are
        std::uint64_t bytes = 0;
        std::uint32_t first_segment = 0;  ///< bytes
        bool done = false;
        bool in_pieces = false;
    };
    /// Of a bundle that is handed over in pieces.
    struct Piece {
        std::uint64_t id = 0;   ///< of the transfer
        std::uint64_t end = 0;  ///< octets of the transfer up to its end
        std::uint64_t token = 0;
        bool acknowledged = false;
    };

    void send(const TxBundle &bundle);
    void send_in_pieces(const TxBundle &piece);
    void send_further_piece(const TxBundle &piece);
    void skip(std::uint64_t token);
    [[nodiscard]] bool handle_ack(const Ack &ack);
    [[nodiscard]] bool refuse_ack();
    [[nodiscard]] static std::uint8_t flags_at(std::uint64_t length, const Transfer &transfer);
    void end_refused(const Refuse &refuse);
    void acknowledge_pieces(std::uint64_t id, std::uint64_t length);
    void report_refused(const Transfer &transfer, std::uint64_t id, Refusal reason);
    void publish_refused(std::uint64_t token, Refusal reason);
    void advance();
    void advance_pieces();

    WireOut &out_;
    ProtocolDeviations &deviations_;
    Ring<SessionEvent> &events_;
    SegmentWriter writer_;
    Ring<Transfer> transfers_;
    Ring<Piece> pieces_;      ///< not reported as done, of transfers without their last answer
    std::uint64_t left_ = 0;  ///< octets of the last bundle that come in further pieces
    bool skips_ = false;      ///< that bundle is refused
    std::optional<Refusal> unreported_;  ///< to be reported with the next piece of it
    std::uint64_t first_id_ = 0;         ///< of transfers_.front()
    std::uint64_t transfer_mtu_ = 0;
    std::uint64_t done_below_ = 0;
    std::uint64_t progress_ = 0;
};

}  // namespace farlink::cla::tcpclv4
