// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/session.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace farlink::cla::tcpclv3 {
namespace {

/// What answers may pile up for a peer that does not read them; then it is not read either.
constexpr std::uint64_t kMaxAnswerBytes = 1024 * 1024;
/// A bundle in pieces waits so long for memory.
constexpr milliseconds kMemoryWait{10};
/// So long a session in which all is acknowledged waits for the peer's SHUTDOWN.
constexpr seconds kQuietLimit{1};
/// The reconnection delay for a peer that is refused for lack of room (section 6.1).
constexpr std::uint64_t kUnwantedDelaySeconds = 60;
constexpr std::uint64_t kBusyDelaySeconds = 5;
/// What section 6.1 calls infinite; a point in time plus this is still a point in time.
constexpr Duration kForEver = Duration::max() / 4;

[[nodiscard]] TimePoint after(TimePoint now, Duration limit) {
    return limit > Duration{} ? now + limit : kNever;
}

[[nodiscard]] Duration delay_of(std::uint64_t delay_s) {
    const auto longest =
        static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(kForEver).count());
    return delay_s == 0 || delay_s > longest ? kForEver
                                             : seconds(static_cast<std::int64_t>(delay_s));
}

[[nodiscard]] ShutdownMessage shutdown_for(LinkFault fault) {
    const auto reason = [](ShutdownReason code) { return static_cast<std::uint8_t>(code); };
    switch (fault) {
        case LinkFault::kVersionMismatch:
        case LinkFault::kTcpclVersion4:
            return {.reason = reason(ShutdownReason::kVersionMismatch)};
        case LinkFault::kIdleTimeout:
        case LinkFault::kHandshakeTimeout:
            return {.reason = reason(ShutdownReason::kIdleTimeout)};
        case LinkFault::kIdentityRefused:
        case LinkFault::kContactFailure:
            return {.reason = reason(ShutdownReason::kBusy),
                    .reconnection_delay_s = kUnwantedDelaySeconds};
        case LinkFault::kNoRoom:
        case LinkFault::kFrameTooLarge:
            return {.reason = reason(ShutdownReason::kBusy),
                    .reconnection_delay_s = kBusyDelaySeconds};
        default:
            return {};
    }
}

}  // namespace

Session::Session(const SessionConfig &config, UpstreamId id)
    : config_(config),
      id_(id),
      events_(config.strict),
      ack_queue_(queue_),
      receiver_(config_, id, ack_queue_, events_),
      sender_(config_, queue_, events_),
      answer_limit_(config.acknowledge_limit) {}

