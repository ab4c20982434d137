// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/receiving_engine.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cla::ltp {
namespace {

/// The time between two searches for sessions that must leave their places.
constexpr seconds kLookForPlacesEach{1};
/// One in so many places of unknown peers is freed at a time.
constexpr std::uint32_t kFreedPlaces = 8;

/// What one peer may use of a limit that all peers share: eight times what is left of it. A peer
/// that uses all that it may leaves a ninth to the others.
std::uint64_t share_of(std::uint64_t limit, std::uint64_t used) {
    constexpr std::uint64_t kShare = 8;
    const std::uint64_t left = limit > used ? limit - used : 0;
    return left > limit / kShare ? ~std::uint64_t{0} : kShare * left;
}

bool has_memory(const Peer &peer, const ReceiveRoom &room) {
    const std::uint64_t held = peer.memory.held_bytes();
    return held < peer.config.max_receive_bytes && held < share_of(room.limit, room.held);
}

/// True: other blocks were given up for it.
bool ask_for_memory(Peer &peer, TimePoint now) {
    return peer.hold && peer.hold->ask_for_memory(now);
}

}  // namespace

ReceivingEngine::~ReceivingEngine() {
    sessions_.for_each([this](std::uint32_t, ReceiverSession &session) {
        session.release(context_.peer_of(session.info().peer).memory, pools_);
    });
}

// ---- blocks

void ReceivingEngine::hold_parts(Peer &peer, bool held, TimePoint at) {
    peer.holds_parts = held;
    if (held) return;
    for (std::uint32_t slot = peer.first_receiver; slot != SessionTable::kNone;
         slot = sessions_[slot].next)
        if (sessions_[slot].block().large)
            arrived_.pass_parts(peer, sessions_[slot], sessions_.handle(slot), at);
}

void ReceivingEngine::block_safe(SessionHandle handle, TimePoint now) {
    ReceiverSession *const session = sessions_.find(handle);
    if (session == nullptr) return;
    session->block_safe();
    Peer &peer = context_.peer_of(session->info().peer);
    update(peer, handle.slot, peer.clock.at(now));
}

void ReceivingEngine::block_refused(SessionHandle handle, TimePoint now) {
    ReceiverSession *const session = sessions_.find(handle);
    if (session == nullptr || session->state() >= ReceiverState::kCancelling) return;
    // Only a large block has parts before it is complete.
    if (session->state() == ReceiverState::kReceiving && session->block().passed == 0) return;
    Peer &peer = context_.peer_of(session->info().peer);
    if (session->closing_sent()) return;
    cancel(peer, handle.slot, CancelReason::kSystemCancelled, peer.clock.at(now));
}

void ReceivingEngine::end_sessions(Peer &peer) {
    sessions_.for_each([&](std::uint32_t slot, ReceiverSession &session) {
        if (session.info().peer != peer.id) return;
        session.close(peer.memory, pools_);
        close(peer, slot, refused_with(CancelReason::kSystemCancelled));
    });
}

// ---- sessions

std::uint32_t ReceivingEngine::find(Peer &peer, std::uint64_t number) {
    if (peer.last_slot != SessionTable::kNone && peer.last_number == number) return peer.last_slot;
    const std::uint32_t slot = table_.find(peer.id, number);
    if (slot != SessionTable::kNone) {
        peer.last_slot = slot;
        peer.last_number = number;
    }
    return slot;
}

bool ReceivingEngine::has_place(const Peer &peer) const {
    const EngineConfig &config = context_.config;
    if (peer.config.unknown &&
        peer.receive_sessions >= share_of(config.max_unknown_sessions, unknown_sessions_))
        return false;
    return peer.receive_sessions < peer.config.max_receive_sessions &&
           peer.receive_sessions < share_of(config.max_receive_sessions, sessions_.used());
}

