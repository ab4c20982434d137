// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/session.hpp"

#include <algorithm>
#include <utility>

#include "common/base/copy_octets.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

/// A peer that lets more than this wait, bytes, does not read its answers.
constexpr std::uint64_t kMaxAnswerBytes = 32 * 1024 * 1024;
/// A peer may ask for segments so small that their heads outweigh them.
constexpr std::uint64_t kSmallSegmentBytes = 512;
constexpr std::size_t kSpareBytes = 16 * 1024;
static_assert(kSpareBytes > StreamReader::kCarryBytes);
/// A bundle in pieces waits so long for memory.
constexpr milliseconds kMemoryWait{10};
/// So long a session with nothing under way waits for the peer's SESS_TERM.
constexpr seconds kQuietLimit{1};

TimePoint after(TimePoint now, Duration limit) {
    return limit > Duration::zero() ? now + limit : kNever;
}

}  // namespace

Session::Session(SessionConfig config, UpstreamId id)
    : config_(std::move(config)),
      id_(id),
      deviations_(config_.strict),
      negotiation_(config_, out_, deviations_),
      receiver_({config_.segment_mru, config_.transfer_mru, config_.max_unacknowledged,
                 config_.disconnect_without_room, config_.always_limited},
                out_, deviations_),
      sender_(out_, deviations_, events_),
      answer_limit_(config_.acknowledge_limit) {}

void Session::transition(State to) {
    FARLINK_INVARIANT(to > state_);
    state_ = to;
}

// ---- the connection

void Session::handle_connected(TimePoint now) {
    handshake_due_ = after(now, config_.handshake_limit);
    negotiation_.handle_connected();
}

void Session::handle_secured(TimePoint) {
    if (state_ == State::kNegotiating) negotiation_.handle_secured();
}

void Session::handle_identity(bool accepted, TimePoint now) {
    if (state_ != State::kNegotiating) return;
    if (!accepted) return fail(TermReason::kContactFailure, LinkFault::kIdentityRefused);
    negotiation_.handle_accepted();
    const SessionParameters &agreed = negotiation_.parameters();
    sender_.start(agreed.segment_bytes, agreed.transfer_mtu);
    keep_alive_.start(agreed.keep_alive, now);
    handshake_due_ = kNever;
    transition(State::kEstablished);
    report(Kind::kEstablished);
}

void Session::handle_peer_closed(TimePoint) {
    if (state_ == State::kEnding && !inside_bundle()) return end(termination_.fault());
    end(inside_bundle() ? LinkFault::kTruncatedBundle : LinkFault::kPeerClosed);
}

// ---- octets in

MutableBytes Session::prepare(ReadBuffer &buffer) {
    MutableBytes space = reader_.prepare(buffer, receiver_.inside_bundle() ? id_ : kNoUpstream);
    if (space.empty() && receiver_.spools()) {
        // Much of it may have come already, and its memory is free again as soon as what is here
        // is stored: it is not refused.
        memory_due_ = last_turn_ + kMemoryWait;
        handle_read_paused();
        return {};
    }
    if (space.empty())
        space = spare_space();
    else
        spare_.reset();
    if (negotiation_.complete()) return space;
    const ByteView begun = reader_.handed_back();
    const std::size_t wanted = negotiation_.wanted(begun);
    const std::size_t more = wanted > begun.size() ? wanted - begun.size() : 1;
    return space.first(std::min(space.size(), more));
}

/// Without slabs the messages of the peer are read all the same: acknowledgements must get through.
MutableBytes Session::spare_space() {
    if (!spare_) spare_ = std::make_unique_for_overwrite<std::uint8_t[]>(kSpareBytes);
    const ByteView begun = reader_.handed_back();
    copy_octets(begun, spare_.get());
    return MutableBytes{spare_.get(), kSpareBytes}.subspan(begun.size());
}