void Session::transition(State to) {
    const bool next = static_cast<int>(to) == static_cast<int>(state_) + 1;
    const bool allowed = (state_ != State::kEnded && (next || to == State::kEnded)) ||
                         (state_ == State::kNew && to == State::kContact);
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

// ---- contact

void Session::handle_connected(TimePoint now) {
    FARLINK_INVARIANT(state_ == State::kNew);
    deadline_ = after(now, config_.handshake_limit);
    if (config_.tls != TlsPolicy::kRequired) return send_contact();
    transition(State::kSecuring);
    events_.add(SessionEvent::Kind::kStartTls);
}

void Session::handle_secured(TimePoint) {
    if (state_ == State::kSecuring) send_contact();
}

// Section 4: both sides send at once and wait for nothing.
void Session::send_contact() {
    transition(State::kContact);
    queue_.copy(encode_contact(own_contact(config_.node_id, config_.keep_alive)));
    said_contact_ = true;
}

void Session::handle_contact(std::size_t size) {
    switch (contact_.handle_bytes(size)) {
        case ContactReader::Status::kIncomplete:
            return;
        case ContactReader::Status::kComplete:
            transition(State::kIdentity);
            return events_.add(SessionEvent::Kind::kPeerAnnounced);
        case ContactReader::Status::kBadMagic:
            // Section 6.1: a peer of another protocol gets no reason.
            said_shutdown_ = true;
            return fail(contact_.stranger());
        case ContactReader::Status::kOtherVersion:
            return fail(contact_.version() == kNextVersion ? LinkFault::kTcpclVersion4
                                                           : LinkFault::kVersionMismatch);
        case ContactReader::Status::kBadNodeId:
            return fail(LinkFault::kContactFailure);
    }
}

void Session::handle_identity(bool accepted, TimePoint now) {
    if (state_ != State::kIdentity) return;
    if (!accepted) return fail(LinkFault::kIdentityRefused);
    terms_ = negotiate(own_contact(config_.node_id, config_.keep_alive), contact_.header());
    SessionTerms answering = terms_;
    if (config_.disconnect_without_room) answering.refusal = false;
    ack_queue_.agree(answering);
    sender_.agree(terms_);
    keep_alive_.start(terms_.keep_alive, now);
    if (paused_) keep_alive_.handle_read_paused();
    deadline_ = kNever;
    transition(State::kEstablished);
    events_.add(SessionEvent::Kind::kEstablished);
}

void Session::handle_peer_closed(TimePoint) {
    if (state_ == State::kEnded) return;
    if (wanted_ && (state_ == State::kLeaving || peer_left_)) return end(LinkFault::kNone);
    if (peer_left_) return end(LinkFault::kPeerTerminated);
    end(inside_bundle() ? LinkFault::kTruncatedBundle : LinkFault::kPeerClosed);
}

// ---- octets in

MutableBytes Session::prepare(ReadBuffer &buffer) {
    if (state_ == State::kContact) return contact_.space();
    const MutableBytes space = input_.prepare(buffer, receiver_.finishing(), receiver_.spools());
    // Of a bundle in pieces much may have come already, and its memory is free again as soon as
    // what is here is stored: it is not refused.
    if (space.empty()) {
        memory_due_ = last_turn_ + kMemoryWait;
        keep_alive_.handle_read_paused();
        answer_limit_.handle_read_paused();
    }
    return space;
}

void Session::handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                           TimePoint now) {
    if (state_ == State::kContact) return handle_contact(size);
    if (!established()) return;
    last_turn_ = now;
    if (out.empty()) out.first_transfer = receiver_.delivered();
    keep_alive_.handle_received(now);
    if (paused_) keep_alive_.handle_read_paused();
    const Input::Arrival arrival = input_.take(size, buffer);
    const LinkFault fault = read_messages(arrival.octets, {arrival.slab, buffer, out}, now);
    if (established()) {
        events_.bundles_refused(receiver_.take_refused());
        sender_.handle_answers_read();
        note_progress(now);
        publish_writable();
        if (fault == LinkFault::kNone)
            go_on_ending(now);
        else
            fail(fault);
    }
    if (state_ == State::kEnded) buffer.finished(id_);
}

LinkFault Session::read_messages(ByteView rest, const Reading &reading, TimePoint now) {
    LinkFault fault = LinkFault::kNone;
    std::size_t used = 0;
    if (receiver_.inside_segment()) fault = receiver_.handle_more(rest, reading, used);
    rest = rest.subspan(used);
    while (fault == LinkFault::kNone && !rest.empty() && established()) {
        const auto head = decode_head(rest);
        if (!head && head.error() == MessageError::kTruncated) break;
        if (!head) return LinkFault::kProtocolError;
        used = head->size;
        fault = handle_message(*head, rest, reading, used, now);
        if (used == 0) break;  // the rest of the message is awaited
        rest = rest.subspan(used);
    }
    if (fault == LinkFault::kNone && established()) input_.hand_back(rest);
    return fault;
}

