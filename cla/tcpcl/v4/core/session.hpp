// SPDX-License-Identifier: Apache-2.0
// A TCPCLv4 session (RFC 9174) without its connection: joins negotiation, both halves of the
// transfers, keepalives and termination.
// Owned by the driver of one connection; one thread.
// The parts do not depend on each other; what one message means for several of them is here.
#pragma once

#include <memory>

#include "cla/api/session_core.hpp"
#include "cla/tcpcl/shared/answer_limit.hpp"
#include "cla/tcpcl/shared/keep_alive.hpp"
#include "cla/tcpcl/v4/core/negotiation.hpp"
#include "cla/tcpcl/v4/core/termination.hpp"
#include "cla/tcpcl/v4/core/transfer_receiver.hpp"
#include "cla/tcpcl/v4/core/transfer_sender.hpp"

namespace farlink::cla::tcpclv4 {

// clang-format off
///   ┌──────────────┐ established ┌──────────────┐ SESS_TERM ┌─────────┐ all done ┌────────┐
///   │ kNegotiating ├────────────►│ kEstablished ├──────────►│ kEnding ├─────────►│ kEnded │
///   └──────┬───────┘             └──────┬───────┘           └────┬────┘          └────▲───┘
///          └────────────────────────────┴────────────────────────┴─ fault, time limit ┘
// clang-format on
class Session final : public SessionCore {
public:
    /// `id` names the session to the loop's ReadBuffer; the driver reports to that buffer when the
    /// connection is gone (ReadBuffer::finished).
    Session(SessionConfig config, UpstreamId id);

    void handle_connected(TimePoint now) override;
    void handle_secured(TimePoint now) override;
    void handle_identity(bool accepted, TimePoint now) override;
    void handle_peer_closed(TimePoint now) override;

    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer) override;
    void handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                      TimePoint now) override;
    [[nodiscard]] bool wants_read() const override;
    [[nodiscard]] bool inside_bundle() const override;
    [[nodiscard]] bool inside_message() const override {
        return receiver_.inside_bundle() || !reader_.handed_back().empty();
    }
    [[nodiscard]] std::uint64_t unfinished_bytes() const override {
        return receiver_.unfinished_bytes();
    }
    [[nodiscard]] bool compact(SlabPool &pool) override { return receiver_.compact(pool); }

    void handle_send(std::span<const TxBundle> bundles, TimePoint now) override;
    void handle_disposition(std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition, TimePoint now) override;
    void handle_pause(bool paused) override;
    void handle_terminate(LinkFault why, TimePoint now) override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    [[nodiscard]] bool awaits_pieces() const override { return sender_.inside_bundle(); }
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override { return sender_.transfer_mtu(); }

    [[nodiscard]] TxQueue &queue() override { return out_.queue(); }
    void handle_written(TimePoint now) override;

    [[nodiscard]] TimePoint next_timeout() const override;
    void handle_timeout(TimePoint now) override;

    [[nodiscard]] std::optional<SessionEvent> poll_event() override;
    [[nodiscard]] const std::string &peer_node_id() const override {
        return negotiation_.peer_node_id();
    }

private:
    enum class State : std::uint8_t { kNegotiating, kEstablished, kEnding, kEnded };
    using Kind = SessionEvent::Kind;

    void transition(State to);

    // ---- messages of the peer
    void negotiate(ByteView fresh);
    void read_messages(ByteView fresh, const SlabRef &slab, ReceivedBundles &out, TimePoint now);
    [[nodiscard]] Parsed handle_control(ByteView &fresh, TimePoint now);
    [[nodiscard]] Parsed handle_term(ByteView &fresh, TimePoint now);
    [[nodiscard]] Parsed handle_reject(ByteView &fresh);
    [[nodiscard]] Parsed handle_second_init(ByteView &fresh);

    // ---- what follows
    void begin_ending(TimePoint now);
    void fail(TermReason reason, LinkFault fault);
    void end(LinkFault fault);
    void conclude(TimePoint now);
    void handle_read_paused();
    void report_observed();
    void report(Kind kind);
    [[nodiscard]] MutableBytes spare_space();

    SessionConfig config_;
    UpstreamId id_;
    WireOut out_;
    ProtocolDeviations deviations_;
    Ring<SessionEvent> events_;
    Negotiation negotiation_;
    TransferReceiver receiver_;
    TransferSender sender_;
    tcpcl::KeepAlive keep_alive_;
    tcpcl::AnswerLimit answer_limit_;
    Termination termination_;
    StreamReader reader_;
    /// Read into while there are no slabs; only between prepare() and handle_bytes().
    std::unique_ptr<std::uint8_t[]> spare_;

    State state_ = State::kNegotiating;
    bool paused_ = false;
    bool out_of_credit_ = false;
    TimePoint last_turn_{};
    TimePoint memory_due_ = kNever;  ///< there is no memory for a bundle in pieces until then
    TimePoint handshake_due_ = kNever;
    TimePoint termination_due_ = kNever;
    TimePoint quiet_due_ = kNever;   ///< the end comes then if nothing is under way
    std::uint64_t transmitted_ = 0;  ///< token reported last
};

}  // namespace farlink::cla::tcpclv4