void Session::handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                           TimePoint now) {
    if (state_ == State::kEnded) return;
    last_turn_ = now;
    const auto spare = std::move(spare_);
    const ByteView fresh = spare ? ByteView{spare.get(), reader_.handed_back().size() + size}
                                 : reader_.take(size, buffer);
    reader_.clear();
    const SlabRef slab = spare ? SlabRef{} : buffer.slab();
    keep_alive_.handle_received(now);
    out.first_transfer = receiver_.ack_queue().next_number();
    const std::uint64_t begun = receiver_.begun();
    const std::size_t delivered = out.bundles.size();
    receiver_.spool_above(buffer.spool_above());
    if (negotiation_.complete())
        read_messages(fresh, slab, out, now);
    else
        negotiate(fresh);
    if (!receiver_.inside_bundle() || receiver_.begun() != begun || out.bundles.size() > delivered)
        buffer.finished(id_);
    conclude(now);
}

void Session::negotiate(ByteView fresh) {
    bool taken = false;
    const NegotiationStep step = negotiation_.handle(fresh, taken);
    if (!taken) reader_.hand_back(fresh);
    switch (step.kind) {
        case NegotiationStep::Kind::kContinue:
            return;
        case NegotiationStep::Kind::kStartTls:
            return report(Kind::kStartTls);
        case NegotiationStep::Kind::kAnnounced:
            return report(Kind::kPeerAnnounced);
        case NegotiationStep::Kind::kTerminated:
            out_.send(Termination::reply_to(step.term));
            return end(step.fault);
        case NegotiationStep::Kind::kEnd:
            if (step.reason) out_.send(*step.reason);
            return end(step.fault);
    }
}

void Session::read_messages(ByteView fresh, const SlabRef &slab, ReceivedBundles &out,
                            TimePoint now) {
    if (receiver_.missing() > 0) receiver_.continue_segment(fresh, slab, out);
    while (!fresh.empty() && state_ != State::kEnded) {
        auto parsed = Parsed::kDone;
        switch (static_cast<MessageType>(fresh[0])) {
            case MessageType::kXferSegment:
                parsed = receiver_.handle_segments(fresh, slab, out);
                break;
            case MessageType::kXferAck:
                parsed = sender_.handle_acks(fresh);
                break;
            default:
                parsed = handle_control(fresh, now);
        }
        if (parsed == Parsed::kFault) return end(LinkFault::kProtocolError);
        if (receiver_.must_disconnect())
            return fail(TermReason::kResourceExhaustion, LinkFault::kNoRoom);
        if (parsed == Parsed::kIncomplete) return reader_.hand_back(fresh);
    }
}

Parsed Session::handle_control(ByteView &fresh, TimePoint now) {
    const auto type = static_cast<MessageType>(fresh[0]);
    switch (type) {
        case MessageType::kKeepAlive:
            if (!keep_alive_.enabled()) deviations_.note(ProtocolDeviation::kKeepAliveUnexpected);
            fresh = fresh.subspan(1);
            return Parsed::kDone;
        case MessageType::kXferRefuse:
            return sender_.handle_refuse(fresh);
        case MessageType::kSessTerm:
            return handle_term(fresh, now);
        case MessageType::kMsgReject:
            return handle_reject(fresh);
        case MessageType::kSessInit:
            return handle_second_init(fresh);
        default:
            out_.reject(RejectReason::kTypeUnknown, type);  // RFC 9174 section 5.1.2
            return Parsed::kFault;
    }
}

Parsed Session::handle_term(ByteView &fresh, TimePoint now) {
    const auto term = decode_term(fresh);
    if (!term) return Parsed::kIncomplete;
    fresh = fresh.subspan(kTermBytes);
    switch (termination_.handle_term(*term, deviations_)) {
        case Termination::Answer::kReply:
            out_.send(Termination::reply_to(*term));
            begin_ending(now);
            break;
        case Termination::Answer::kReject:
            out_.reject(RejectReason::kUnexpected, MessageType::kSessTerm);
            break;
        case Termination::Answer::kNothing:
            break;
    }
    return Parsed::kDone;
}

// The peer has rejected a message of this side. Without segments there is no session, so it ends; a
// rejected late acknowledgement has no effect.
Parsed Session::handle_reject(ByteView &fresh) {
    const auto reject = decode_reject(fresh);
    if (!reject) return Parsed::kIncomplete;
    fresh = fresh.subspan(kRejectBytes);
    if (reject->rejected == static_cast<std::uint8_t>(MessageType::kXferSegment))
        fail(TermReason::kUnknown, LinkFault::kProtocolError);
    return Parsed::kDone;
}