LinkFault Session::handle_message(const MessageHead &head, ByteView rest, const Reading &reading,
                                  std::size_t &used, TimePoint now) {
    switch (head.type) {
        case MessageType::kDataSegment:
            // Section 3: after SHUTDOWN no more of these.
            if (peer_left_) return LinkFault::kProtocolError;
            return receiver_.handle_segment(head, rest, reading, used);
        case MessageType::kRefuseBundle:
            return sender_.handle_refusal(head.flags);
        case MessageType::kShutdown:
            return handle_shutdown(rest, reading.buffer, used, now);
        case MessageType::kAckSegment:
        case MessageType::kLength:
        case MessageType::kKeepAlive:
            break;
    }
    if (head.flags != 0 && !events_.tolerates(ProtocolDeviation::kReservedFlags))
        return LinkFault::kProtocolError;
    if (head.type == MessageType::kAckSegment) return sender_.handle_acknowledgement(head.number);
    if (head.type == MessageType::kLength) return receiver_.handle_length(head.number);
    const bool expected = keep_alive_.enabled();
    return expected || events_.tolerates(ProtocolDeviation::kKeepAliveUnexpected)
               ? LinkFault::kNone
               : LinkFault::kProtocolError;
}

// Section 6.1. The peer sends no more bundles and still reads: what has begun towards it is
// finished, what it waits for is answered, and then it is left.
LinkFault Session::handle_shutdown(ByteView rest, ReadBuffer &buffer, std::size_t &used,
                                   TimePoint now) {
    used = 0;
    const auto message = decode_shutdown(rest);
    if (!message && message.error() == MessageError::kTruncated) return LinkFault::kNone;
    if (!message || peer_left_) return LinkFault::kProtocolError;
    used = message->size;
    peer_left_ = true;
    receiver_.forget();
    buffer.finished(id_);
    if (message->reconnection_delay_s)
        reconnection_delay_ = delay_of(*message->reconnection_delay_s);
    const auto reason = message->reason.value_or(0);
    if (reason > static_cast<std::uint8_t>(ShutdownReason::kBusy) &&
        !events_.tolerates(ProtocolDeviation::kUnknownTerminationReason))
        return LinkFault::kProtocolError;
    if (message->reason && reason == static_cast<std::uint8_t>(ShutdownReason::kVersionMismatch)) {
        end(LinkFault::kVersionMismatch);
        return LinkFault::kNone;
    }
    if (state_ == State::kEstablished) finish(now);
    return LinkFault::kNone;
}

// False while the session takes no octets. Acknowledgements of what was sent are always taken, and
// the answers that come due meanwhile are bounded.
bool Session::wants_read() const {
    if (state_ == State::kContact) return true;
    if (!established() || queue_.block_bytes() > config_.max_unsent + kMaxAnswerBytes) return false;
    // A bundle in pieces has no end that could be awaited.
    if (receiver_.spools() && (paused_ || memory_due_ != kNever || ack_queue_.overfull()))
        return false;
    if (!paused_) return true;
    if (!terms_.acknowledgements) return false;
    return sender_.awaits_answers() || state_ != State::kEstablished;
}

bool Session::inside_bundle() const {
    return receiver_.inside_bundle() || (established() && input_.inside_message());
}

// ---- commands

void Session::handle_send(std::span<const TxBundle> bundles, TimePoint now) {
    if (state_ != State::kEstablished && state_ != State::kFinishing) return;
    sender_.handle_send(bundles);
    sender_.report();
    note_progress(now);
    starved_ = starved_ || sender_.credit() == 0;
}

void Session::handle_disposition(std::uint64_t first, std::uint32_t count,
                                 TransferDisposition disposition, TimePoint now) {
    if (!established()) return;
    if (!ack_queue_.handle_disposition(first, count, disposition))
        return fail(disposition == TransferDisposition::kNoResources ? LinkFault::kNoRoom
                                                                     : LinkFault::kProtocolError);
    go_on_ending(now);
}

void Session::handle_pause(bool paused) {
    paused_ = paused;
    if (paused) keep_alive_.handle_read_paused();
    if (!wants_read()) answer_limit_.handle_read_paused();
    receiver_.handle_pause(paused);
}

std::uint64_t Session::transmit_credit() const {
    const bool sends = state_ == State::kEstablished || state_ == State::kFinishing;
    return sends ? sender_.credit() : 0;
}

void Session::handle_written(TimePoint now) {
    if (!established()) return;
    keep_alive_.handle_sent(now);
    sender_.handle_written();
    sender_.report();
    note_progress(now);
    publish_writable();
    go_on_ending(now);
}