// Unknown peers that leave their blocks incomplete must not keep another one out until their
// sessions end for silence. True: sessions of the one with the most have ended.
bool ReceivingEngine::make_place(const Peer &asking) {
    const TimePoint now = context_.now;
    if (!asking.config.unknown || now - looked_for_places_ < kLookForPlacesEach) return false;
    looked_for_places_ = now;
    Peer *most = nullptr;
    for (const auto &[id, peer] : context_.peers)
        if (peer->config.unknown &&
            (most == nullptr || peer->receive_sessions > most->receive_sessions))
            most = peer.get();
    if (most == nullptr || most == &asking) return false;
    const std::uint32_t before = unknown_sessions_;
    drop_silent(*most, context_.config.max_unknown_sessions / kFreedPlaces + 1);
    return unknown_sessions_ < before;
}

// Ends up to `most` sessions that receive nothing new, like sessions that are refused when they
// begin: no acknowledgement of their cancel segments is awaited.
void ReceivingEngine::drop_silent(Peer &peer, std::uint32_t most) {
    const TimePoint at = peer.clock.at(context_.now);
    for (std::uint32_t slot = peer.first_receiver; slot != SessionTable::kNone && most > 0;) {
        ReceiverSession &session = sessions_[slot];
        const std::uint32_t gone = std::exchange(slot, session.next);
        if (session.delivered() || session.pace(at) > 0) continue;
        --most;
        if (!session.published) {
            context_.events.push(
                {EventType::kReceptionCancelled, peer.id, CancelReason::kSystemCancelled, 0, 0});
            arrived_.break_off(session, sessions_.handle(gone));
        }
        ++peer.counters.sessions_refused;
        ++refusals_;
        Segment begun;
        begun.originator = peer.config.engine.value();
        begun.session = session.info().number;
        session.close(peer.memory, pools_);
        close(peer, gone, refused_with(CancelReason::kSystemCancelled));
        refuse(peer, begun, CancelReason::kSystemCancelled);
    }
    note_given_back();
}

// Any data segment opens a session, since the first one may be lost.
std::uint32_t ReceivingEngine::open(Peer &peer, const Segment &segment, TimePoint at) {
    if (const auto end = history_.find(peer.id, segment.session)) {
        handle_late(peer, segment, *end);
        return SessionTable::kNone;
    }
    if (!context_.accepts_new_blocks) return SessionTable::kNone;
    const std::uint64_t service = segment.data.service;
    if (std::ranges::find(peer.config.services, service) == peer.config.services.end()) {
        ++peer.counters.unknown_service;
        refuse(peer, segment, CancelReason::kUnreachable);
        return SessionTable::kNone;
    }
    const auto is_there_memory = [&] {
        while (!has_memory(peer, context_.room)) {
            // What others give up does not help a peer at its own limit.
            if (peer.memory.held_bytes() >= peer.config.max_receive_bytes) return false;
            if (!ask_for_memory(peer, context_.now)) return false;
        }
        return true;
    };
    const bool has_room = has_place(peer) || (make_place(peer) && has_place(peer));
    if (!has_room || !is_there_memory()) {
        ++peer.counters.sessions_refused;
        ++refusals_;
        refuse(peer, segment, CancelReason::kSystemCancelled);
        return SessionTable::kNone;
    }
    const std::uint32_t slot = sessions_.acquire();
    context_.timers.reserve(2 * sessions_.capacity());
    sessions_[slot].start(
        {segment.session, service, context_.numbers.first_serial(peer.numbers), peer.id, slot}, at);
    table_.add(peer.id, segment.session, slot);
    enlist(peer, slot);
    ++peer.receive_sessions;
    if (peer.config.unknown) ++unknown_sessions_;
    ++peer.places;
    ++peer.counters.sessions_opened;
    peer.last_slot = slot;
    peer.last_number = segment.session;
    update(peer, slot, at);
    return slot;
}

