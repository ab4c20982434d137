// SPDX-License-Identifier: Apache-2.0
// TCPCLv3 (RFC 7242) on one connection: contact, bundles both ways, the end.
// Owned by the connection's driver; one thread. It references bundles of the host until their
// tokens are reported as done, or the session has ended. Where the peer does not acknowledge, done
// is what the socket has taken to its last octet: the peer's kernel may have it, the peer may not.
#pragma once

#include <optional>
#include <string>

#include "cla/api/session_core.hpp"
#include "cla/tcpcl/shared/answer_limit.hpp"
#include "cla/tcpcl/shared/keep_alive.hpp"
#include "cla/tcpcl/v3/core/ack_queue.hpp"
#include "cla/tcpcl/v3/core/contact.hpp"
#include "cla/tcpcl/v3/core/events.hpp"
#include "cla/tcpcl/v3/core/input.hpp"
#include "cla/tcpcl/v3/core/receiver.hpp"
#include "cla/tcpcl/v3/core/sender.hpp"

namespace farlink::cla::tcpclv3 {

///   kNew ──► kSecuring ──► kContact ──► kIdentity ──► kEstablished
///    │                        ▲                            │ SHUTDOWN came, or the host ends it
///    └────────────────────────┘                            ▼
///                                                      kFinishing   what has begun is finished
///                                                          │ SHUTDOWN sent
///                                                          ▼
///                (from any state) ──► kEnded ◄────────  kLeaving    until the peer's SHUTDOWN
class Session final : public SessionCore {
public:
    /// `id` names the session to the ReadBuffer. With TlsPolicy::kRequired everything is protected
    /// from the first octet on (section 7); the protocol has no way to agree on less, so kOptional
    /// is kNone.
    Session(const SessionConfig &config, UpstreamId id);

    void handle_connected(TimePoint now) override;
    void handle_secured(TimePoint now) override;
    void handle_identity(bool accepted, TimePoint now) override;
    void handle_peer_closed(TimePoint now) override;

    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer) override;
    void handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                      TimePoint now) override;
    /// Also false between kPeerAnnounced and handle_identity().
    [[nodiscard]] bool wants_read() const override;
    [[nodiscard]] bool inside_bundle() const override;
    [[nodiscard]] bool inside_message() const override {
        return receiver_.inside_bundle() || input_.inside_message();
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
    [[nodiscard]] bool acknowledges() const override { return terms_.acknowledgements; }
    /// The protocol does not announce it: a peer refuses what is too large.
    [[nodiscard]] bool awaits_pieces() const override { return sender_.inside_bundle(); }
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override { return ~std::uint64_t{0}; }

    [[nodiscard]] TxQueue &queue() override { return queue_; }
    void handle_written(TimePoint now) override;

    [[nodiscard]] TimePoint next_timeout() const override;
    void handle_timeout(TimePoint now) override;

    [[nodiscard]] std::optional<SessionEvent> poll_event() override { return events_.poll(); }
    [[nodiscard]] const std::string &peer_node_id() const override {
        return contact_.header().node_id;
    }

private:
    enum class State : std::uint8_t {
        kNew,
        kSecuring,
        kContact,
        kIdentity,
        kEstablished,
        kFinishing,
        kLeaving,
        kEnded,
    };

    void transition(State to);
    [[nodiscard]] bool established() const {
        return state_ >= State::kEstablished && state_ < State::kEnded;
    }

    // ---- contact
    void send_contact();
    void handle_contact(std::size_t size);

    // ---- messages
    [[nodiscard]] LinkFault read_messages(ByteView rest, const Reading &reading, TimePoint now);
    [[nodiscard]] LinkFault handle_message(const MessageHead &head, ByteView rest,
                                           const Reading &reading, std::size_t &used,
                                           TimePoint now);
    [[nodiscard]] LinkFault handle_shutdown(ByteView rest, ReadBuffer &buffer, std::size_t &used,
                                            TimePoint now);
    void note_progress(TimePoint now);
    void publish_writable();

    // ---- the end
    void finish(TimePoint now);
    void go_on_ending(TimePoint now);
    void say_shutdown(const ShutdownMessage &message);
    void fail(LinkFault fault);
    void end(LinkFault fault);

    const SessionConfig config_;
    const UpstreamId id_;
    TxQueue queue_;
    Events events_;
    SessionTerms terms_;
    ContactReader contact_;
    Input input_;
    AckQueue ack_queue_;
    Receiver receiver_;
    Sender sender_;
    tcpcl::KeepAlive keep_alive_;
    tcpcl::AnswerLimit answer_limit_;
    State state_ = State::kNew;
    TimePoint deadline_ = kNever;   ///< of the handshake, or of the termination
    TimePoint quiet_due_ = kNever;  ///< the end comes then if no bundle is under way
    TimePoint last_turn_{};
    TimePoint memory_due_ = kNever;  ///< there is no memory for a bundle in pieces until then
    Duration reconnection_delay_{};  ///< of the peer's SHUTDOWN
    bool wanted_ = false;            ///< this side ends the session
    LinkFault why_ = LinkFault::kNone;
    bool peer_left_ = false;  ///< the peer's SHUTDOWN is here
    bool said_contact_ = false;
    bool said_shutdown_ = false;
    bool paused_ = false;
    bool starved_ = false;  ///< the host has seen that there is no credit
};

}  // namespace farlink::cla::tcpclv3
