// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/negotiation.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

using Kind = NegotiationStep::Kind;

NegotiationStep end(LinkFault fault, std::optional<TermReason> reason = std::nullopt) {
    return {Kind::kEnd, fault, reason, {}};
}

/// The version of RFC 7242.
constexpr std::uint8_t kVersionBefore = 3;

/// Of a peer whose first octets are no contact header. The length of an STCP frame begins with 0
/// unless its bundle has 16 MiB.
LinkFault stranger(ByteView octets) {
    return octets.front() == 0 ? LinkFault::kStcpNotTcpcl : LinkFault::kNotTcpcl;
}

NegotiationStep contact_failure(LinkFault fault = LinkFault::kContactFailure) {
    return end(fault, TermReason::kContactFailure);
}

}  // namespace

void Negotiation::transition(State to) {
    const bool allowed = to == State::kContact       ? state_ == State::kStart
                         : to == State::kSecuring    ? state_ == State::kContact
                         : to == State::kIdentifying ? state_ == State::kInitializing
                         : to == State::kComplete
                             ? state_ == State::kIdentifying
                             : state_ == State::kContact || state_ == State::kSecuring;
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

// RFC 9174 section 4.1: the active side sends first; the other one sends to a peer of TCPCL only.
void Negotiation::handle_connected() {
    transition(State::kContact);
    if (config_.role == SessionRole::kActive) send_contact();
}

void Negotiation::handle_secured() {
    FARLINK_INVARIANT(state_ == State::kSecuring);
    begin_initializing();
}

void Negotiation::handle_accepted() {
    transition(State::kComplete);
    if (config_.role == SessionRole::kPassive) send_init();
}

void Negotiation::send_contact() {
    const bool can_tls = config_.tls != TlsPolicy::kNone;
    out_.send(ContactHeader{kVersion, can_tls ? kCanTls : std::uint8_t{0}});
    contact_sent_ = true;
}

void Negotiation::send_init() {
    SessionInit init;
    init.keep_alive_seconds = own_keep_alive();
    init.segment_mru = config_.segment_mru;
    init.transfer_mru = config_.transfer_mru;
    init.node_id = config_.node_id;
    out_.send(init);
}

std::uint16_t Negotiation::own_keep_alive() const {
    const auto whole = std::chrono::duration_cast<seconds>(config_.keep_alive).count();
    return static_cast<std::uint16_t>(std::clamp<std::int64_t>(whole, 0, 0xffff));
}

void Negotiation::begin_initializing() {
    transition(State::kInitializing);
    if (config_.role == SessionRole::kActive) send_init();
}

std::size_t Negotiation::wanted(ByteView beginning) const {
    if (state_ == State::kContact) return kContactBytes;
    if (state_ != State::kInitializing) return kMaxHeadBytes;
    if (beginning.empty()) return 1;
    switch (static_cast<MessageType>(beginning[0])) {
        case MessageType::kSessInit:
            return std::min(session_init_extent(beginning), kMaxHeadBytes);
        case MessageType::kSessTerm:
            return kTermBytes;
        case MessageType::kMsgReject:
            return kRejectBytes;
        default:
            return 1;
    }
}

NegotiationStep Negotiation::handle(ByteView octets, bool &taken) {
    taken = true;
    if (state_ == State::kInitializing) return handle_message(octets, taken);
    if (state_ == State::kIdentifying) {
        // Not due yet; it can wait.
        taken = false;
        return octets.size() < kMaxHeadBytes ? NegotiationStep{} : end(LinkFault::kProtocolError);
    }
    // Clear-text octets behind the contact header need not be from the peer that TLS authenticates.
    if (state_ != State::kContact || octets.size() > kContactBytes)
        return end(LinkFault::kProtocolError);
    const auto contact = decode_contact(octets);
    if (contact) return handle_contact(*contact);
    // RFC 9174 section 4.3: nothing is sent to a peer of another protocol.
    if (contact.error() != DecodeError::kIncomplete) return end(stranger(octets));
    taken = false;
    return {};
}

/// RFC 9174 section 4.3.
NegotiationStep Negotiation::handle_contact(const ContactHeader &contact) {
    const bool passive = config_.role == SessionRole::kPassive;
    if (passive) send_contact();
    if (contact.version != kVersion) {
        const LinkFault fault = contact.version == kVersionBefore ? LinkFault::kTcpclVersion3
                                                                  : LinkFault::kVersionMismatch;
        if (!passive) return end(fault);
        return end(fault, TermReason::kVersionMismatch);
    }
    if ((contact.flags & ~kCanTls) != 0) deviations_.note(ProtocolDeviation::kReservedFlags);
    peer_can_tls_ = (contact.flags & kCanTls) != 0;
    const bool tls = config_.tls != TlsPolicy::kNone && peer_can_tls_;
    if (!tls && config_.tls == TlsPolicy::kRequired)
        return contact_failure(LinkFault::kTlsRequired);
    if (tls) {
        transition(State::kSecuring);
        return {Kind::kStartTls, {}, {}, {}};
    }
    begin_initializing();
    return {};
}

NegotiationStep Negotiation::handle_message(ByteView octets, bool &taken) {
    const auto type = static_cast<MessageType>(octets[0]);
    const auto incomplete = [&taken] {
        taken = false;
        return NegotiationStep{};
    };
    switch (type) {
        case MessageType::kSessInit: {
            const auto init = decode_session_init(octets);
            if (init) return handle_init(*init);
            if (init.error() == DecodeError::kIncomplete) return incomplete();
            return contact_failure();
        }
        case MessageType::kSessTerm: {
            const auto term = decode_term(octets);
            if (!term) return incomplete();
            return {Kind::kTerminated, fault_of(*term), {}, *term};
        }
        case MessageType::kMsgReject:  // of SESS_INIT: there is nothing else yet
            return octets.size() < kRejectBytes ? incomplete()
                                                : end(LinkFault::kPeerRefusedSession);
        case MessageType::kKeepAlive:
            return {};
        case MessageType::kXferSegment:
        case MessageType::kXferAck:
        case MessageType::kXferRefuse:
            out_.reject(RejectReason::kUnexpected, type);
            return end(LinkFault::kProtocolError);
    }
    out_.reject(RejectReason::kTypeUnknown, type);  // RFC 9174 section 5.1.2
    return end(LinkFault::kProtocolError);
}

// A peer with TLS that refuses the session when this side offers none.
LinkFault Negotiation::fault_of(const Term &term) const {
    const bool wants_tls = peer_can_tls_ && config_.tls == TlsPolicy::kNone &&
                           term.reason == static_cast<std::uint8_t>(TermReason::kContactFailure);
    return wants_tls ? LinkFault::kPeerRequiresTls : Termination::fault_of(term.reason);
}

/// RFC 9174 section 4.7.
NegotiationStep Negotiation::handle_init(const SessionInit &init) {
    if (init.segment_mru == 0 || init.transfer_mru == 0) return contact_failure();
    if (!acceptable_items(init.items)) return contact_failure();
    if (!acceptable_node_id(init.node_id)) return contact_failure();
    parameters_.keep_alive = seconds(std::min(own_keep_alive(), init.keep_alive_seconds));
    const std::uint64_t own_limit =
        config_.max_segment > 0 ? config_.max_segment : ~std::uint64_t{0};
    parameters_.segment_bytes = std::min(init.segment_mru, own_limit);
    parameters_.transfer_mtu = init.transfer_mru;
    peer_node_id_ = init.node_id;
    transition(State::kIdentifying);
    return {Kind::kAnnounced, {}, {}, {}};
}

/// RFC 9174 section 4.8. No type of session extension item is known.
bool Negotiation::acceptable_items(ByteView encoded) {
    ItemReader items(encoded);
    while (const auto item = items.next()) {
        if (item->is_critical()) return false;
        if (item->flags != 0) deviations_.note(ProtocolDeviation::kReservedFlags);
    }
    return !items.is_malformed();
}

/// RFC 9174 section 4.6: a URI of a scheme of the bundle protocol, or nothing.
bool Negotiation::acceptable_node_id(std::string_view node_id) {
    if (node_id.empty()) return true;
    const auto eid = bp::Eid::parse(node_id);
    if (!eid || eid->view().is_null()) return false;
    const bool with_service = eid->view().scheme == bp::EidScheme::kIpn && eid->view().service != 0;
    return !with_service || deviations_.allow(ProtocolDeviation::kNodeIdWithService);
}

}  // namespace farlink::cla::tcpclv4
