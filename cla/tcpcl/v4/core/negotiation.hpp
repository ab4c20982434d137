// SPDX-License-Identifier: Apache-2.0
// Everything before the session: contact headers, whether TLS is used, SESS_INIT, the parameters
// (RFC 9174 sections 4.2 to 4.8).
// Owned by one session; one thread.
// It never takes more octets than belong to the message at hand, so that what follows it stays
// in the connection: for TLS, or until the host has accepted the peer.
#pragma once

#include <cstdint>
#include <string>

#include "cla/api/session_core.hpp"
#include "cla/tcpcl/v4/core/deviations.hpp"
#include "cla/tcpcl/v4/core/termination.hpp"
#include "cla/tcpcl/v4/core/wire_out.hpp"

namespace farlink::cla::tcpclv4 {

/// What both sides have agreed on (RFC 9174 section 4.7).
struct SessionParameters {
    Duration keep_alive{};            ///< zero: none
    std::uint64_t segment_bytes = 0;  ///< largest segment to send
    std::uint64_t transfer_mtu = 0;   ///< largest bundle to send, bytes
};

/// What a message of the peer led to.
struct NegotiationStep {
    enum class Kind : std::uint8_t {
        kContinue,    ///< more is to come
        kStartTls,    ///< the octets that follow belong to TLS
        kAnnounced,   ///< the peer's SESS_INIT is accepted as far as this layer goes
        kTerminated,  ///< the peer's SESS_TERM instead: `term`
        kEnd,         ///< send `reason` if there is one, and close because of `fault`
    };
    Kind kind = Kind::kContinue;
    LinkFault fault = LinkFault::kNone;
    std::optional<TermReason> reason;
    Term term;
};

///   kStart ─connected─► kContact ─both headers─► kInitializing ─SESS_INIT─► kIdentifying
///                           │                         ▲                         │ accepted
///                           └──── TLS ─► kSecuring ───┘ secured                 ▼
///                                                                            kComplete
class Negotiation {
public:
    enum class State : std::uint8_t {
        kStart,
        kContact,
        kSecuring,
        kInitializing,
        kIdentifying,
        kComplete,
    };

    Negotiation(const SessionConfig &config, WireOut &out, ProtocolDeviations &deviations)
        : config_(config), out_(out), deviations_(deviations) {}

    void handle_connected();
    void handle_secured();
    /// The host has accepted the peer: the session is established.
    void handle_accepted();
    /// `octets` are those of the message at hand that have come; all of them are taken unless the
    /// answer is kContinue with `taken` false.
    [[nodiscard]] NegotiationStep handle(ByteView octets, bool &taken);
    /// How many octets the message at hand consists of, at least, given its beginning.
    [[nodiscard]] std::size_t wanted(ByteView beginning) const;

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool complete() const { return state_ == State::kComplete; }
    /// The next message is the peer's.
    [[nodiscard]] bool awaits_peer() const {
        return state_ == State::kContact || state_ == State::kInitializing;
    }
    /// A SESS_TERM may be sent: after the contact header, and not amid a TLS handshake.
    [[nodiscard]] bool may_terminate() const { return contact_sent_ && state_ != State::kSecuring; }
    [[nodiscard]] const std::string &peer_node_id() const { return peer_node_id_; }
    [[nodiscard]] const SessionParameters &parameters() const { return parameters_; }

private:
    void transition(State to);
    void send_contact();
    void send_init();
    [[nodiscard]] std::uint16_t own_keep_alive() const;
    void begin_initializing();
    [[nodiscard]] NegotiationStep handle_contact(const ContactHeader &contact);
    [[nodiscard]] NegotiationStep handle_message(ByteView octets, bool &taken);
    [[nodiscard]] NegotiationStep handle_init(const SessionInit &init);
    [[nodiscard]] LinkFault fault_of(const Term &term) const;
    [[nodiscard]] bool acceptable_items(ByteView items);
    [[nodiscard]] bool acceptable_node_id(std::string_view node_id);

    const SessionConfig &config_;
    WireOut &out_;
    ProtocolDeviations &deviations_;
    State state_ = State::kStart;
    bool contact_sent_ = false;
    bool peer_can_tls_ = false;
    std::string peer_node_id_;
    SessionParameters parameters_;
};

}  // namespace farlink::cla::tcpclv4