void Session::publish_writable() {
    if (!starved_ || transmit_credit() == 0) return;
    starved_ = false;
    events_.add(SessionEvent::Kind::kWritable);
}

void Session::note_progress(TimePoint now) {
    answer_limit_.observe(sender_.may_stall(), sender_.progress(), now);
}

// ---- time

TimePoint Session::next_timeout() const {
    if (state_ == State::kEnded) return kNever;
    if (!established()) return deadline_;
    return std::min({deadline_, quiet_due_, keep_alive_.send_due(), keep_alive_.idle_due(),
                     answer_limit_.due(), memory_due_});
}

void Session::handle_timeout(TimePoint now) {
    if (state_ == State::kEnded) return;
    last_turn_ = now;
    if (memory_due_ <= now) memory_due_ = kNever;
    if (now >= quiet_due_) {
        const bool quiet = !inside_bundle() && ack_queue_.all_acknowledged();
        quiet_due_ = quiet ? now : now + kQuietLimit;
    }
    if (now >= std::min(deadline_, quiet_due_)) {
        if (!established()) return fail(LinkFault::kHandshakeTimeout);
        return fail(peer_left_ ? LinkFault::kPeerTerminated : LinkFault::kTerminationTimeout);
    }
    if (!established()) return;
    note_progress(now);
    if (answer_limit_.passed(wants_read(), now)) return fail(LinkFault::kUnresponsive);
    if (keep_alive_.peer_is_idle(wants_read(), paused_, now)) return fail(LinkFault::kIdleTimeout);
    if (now >= keep_alive_.send_due()) {
        // Octets that wait to be written keep the session alive as well.
        if (queue_.pending() == 0) queue_.copy(std::array{one_octet(MessageType::kKeepAlive)});
        keep_alive_.handle_sent(now);
    }
}

// ---- the end

void Session::handle_terminate(LinkFault why, TimePoint now) {
    if (state_ == State::kEnded) return;
    wanted_ = true;
    why_ = why;
    if (!established()) {
        // Section 4: a connection that is refused during the contact gets a reason.
        say_shutdown({.reason = static_cast<std::uint8_t>(ShutdownReason::kBusy)});
        return end(LinkFault::kNone);
    }
    // A bundle whose octets are not all here would not end in time.
    if (sender_.inside_bundle()) return fail(LinkFault::kNone);
    if (state_ == State::kEstablished) {
        finish(now);
        go_on_ending(now);
    }
}

void Session::finish(TimePoint now) {
    transition(State::kFinishing);
    deadline_ = after(now, config_.termination_limit);
    sender_.finish();
    receiver_.close();
}

// Many peers close the connection when they receive SHUTDOWN, so it comes last: "a node
// SHOULD acknowledge all received data segments first" (section 6.1).
void Session::go_on_ending(TimePoint now) {
    if (state_ == State::kFinishing && sender_.idle() && ack_queue_.all_acknowledged() &&
        !receiver_.inside_bundle() && !receiver_.inside_segment()) {
        say_shutdown(shutdown_for(why_));
        transition(State::kLeaving);
        if (terms_.acknowledgements) quiet_due_ = now + kQuietLimit;
    }
    if (state_ == State::kLeaving && peer_left_ && ack_queue_.all_acknowledged())
        end(wanted_ ? LinkFault::kNone : LinkFault::kPeerTerminated);
}

void Session::say_shutdown(const ShutdownMessage &message) {
    if (!said_contact_ || std::exchange(said_shutdown_, true)) return;
    queue_.commit(encode_shutdown(message, queue_.reserve(kMaxShutdownBytes).data()));
}

void Session::fail(LinkFault fault) {
    if (sender_.withdraw())
        say_shutdown(shutdown_for(fault));
    else
        queue_.clear();  // section 6.1: SHUTDOWN would be read as bundle data
    end(fault);
}

void Session::end(LinkFault fault) {
    sender_.report();
    if (!sender_.withdraw()) queue_.clear();
    receiver_.forget();
    transition(State::kEnded);
    events_.ended(fault, reconnection_delay_);
}

}  // namespace farlink::cla::tcpclv3