// A refused session leaves an entry in the history and no other state, so that a flood of them
// costs no memory. A refusal that is lost is repeated for the sender's next checkpoint.
void ReceivingEngine::refuse(Peer &peer, const Segment &segment, CancelReason reason) {
    history_.add(peer.id, segment.session, refused_with(reason));
    ControlSegment cancel;
    cancel.type = SegmentType::kCancelByReceiver;
    cancel.reason = reason;
    cancel.originator = segment.originator;
    cancel.session = segment.session;
    peer.answer(cancel);
}

// A late checkpoint is answered as its session has ended: its sender has missed the last report or
// cancel segment, and repeats the checkpoint until it gives up.
void ReceivingEngine::handle_late(Peer &peer, const Segment &segment, SessionEnd end) {
    ++peer.counters.late;
    if (!is_checkpoint(segment.type)) return;
    if (const auto reason = refusal_reason(end)) return refuse(peer, segment, *reason);
    if (end != SessionEnd::kComplete || segment.data.end() == 0) return;
    ControlSegment report;
    report.type = SegmentType::kReport;
    report.originator = segment.originator;
    report.session = segment.session;
    report.report.report_serial = context_.numbers.first_serial(peer.numbers);
    report.report.checkpoint_serial = segment.data.checkpoint_serial;
    report.report.upper = segment.data.end();
    report.report.claim_count = 1;
    peer.answer(report);
}

// After any change of a session: delivers the block, publishes a cancellation, closes the session,
// queues it to send, sets its timer.
void ReceivingEngine::update(Peer &peer, std::uint32_t slot, TimePoint at) {
    ReceiverSession &session = sessions_[slot];
    if (session.block().large) [[unlikely]]
        arrived_.pass_parts(peer, session, sessions_.handle(slot), at);
    if (session.deliverable()) arrived_.deliver(peer, session, sessions_.handle(slot));
    if (session.finished(pools_)) session.close(peer.memory, pools_);
    if (session.state() == ReceiverState::kCancelling && !session.published) {
        session.published = true;
        peer.counters.receptions_cancelled.count(session.reason());
        if (!session.delivered()) {
            context_.events.push({EventType::kReceptionCancelled, peer.id, session.reason(), 0, 0});
            arrived_.break_off(session, sessions_.handle(slot));
        }
    }
    if (session.state() == ReceiverState::kClosed) {
        if (!session.delivered() && !session.published) {
            ++peer.counters.green_lost;
            arrived_.break_off(session, sessions_.handle(slot));
        }
        // A late checkpoint is answered with a report only if the block was handed over.
        const SessionEnd end = session.published     ? refused_with(session.reason())
                               : session.delivered() ? SessionEnd::kComplete
                                                     : refused_with(CancelReason::kSystemCancelled);
        return close(peer, slot, end);
    }
    if (!session.queued && session.wants_to_send(at, pools_)) {
        session.queued = true;
        peer.receivers.push_back(sessions_.handle(slot));
    }
    context_.arm(peer, EngineContext::receiver_timer(slot),
                 session.next_deadline(peer.config.timing, peer.receiver_limits(at), pools_));
}

void ReceivingEngine::cancel(Peer &peer, std::uint32_t slot, CancelReason reason, TimePoint at) {
    sessions_[slot].cancel(reason, peer.memory, pools_);
    update(peer, slot, at);
}

void ReceivingEngine::close(Peer &peer, std::uint32_t slot, SessionEnd end) {
    ReceiverSession &session = sessions_[slot];
    const std::uint64_t number = session.info().number;
    if (peer.last_slot == slot) peer.last_slot = SessionTable::kNone;
    peer.wheel.disarm(context_.timers, EngineContext::receiver_timer(slot));
    table_.remove(peer.id, number);
    history_.add(peer.id, number, end);
    session.release(peer.memory, pools_);
    delist(peer, slot);
    sessions_.release(slot);
    --peer.places;
    --peer.receive_sessions;
    if (peer.config.unknown) --unknown_sessions_;
    if (peer.receive_sessions == 0) peer.memory.rest();
}