Parsed Session::handle_second_init(ByteView &fresh) {
    const std::size_t extent = session_init_extent(fresh);
    if (extent <= kMaxHeadBytes && fresh.size() < extent) return Parsed::kIncomplete;
    out_.reject(RejectReason::kUnexpected, MessageType::kSessInit);
    if (extent > kMaxHeadBytes) return Parsed::kFault;
    fresh = fresh.subspan(extent);
    return Parsed::kDone;
}

// While the host is paused, TCP holds the peer, unless that would hold back acknowledgements too:
// but a bundle in pieces has no end that could be awaited.
bool Session::wants_read() const {
    if (receiver_.spools() && (paused_ || memory_due_ != kNever)) return false;
    switch (state_) {
        case State::kNegotiating:
            return negotiation_.awaits_peer();
        case State::kEstablished:
            return !paused_ || sender_.unanswered() > 0;
        case State::kEnding:
            return true;
        case State::kEnded:
            break;
    }
    return false;
}

bool Session::inside_bundle() const {
    const ByteView begun = reader_.handed_back();
    return receiver_.inside_bundle() ||
           (negotiation_.complete() && !begun.empty() &&
            begun[0] == static_cast<std::uint8_t>(MessageType::kXferSegment));
}

// ---- commands of the host

void Session::handle_send(std::span<const TxBundle> bundles, TimePoint now) {
    // What is not taken the host still has when the end is reported.
    if (state_ == State::kEstablished) {
        sender_.handle_send(bundles);
    } else {
        for (; !bundles.empty() && sender_.inside_bundle(); bundles = bundles.subspan(1))
            sender_.handle_send(bundles.first(1));
    }
    conclude(now);
}

void Session::handle_disposition(std::uint64_t first, std::uint32_t count,
                                 TransferDisposition disposition, TimePoint now) {
    if (state_ == State::kEnded) return;
    if (config_.disconnect_without_room && disposition == TransferDisposition::kNoResources)
        return fail(TermReason::kResourceExhaustion, LinkFault::kNoRoom);
    receiver_.handle_disposition(first, count, disposition);
    conclude(now);
}

void Session::handle_read_paused() {
    keep_alive_.handle_read_paused();
    answer_limit_.handle_read_paused();
}

void Session::handle_pause(bool paused) {
    paused_ = paused;
    receiver_.handle_pause(paused);
    if (!wants_read()) handle_read_paused();
}

// Section 6.1, table 8: of the reasons only that of an idle session fits. A transfer whose octets
// are not all here would not end in time.
void Session::handle_terminate(LinkFault why, TimePoint now) {
    if (state_ == State::kNegotiating) return fail(TermReason::kUnknown, LinkFault::kNone);
    if (state_ >= State::kEnding) {
        if (state_ == State::kEnding && sender_.inside_bundle()) end(termination_.fault());
        return;
    }
    if (sender_.inside_bundle()) return fail(TermReason::kUnknown, LinkFault::kNone);
    termination_.handle_terminate();
    out_.send(why == LinkFault::kIdleTimeout ? TermReason::kIdleTimeout : TermReason::kUnknown);
    begin_ending(now);
    conclude(now);
}

std::uint64_t Session::transmit_credit() const {
    const bool may_begin =
        state_ == State::kEstablished && sender_.unanswered() < config_.max_transfers;
    if (!may_begin && !sender_.inside_bundle()) return 0;
    const std::uint64_t waiting = out_.queue().pending() + sender_.unqueued();
    if (waiting >= config_.max_unsent) return 0;
    // In the queue, small segments cost more than their octets.
    const std::uint64_t room = config_.max_unsent - waiting;
    const std::uint64_t segment = negotiation_.parameters().segment_bytes;
    if (segment >= kSmallSegmentBytes) return room;
    return std::max<std::uint64_t>(1, room / kSmallSegmentBytes * segment);
}

// ---- octets out, time

void Session::handle_written(TimePoint now) {
    out_.handle_written();
    if (state_ == State::kEnded) return;
    sender_.handle_written();
    keep_alive_.handle_sent(now);
    conclude(now);
}

TimePoint Session::next_timeout() const {
    if (state_ == State::kEnded) return kNever;
    return std::min({handshake_due_, termination_due_, quiet_due_, answer_limit_.due(), memory_due_,
                     keep_alive_.send_due(), keep_alive_.idle_due()});
}

