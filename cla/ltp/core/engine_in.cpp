// SPDX-License-Identifier: Apache-2.0
// The engine's receiving side: what each segment means to whom.
#include <algorithm>

#include "cla/ltp/core/engine.hpp"

namespace farlink::cla::ltp {
namespace {

/// Of a stream of segments: a longer one is not followed.
constexpr std::size_t kLongestSegment = 1U << 20U;

}  // namespace

// ---- segments

// RFC 5327 section 2.1. What is not authentic changes nothing but a counter.
bool Engine::authentic(Peer &peer, const Segment &segment) {
    if (peer.config.authenticator == nullptr) return true;
    switch (authenticity_of(segment, *peer.config.authenticator)) {
        case Authenticity::kAuthentic:
            return true;
        case Authenticity::kMissing:
            ++peer.counters.unauthenticated;
            break;
        case Authenticity::kOtherKey:
            ++peer.counters.other_keys;
            break;
        case Authenticity::kForged:
            ++peer.counters.forged;
            break;
    }
    return false;
}

bool Engine::concerns(const Peer &peer, const Segment &segment) const {
    return segment.originator == config_.engine.value() ||
           (segment.originator == peer.config.engine.value() && segment.originator != 0);
}

void Engine::handle_datagram(PeerId from, ByteView datagram, TimePoint now) {
    Peer *const found = find_peer(from);
    if (found == nullptr) return;
    Peer &peer = *found;
    now_ = now;
    const TimePoint at = peer.clock.at(now);
    bool after_report = false;
    do {
        const auto segment = decode_segment(datagram);
        // There are peers whose reports are followed by octets that mean nothing.
        if (after_report && !(segment && concerns(peer, *segment))) {
            ++peer.counters.trailing_octets;
            return;
        }
        if (!segment) {
            // RFC 5326 section 6: discarded; nobody knows where the next one would begin.
            ++peer.counters.malformed[static_cast<std::size_t>(segment.error())];
            return;
        }
        datagram = datagram.subspan(segment->octets.size());
        after_report = segment->type == SegmentType::kReport;
        handle_segment(peer, *segment, at);
    } while (!datagram.empty());
}

bool Engine::handle_bytes(PeerId from, ByteView octets, TimePoint now) {
    Peer *const found = find_peer(from);
    if (found == nullptr) return false;
    Peer &peer = *found;
    now_ = now;
    const TimePoint at = peer.clock.at(now);
    Bytes &carry = peer.carry;
    if (!carry.empty()) {
        append(carry, octets);
        octets = carry;
    }
    bool followed = true;
    while (!octets.empty()) {
        const auto segment = decode_segment(octets);
        if (!segment) {
            followed =
                segment.error() == SegmentError::kTruncated && octets.size() <= kLongestSegment;
            if (!followed) ++peer.counters.malformed[static_cast<std::size_t>(segment.error())];
            break;
        }
        octets = octets.subspan(segment->octets.size());
        handle_segment(peer, *segment, at);
    }
    if (!followed) octets = {};
    if (carry.empty())
        carry.assign(octets.begin(), octets.end());
    else
        carry.erase(carry.begin(), carry.end() - static_cast<std::ptrdiff_t>(octets.size()));
    return followed;
}

void Engine::note_received(Peer &peer, TimePoint at) {
    peer.last_received = at;
    if (!peer.silent) return;
    peer.silent = false;
    peer.pings = 0;
    ended_.push_back({{EventType::kPeerResponds, peer.id, {}, 0, 0}, {}});
}

void Engine::handle_segment(Peer &peer, const Segment &segment, TimePoint at) {
    ++peer.counters.segments_received;
    peer.counters.bytes_received += segment.octets.size();
    if (!authentic(peer, segment)) return;
    const bool ours = segment.type == SegmentType::kReport ||
                      segment.type == SegmentType::kCancelByReceiver ||
                      segment.type == SegmentType::kCancelAckToSender;
    // Engine 0 is one whose number nobody has told: the first session of it does.
    if (!ours && peer.config.engine == EngineId{})
        peer.config.engine = EngineId{segment.originator};
    if (segment.originator != (ours ? config_.engine : peer.config.engine).value()) {
        ++peer.counters.foreign_sessions;
        return;
    }
    note_received(peer, at);
    switch (segment.type) {
        case SegmentType::kReport:
            return handle_report(peer, segment, at);
        case SegmentType::kReportAck:
            return handle_report_ack(peer, segment, at);
        case SegmentType::kCancelBySender:
        case SegmentType::kCancelByReceiver:
            return handle_cancel(peer, segment);
        case SegmentType::kCancelAckToSender:
        case SegmentType::kCancelAckToReceiver:
            return handle_cancel_ack(peer, segment);
        default:
            return handle_data(peer, segment, at);
    }
}

// ---- data

std::uint32_t Engine::find_receiver(Peer &peer, std::uint64_t number) {
    if (peer.last_slot != SessionTable::kNone && peer.last_number == number) return peer.last_slot;
    const std::uint32_t slot = receiver_table_.find(peer.id, number);
    if (slot != SessionTable::kNone) {
        peer.last_slot = slot;
        peer.last_number = number;
    }
    return slot;
}

void Engine::handle_data(Peer &peer, const Segment &segment, TimePoint at) {
    std::uint32_t slot = find_receiver(peer, segment.session);
    if (slot == SessionTable::kNone) slot = open_receiver(peer, segment, at);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = receivers_[slot];
    const bool in_order = session.saw_reordering();
    const auto handle = [&] {
        return session.handle_data(segment, peer.receiver_limits(at), at, peer.memory,
                                   receiver_pools_);
    };
    DataVerdict verdict = handle();
    if (verdict == DataVerdict::kNoMemory && ask_for_memory(peer)) verdict = handle();
    if (session.saw_reordering() && !in_order) {
        ++peer.counters.reordered;
        peer.reordered_until = at + Peer::kReorderingLasts;
    }
    if (peer.memory.filled())
        peer.memory.for_each_left([&](std::uint32_t other) {
            // It may be gone, and the memory of its place with it.
            if (other < receivers_.capacity())
                receivers_[other].leave_slabs(peer.memory, receiver_pools_);
        });
    // Most segments change nothing but what is here.
    if (verdict == DataVerdict::kTaken && !session.wants_update()) return;
    handle_verdict(peer, slot, segment, verdict, at);
}

void Engine::handle_verdict(Peer &peer, std::uint32_t slot, const Segment &segment,
                            DataVerdict verdict, TimePoint at) {
    static_cast<void>(segment);
    switch (verdict) {
        case DataVerdict::kTaken:
            break;
        case DataVerdict::kDuplicate:
            ++peer.counters.duplicates;
            break;
        case DataVerdict::kMiscoloured:
            // RFC 5326 section 6.21.
            ++peer.counters.miscoloured;
            return cancel_receiver(peer, slot, CancelReason::kMiscoloured, at);
        case DataVerdict::kContradictory:
            ++peer.counters.contradictory;
            break;
        case DataVerdict::kTooLarge:
            ++peer.counters.blocks_too_large;
            return cancel_receiver(peer, slot, CancelReason::kSystemCancelled, at);
        case DataVerdict::kTooManyGaps:
            ++peer.counters.too_many_gaps;
            break;
        case DataVerdict::kNoMemory:
            // RFC 5326 section 6.22. What it holds may be what others wait for.
            ++peer.counters.no_memory;
            ++refusals_;
            return cancel_receiver(peer, slot, CancelReason::kSystemCancelled, at);
    }
    update_receiver(peer, slot, at);
}

// Of what all peers share, one alone may take this many times what it leaves free: who takes all
// that there is leaves a ninth to the others.
std::uint64_t Engine::share_of(std::uint64_t limit, std::uint64_t used) {
    constexpr std::uint64_t kShare = 8;
    const std::uint64_t left = limit > used ? limit - used : 0;
    return left > limit / kShare ? ~std::uint64_t{0} : kShare * left;
}

bool Engine::has_place(const Peer &peer) const {
    if (peer.config.unknown &&
        peer.receive_sessions >= share_of(config_.max_unknown_sessions, unknown_sessions_))
        return false;
    return peer.receive_sessions < peer.config.max_receive_sessions &&
           peer.receive_sessions < share_of(config_.max_receive_sessions, receivers_.used());
}

bool Engine::has_memory(const Peer &peer) const {
    const std::uint64_t held = peer.memory.held_bytes();
    return held < peer.config.max_receive_bytes && held < share_of(room_.limit, room_.held);
}

// A session is opened by any data segment, since the first one may be lost.
std::uint32_t Engine::open_receiver(Peer &peer, const Segment &segment, TimePoint at) {
    if (const auto end = history_.find(peer.id, segment.session)) {
        handle_late(peer, segment, *end);
        return SessionTable::kNone;
    }
    const std::uint64_t service = segment.data.service;
    if (std::ranges::find(peer.config.services, service) == peer.config.services.end()) {
        ++peer.counters.unknown_service;
        refuse(peer, segment, CancelReason::kUnreachable);
        return SessionTable::kNone;
    }
    const auto is_there_memory = [&] {
        return has_memory(peer) || (ask_for_memory(peer) && has_memory(peer));
    };
    if (!has_place(peer) || !is_there_memory()) {
        ++peer.counters.sessions_refused;
        ++refusals_;
        refuse(peer, segment, CancelReason::kSystemCancelled);
        return SessionTable::kNone;
    }
    const std::uint32_t slot = receivers_.acquire();
    timers_.reserve(2 * std::max(senders_.capacity(), receivers_.capacity()));
    receivers_[slot].start(
        {segment.session, service, numbers_.first_serial(peer.numbers), peer.id, slot}, at);
    receiver_table_.add(peer.id, segment.session, slot);
    enlist(peer, slot);
    ++peer.receive_sessions;
    if (peer.config.unknown) ++unknown_sessions_;
    ++peer.places;
    ++peer.counters.sessions_opened;
    peer.last_slot = slot;
    peer.last_number = segment.session;
    update_receiver(peer, slot, at);
    return slot;
}

// A session that is refused leaves no state but in the history, so that a flood of them costs
// nothing; a lost refusal is repeated when the sender asks again with a checkpoint.
void Engine::refuse(Peer &peer, const Segment &segment, CancelReason reason) {
    history_.add(peer.id, segment.session, refused_with(reason));
    ControlSegment cancel;
    cancel.type = SegmentType::kCancelByReceiver;
    cancel.reason = reason;
    cancel.originator = segment.originator;
    cancel.session = segment.session;
    peer.answer(cancel);
}

// A checkpoint that comes late is answered with what was true at the end, or its sender, who has
// missed that, would ask until it gives up.
void Engine::handle_late(Peer &peer, const Segment &segment, SessionEnd end) {
    ++peer.counters.late;
    if (!is_checkpoint(segment.type)) return;
    if (const auto reason = refusal_reason(end)) return refuse(peer, segment, *reason);
    if (end != SessionEnd::kComplete || segment.data.end() == 0) return;
    ControlSegment report;
    report.type = SegmentType::kReport;
    report.originator = segment.originator;
    report.session = segment.session;
    report.report.report_serial = numbers_.first_serial(peer.numbers);
    report.report.checkpoint_serial = segment.data.checkpoint_serial;
    report.report.upper = segment.data.end();
    report.report.claim_count = 1;
    peer.answer(report);
}

// ---- answers

void Engine::handle_report(Peer &peer, const Segment &segment, TimePoint at) {
    ++peer.counters.reports_received;
    ControlSegment ack;
    ack.type = SegmentType::kReportAck;
    ack.originator = segment.originator;
    ack.session = segment.session;
    ack.report.report_serial = segment.report.report_serial;
    const std::uint32_t slot = find_sender(peer, segment.session);
    if (slot == SessionTable::kNone) {
        // RFC 5326 section 6.13: acknowledged all the same.
        ++peer.counters.reports_unknown_session;
        return peer.answer(ack);
    }
    SenderSession &session = senders_[slot];
    if (session.info().peer != peer.id) {
        ++peer.counters.foreign_sessions;
        return;
    }
    note_report_order(peer, senders_.handle(slot), segment.report.report_serial, at);
    ReportFields report = segment.report;
    report.checkpoint_serial = whole_serial(report.checkpoint_serial, session.info().first_serial);
    const TimePoint asked = session.asked_at(report, TimePoint{}, sender_pools_);
    const ReportVerdict verdict = session.handle_report(
        report, peer.sender_limits(), std::max(peer.delay(at), peer.config.repair_delay), at,
        sender_pools_);
    switch (verdict) {
        case ReportVerdict::kTaken:
            if (peer.config.rate == BitRate{})
                peer.pace.handle_report(gaps_of(report), peer.config.data_mtu, asked, at);
            break;
        case ReportVerdict::kRepeated:
            ++peer.counters.reports_repeated;
            break;
        case ReportVerdict::kBeyondSent:
            ++peer.counters.reports_beyond_sent;
            return;
        case ReportVerdict::kUnknownCheckpoint:
            ++peer.counters.reports_unknown_checkpoint;
            return;
    }
    peer.answer(ack);
    update_sender(peer, slot, at);
}

// Reports of a session that come in another order than they were made.
void Engine::note_report_order(Peer &peer, SessionHandle session, std::uint64_t serial,
                               TimePoint at) {
    if (!(peer.reported_session == session)) peer.highest_report = 0;
    peer.reported_session = session;
    if (serial < peer.highest_report) peer.reordered_until = at + Peer::kReorderingLasts;
    peer.highest_report = std::max(peer.highest_report, serial);
}

void Engine::handle_report_ack(Peer &peer, const Segment &segment, TimePoint at) {
    const std::uint32_t slot = receiver_table_.find(peer.id, segment.session);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = receivers_[slot];
    const std::uint64_t serial = whole_serial(segment.acked_report, session.info().first_serial);
    if (!session.handle_report_ack(serial, receiver_pools_))
        ++peer.counters.acks_unknown;
    else if (serial != segment.acked_report)
        note_cut(peer);
    update_receiver(peer, slot, at);
}

// ---- cancellation

// RFC 5326 section 6.17: acknowledged whether the session is known or not.
void Engine::handle_cancel(Peer &peer, const Segment &segment) {
    const bool by_sender = segment.type == SegmentType::kCancelBySender;
    ControlSegment ack;
    ack.type = by_sender ? SegmentType::kCancelAckToSender : SegmentType::kCancelAckToReceiver;
    ack.originator = segment.originator;
    ack.session = segment.session;
    const auto reason = static_cast<CancelReason>(segment.reason);
    if (by_sender) {
        const std::uint32_t slot = receiver_table_.find(peer.id, segment.session);
        if (slot == SessionTable::kNone) {
            ++peer.counters.cancels_unknown_session;
            return peer.answer(ack);
        }
        ReceiverSession &session = receivers_[slot];
        if (!session.delivered() && !session.published) {
            peer.counters.receptions_cancelled.count(reason);
            ended_.push_back({{EventType::kReceptionCancelled, peer.id, reason, 0, 0}, {}});
        }
        session.published = true;
        session.close(peer.memory, receiver_pools_);
        close_receiver(peer, slot, SessionEnd::kCancelledBySender);
        return peer.answer(ack);
    }
    const std::uint32_t slot = find_sender(peer, segment.session);
    if (slot == SessionTable::kNone) {
        ++peer.counters.cancels_unknown_session;
        return peer.answer(ack);
    }
    SenderSession &session = senders_[slot];
    if (session.info().peer != peer.id) {
        ++peer.counters.foreign_sessions;
        return;
    }
    end_block(peer, session, EventType::kCancelledByPeer, reason);
    session.close(sender_pools_);
    close_sender(peer, slot);
    peer.answer(ack);
}

// RFC 5326 section 6.18.
void Engine::handle_cancel_ack(Peer &peer, const Segment &segment) {
    if (segment.type == SegmentType::kCancelAckToSender) {
        const bool cut = is_wide(peer.ping_number) && segment.session == low_half(peer.ping_number);
        if (cut) note_cut(peer);
        if (segment.session == peer.ping_number || cut) {
            peer.ping_number = 0;
            peer.pings = 0;
            return;
        }
        const std::uint32_t slot = find_sender(peer, segment.session);
        if (slot == SessionTable::kNone) return;
        SenderSession &session = senders_[slot];
        if (session.info().peer != peer.id) {
            ++peer.counters.foreign_sessions;
            return;
        }
        if (session.state() != SenderState::kCancelling) return;
        session.close(sender_pools_);
        return close_sender(peer, slot);
    }
    const std::uint32_t slot = receiver_table_.find(peer.id, segment.session);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = receivers_[slot];
    if (session.state() != ReceiverState::kCancelling) return;
    session.close(peer.memory, receiver_pools_);
    close_receiver(peer, slot, refused_with(session.reason()));
}

}  // namespace farlink::cla::ltp