void ReceivingEngine::enlist(Peer &peer, std::uint32_t slot) {
    ReceiverSession &session = sessions_[slot];
    session.next = peer.first_receiver;
    session.previous = SessionTable::kNone;
    if (peer.first_receiver != SessionTable::kNone) sessions_[peer.first_receiver].previous = slot;
    peer.first_receiver = slot;
}

void ReceivingEngine::delist(Peer &peer, std::uint32_t slot) {
    const ReceiverSession &session = sessions_[slot];
    if (session.next != SessionTable::kNone) sessions_[session.next].previous = session.previous;
    if (session.previous != SessionTable::kNone)
        sessions_[session.previous].next = session.next;
    else
        peer.first_receiver = session.next;
}

// ---- segments of the peer

void ReceivingEngine::handle_data(Peer &peer, const Segment &segment, TimePoint at) {
    std::uint32_t slot = find(peer, segment.session);
    if (slot == SessionTable::kNone) slot = open(peer, segment, at);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = sessions_[slot];
    const bool was_reordered = session.saw_reordering();
    const auto handle = [&] {
        return session.handle_data(segment, peer.receiver_limits(at), at, peer.memory, pools_);
    };
    DataVerdict verdict = handle();
    while (verdict == DataVerdict::kNoMemory && ask_for_memory(peer, context_.now))
        verdict = handle();
    if (session.saw_reordering() && !was_reordered) {
        ++peer.counters.reordered;
        peer.reordered_until = at + Peer::kReorderingLasts;
    }
    if (peer.memory.filled()) leave_slabs(peer);
    // Most segments change nothing but the octets that are present.
    if (session.block().large) [[unlikely]]
        arrived_.pass_parts(peer, session, sessions_.handle(slot), at);
    if (verdict == DataVerdict::kTaken && !session.wants_update()) return;
    handle_verdict(peer, slot, verdict, at);
}

void ReceivingEngine::handle_verdict(Peer &peer, std::uint32_t slot, DataVerdict verdict,
                                     TimePoint at) {
    switch (verdict) {
        case DataVerdict::kTaken:
            break;
        case DataVerdict::kDuplicate:
            ++peer.counters.duplicates;
            break;
        case DataVerdict::kMiscoloured:
            // RFC 5326 section 6.21.
            ++peer.counters.miscoloured;
            return cancel(peer, slot, CancelReason::kMiscoloured, at);
        case DataVerdict::kContradictory:
            ++peer.counters.contradictory;
            break;
        case DataVerdict::kTooLarge:
            ++peer.counters.blocks_too_large;
            return cancel(peer, slot, CancelReason::kSystemCancelled, at);
        case DataVerdict::kTooManyGaps:
            ++peer.counters.too_many_gaps;
            break;
        case DataVerdict::kNoMemory:
            // RFC 5326 section 6.22. The session's own memory may be what other blocks wait for.
            return give_up(peer, slot, at);
        case DataVerdict::kPostponed:
            ++peer.counters.no_memory;
            static_cast<void>(ask_for_memory(peer, context_.now));
            break;
    }
    update(peer, slot, at);
}

void ReceivingEngine::handle_report_ack(Peer &peer, const Segment &segment, TimePoint at) {
    const std::uint32_t slot = table_.find(peer.id, segment.session);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = sessions_[slot];
    const std::uint64_t serial = whole_serial(segment.acked_report, session.info().first_serial);
    if (!session.handle_report_ack(serial, pools_))
        ++peer.counters.acks_unknown;
    else if (serial != segment.acked_report)
        context_.note_cut_number(peer);
    update(peer, slot, at);
}

void ReceivingEngine::handle_cancel(Peer &peer, const Segment &segment) {
    const std::uint32_t slot = table_.find(peer.id, segment.session);
    if (slot == SessionTable::kNone) {
        ++peer.counters.cancels_unknown_session;
        return;
    }
    const auto reason = static_cast<CancelReason>(segment.reason);
    ReceiverSession &session = sessions_[slot];
    if (!session.delivered() && !session.published) {
        peer.counters.receptions_cancelled.count(reason);
        context_.events.push({EventType::kReceptionCancelled, peer.id, reason, 0, 0});
        arrived_.break_off(session, sessions_.handle(slot));
    }
    session.published = true;
    session.close(peer.memory, pools_);
    close(peer, slot, SessionEnd::kCancelledBySender);
}