void Session::handle_timeout(TimePoint now) {
    if (state_ == State::kEnded) return;
    last_turn_ = now;
    if (memory_due_ <= now) memory_due_ = kNever;
    if (handshake_due_ <= now) {
        // RFC 9174 section 4.1: without a contact header there is nothing to terminate.
        if (negotiation_.state() == Negotiation::State::kContact)
            return end(LinkFault::kHandshakeTimeout);
        return fail(TermReason::kIdleTimeout, LinkFault::kHandshakeTimeout);
    }
    if (quiet_due_ <= now) {
        const bool quiet = sender_.unanswered() == 0 && receiver_.idle() && !inside_bundle() &&
                           out_.queue().pending() == 0 && wants_read();
        quiet_due_ = quiet ? now : after(now, kQuietLimit);
    }
    if (std::min(termination_due_, quiet_due_) <= now) return end(LinkFault::kTerminationTimeout);
    if (keep_alive_.peer_is_idle(wants_read(), !wants_read(), now))
        return fail(TermReason::kIdleTimeout, LinkFault::kIdleTimeout);
    if (answer_limit_.passed(wants_read(), now))
        return fail(TermReason::kResourceExhaustion, LinkFault::kUnresponsive);
    if (keep_alive_.send_due() <= now) {
        // Octets that wait in the queue keep the session alive as well.
        if (out_.queue().pending() == 0) out_.send_keep_alive();
        keep_alive_.handle_sent(now);
    }
}

// ---- what follows

/// RFC 9174 section 6.1: what is in progress may be finished, nothing begins any more.
void Session::begin_ending(TimePoint now) {
    transition(State::kEnding);
    receiver_.handle_ending();
    termination_due_ = after(now, config_.termination_limit);
    quiet_due_ = after(now, kQuietLimit);
}

/// Ends the session at once; sends SESS_TERM where the stream allows it.
void Session::fail(TermReason reason, LinkFault fault) {
    const bool at_boundary = sender_.abandon();
    if (at_boundary && negotiation_.may_terminate() && !termination_.ending()) out_.send(reason);
    end(fault);
}

void Session::end(LinkFault fault) {
    if (state_ == State::kEnded) return;
    static_cast<void>(sender_.abandon());
    report_observed();
    receiver_.forget();
    reader_.clear();
    transition(State::kEnded);
    SessionEvent event;
    event.kind = Kind::kEnded;
    event.fault = fault;
    events_.push_back(event);
}

/// After every input: reports what it led to.
void Session::conclude(TimePoint now) {
    if (state_ == State::kEnded) return;
    report_observed();
    answer_limit_.observe(sender_.awaits_answers(), sender_.progress(), now);
    if (out_.small_bytes() > kMaxAnswerBytes || receiver_.ack_queue().overfull())
        return fail(TermReason::kResourceExhaustion, LinkFault::kUnresponsive);
    const bool agreed = termination_.state() == Termination::State::kAgreed;
    if (agreed && sender_.unanswered() == 0 && receiver_.idle()) return end(termination_.fault());
    if (!wants_read()) handle_read_paused();
    const bool has_credit = transmit_credit() > 0;
    if (has_credit && out_of_credit_) report(Kind::kWritable);
    out_of_credit_ = !has_credit && (state_ == State::kEstablished || sender_.inside_bundle());
}

void Session::report_observed() {
    deviations_.drain([this](ProtocolDeviation deviation) {
        SessionEvent event;
        event.kind = Kind::kDeparture;
        event.deviation = deviation;
        events_.push_back(event);
    });
    if (const std::uint64_t refused = receiver_.take_refused(); refused > 0) {
        SessionEvent event;
        event.kind = Kind::kBundlesRefused;
        event.token = refused;
        events_.push_back(event);
    }
    if (sender_.done_below() == transmitted_) return;
    transmitted_ = sender_.done_below();
    SessionEvent event;
    event.kind = Kind::kTransmitted;
    event.token = transmitted_;
    events_.push_back(event);
}

void Session::report(Kind kind) {
    SessionEvent event;
    event.kind = kind;
    events_.push_back(event);
}

std::optional<SessionEvent> Session::poll_event() {
    if (events_.empty()) return std::nullopt;
    return events_.pop_front();
}

}  // namespace farlink::cla::tcpclv4