// RFC 5326 section 6.18.
void ReceivingEngine::handle_cancel_ack(Peer &peer, const Segment &segment) {
    const std::uint32_t slot = table_.find(peer.id, segment.session);
    if (slot == SessionTable::kNone) return;
    ReceiverSession &session = sessions_[slot];
    if (session.state() != ReceiverState::kCancelling) return;
    session.close(peer.memory, pools_);
    close(peer, slot, refused_with(session.reason()));
}

// ---- segments to the peer

void ReceivingEngine::poll_segments(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                                    std::uint64_t max_bytes, TimePoint at) {
    while (!peer.receivers.empty()) {
        const SessionHandle handle = peer.receivers.front();
        ReceiverSession *const session = sessions_.find(handle);
        while (session != nullptr && session->wants_to_send(at, pools_)) {
            if (batch.rated_bytes() >= max_bytes || !writer.has_room(peer.config.report_mtu))
                return;
            write(peer, *session, writer, at);
        }
        peer.receivers.pop_front();
        if (session == nullptr) continue;
        session->queued = false;
        update(peer, handle.slot, at);
    }
}

void ReceivingEngine::write(Peer &peer, ReceiverSession &session, SegmentWriter &writer,
                            TimePoint at) {
    ControlSegment segment;
    segment.originator = peer.config.engine.value();
    segment.session = session.info().number;
    if (session.poll_cancel(at)) {
        segment.type = SegmentType::kCancelByReceiver;
        segment.reason = session.reason();
        return writer.control(segment);
    }
    const Report *const report = session.poll_report(at, pools_);
    if (report == nullptr) return;
    segment.type = SegmentType::kReport;
    segment.report = {
        report->serial, report->checkpoint, report->scope.end, report->scope.begin, 0, {}};
    writer.report(segment, session.received(), pools_.intervals, peer.config.report_mtu,
                  session.withheld(*report));
    ++peer.counters.reports_sent;
}

// ---- time

void ReceivingEngine::handle_timeout(Peer &peer, std::uint32_t slot, TimePoint at) {
    sessions_[slot].handle_timeout(peer.config.timing, peer.receiver_limits(at), at, peer.memory,
                                   pools_);
    update(peer, slot, at);
}

void ReceivingEngine::rearm(Peer &peer, TimePoint at) {
    const ReceiverLimits limits = peer.receiver_limits(at);
    sessions_.for_each([&](std::uint32_t slot, ReceiverSession &session) {
        if (session.info().peer != peer.id) return;
        context_.arm(peer, EngineContext::receiver_timer(slot),
                     session.next_deadline(peer.config.timing, limits, pools_), true);
    });
}

// ---- memory

void ReceivingEngine::leave_slabs(Peer &peer) {
    peer.memory.for_each_left([&](std::uint32_t slot) {
        // The session may have ended: another peer may have its place, or give_back() freed it.
        if (slot < sessions_.capacity() && sessions_[slot].info().peer == peer.id)
            sessions_[slot].leave_slabs(peer.memory, pools_);
    });
}

void ReceivingEngine::give_up(Peer &peer, std::uint32_t slot, TimePoint at) {
    ++peer.counters.no_memory;
    ++refusals_;
    cancel(peer, slot, CancelReason::kSystemCancelled, at);
}

std::size_t ReceivingEngine::state_bytes() const {
    return sessions_.bytes() + table_.bytes() + history_.bytes() + pools_.intervals.bytes() +
           pools_.reports.bytes() + pools_.chunks.bytes();
}

void ReceivingEngine::give_back() {
    sessions_.give_back();
    table_.give_back();
    pools_.intervals.give_back();
    pools_.reports.give_back();
    pools_.chunks.give_back();
}

}  // namespace farlink::cla::ltp
