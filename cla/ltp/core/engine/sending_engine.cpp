// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/sending_engine.hpp"

#include <algorithm>

namespace farlink::cla::ltp {
namespace {

/// Each unknown number below 2^32 costs a search of all sessions. A peer with so many of them does
/// not cut numbers, and is not searched for any more.
constexpr std::uint32_t kMostMisses = 1000;

}  // namespace

SendingEngine::~SendingEngine() {
    sessions_.for_each([this](std::uint32_t, SenderSession &session) { session.release(pools_); });
    while (poll_event()) {
    }
}

// ---- blocks

std::uint64_t SendingEngine::credit(const Peer &peer) {
    if (peer.send_sessions >= peer.config.max_send_sessions) return 0;
    const std::uint64_t window = peer.send_window();
    return peer.send_bytes < window ? window - peer.send_bytes : 0;
}

Result<SessionHandle, SendError> SendingEngine::send_block(Peer &peer,
                                                           const BlockRequest &request) {
    // A block larger than the window is sent alone.
    if (!request.beyond_credit && credit(peer) == 0) return fail(SendError::kNoRoom);
    OutBlock block = OutBlock::make(pools_.memory, request.pieces);
    const std::uint64_t size = block.size();
    if (size == 0) {
        block.release(pools_.memory);
        return fail(SendError::kEmpty);
    }
    SenderSession::Start start;
    // A 32-bit number may repeat while a session lasts.
    do start.number = context_.numbers.session_number(peer.numbers);
    while (table_.find(PeerId{}, start.number) != SessionTable::kNone);
    if (is_wide(start.number)) ++peer.wide_blocks;
    start.first_serial = context_.numbers.first_serial(peer.numbers);
    start.service = request.service;
    start.red_size = std::min(request.red_size, size + request.following);
    start.token = request.token;
    start.token_count = request.token_count;
    start.peer = peer.id;
    const std::uint32_t slot = sessions_.acquire();
    context_.timers.reserve(2 * sessions_.capacity());
    sessions_[slot].start(start, block, request.following);
    table_.add(PeerId{}, start.number, slot);
    peer.first.push_back(sessions_.handle(slot));
    peer.send_bytes += size;
    ++peer.send_sessions;
    ++peer.places;
    ++peer.counters.blocks_sent;
    return sessions_.handle(slot);
}

// False: the block has ended.
bool SendingEngine::extend_block(SessionHandle handle, std::span<const BlockPiece> pieces) {
    SenderSession *const session = sessions_.find(handle);
    if (session == nullptr || session->state() != SenderState::kSending) return false;
    Peer &peer = context_.peer_of(session->info().peer);
    const OutBlock part = OutBlock::make(pools_.memory, pieces, session->here().end);
    peer.send_bytes += part.size();
    if (!session->has_unsent()) peer.first.push_back(handle);
    session->add_part(part, pools_);
    return true;
}

void SendingEngine::cancel_block(SessionHandle handle, CancelReason reason, TimePoint now) {
    SenderSession *const session = sessions_.find(handle);
    if (session == nullptr || session->state() >= SenderState::kCancelling) return;
    Peer &peer = context_.peer_of(session->info().peer);
    session->cancel(reason, pools_);
    update(peer, handle.slot, peer.clock.at(now));
}

void SendingEngine::cancel_blocks(Peer &peer, CancelReason reason, TimePoint at) {
    sessions_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer != peer.id || session.state() >= SenderState::kCancelling) return;
        session.cancel(reason, pools_);
        update(peer, slot, at);
    });
}

void SendingEngine::end_sessions(Peer &peer) {
    sessions_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer != peer.id) return;
        if (session.state() != SenderState::kCancelling)
            end_block(peer, session, EventType::kCancelled, CancelReason::kSystemCancelled);
        session.close(pools_);
        close(peer, slot);
    });
}

// ---- sessions

std::uint32_t SendingEngine::find(Peer &peer, std::uint64_t number) {
    const std::uint32_t slot = table_.find(PeerId{}, number);
    if (slot != SessionTable::kNone) {
        peer.answers_whole =
            peer.answers_whole || (is_wide(number) && sessions_[slot].info().peer == peer.id);
        return slot;
    }
    const bool may_be_cut = peer.wide_blocks > 0 && !peer.answers_whole && !is_wide(number) &&
                            peer.cut_misses < kMostMisses;
    return may_be_cut ? find_cut(peer, number) : SessionTable::kNone;
}

// Some peers keep 32 bits of a number, and answer to the low half of a longer one.
std::uint32_t SendingEngine::find_cut(Peer &peer, std::uint64_t number) {
    std::uint32_t found = SessionTable::kNone;
    sessions_.for_each([&](std::uint32_t slot, SenderSession &session) {
        const SenderSession::Start &info = session.info();
        if (info.peer == peer.id && is_wide(info.number) && low_half(info.number) == number)
            found = slot;
    });
    if (found == SessionTable::kNone)
        ++peer.cut_misses;
    else
        context_.note_cut_number(peer);
    return found;
}

bool SendingEngine::has_session(const Peer &peer, std::uint64_t number) {
    const std::uint32_t slot = table_.find(PeerId{}, number);
    if (slot != SessionTable::kNone) return sessions_[slot].info().peer == peer.id;
    if (peer.wide_blocks == 0 || is_wide(number)) return false;
    bool found = false;
    sessions_.for_each([&](std::uint32_t, SenderSession &session) {
        const SenderSession::Start &info = session.info();
        found = found || (info.peer == peer.id && low_half(info.number) == number);
    });
    return found;
}

// After any change of a session: publishes the block's end, queues it to send, sets its timer.
void SendingEngine::update(Peer &peer, std::uint32_t slot, TimePoint at) {
    SenderSession &session = sessions_[slot];
    while (session.has_delivered_part(pools_)) end_part(peer, session);
    if (session.state() == SenderState::kClosed || session.state() == SenderState::kCancelling)
        end_block(peer, session,
                  session.delivered() ? EventType::kDelivered : EventType::kCancelled,
                  session.reason());
    if (session.state() == SenderState::kClosed) return close(peer, slot);
    if (!session.queued && session.wants_to_send(at, pools_)) {
        session.queued = true;
        peer.urgent.push_back(sessions_.handle(slot));
    }
    context_.arm(peer, EngineContext::sender_timer(slot),
                 session.next_deadline(peer.config.timing, pools_));
}

// The block's memory stays until its event is polled: segments of it may still lie in an OutBatch.
void SendingEngine::end_block(Peer &peer, SenderSession &session, EventType type,
                              CancelReason reason) {
    if (!session.take_end()) return;
    const SenderSession::Start info = session.info();
    const OutBlock block = session.take_block(pools_);
    peer.send_bytes -= block.size();
    --peer.send_sessions;
    if (type == EventType::kDelivered)
        ++peer.counters.blocks_delivered;
    else
        peer.counters.blocks_cancelled.count(reason);
    context_.events.push({type, peer.id, reason, info.token, info.token_count}, block);
    while (session.here().size() > 0) end_part(peer, session);
}

void SendingEngine::end_part(Peer &peer, SenderSession &session) {
    const std::uint64_t token = session.info().token;
    const OutBlock part = session.take_block(pools_);
    peer.send_bytes -= part.size();
    context_.events.push({EventType::kPartEnded, peer.id, {}, token, 1}, part);
}

void SendingEngine::close(Peer &peer, std::uint32_t slot) {
    SenderSession &session = sessions_[slot];
    peer.wheel.disarm(context_.timers, EngineContext::sender_timer(slot));
    table_.remove(PeerId{}, session.info().number);
    if (is_wide(session.info().number)) --peer.wide_blocks;
    session.release(pools_);
    sessions_.release(slot);
    --peer.places;
}

// ---- segments of the peer

void SendingEngine::handle_report(Peer &peer, const Segment &segment, TimePoint at) {
    ++peer.counters.reports_received;
    ControlSegment ack;
    ack.type = SegmentType::kReportAck;
    ack.originator = segment.originator;
    ack.session = segment.session;
    ack.report.report_serial = segment.report.report_serial;
    const std::uint32_t slot = find(peer, segment.session);
    if (slot == SessionTable::kNone) {
        // RFC 5326 section 6.13: acknowledged all the same.
        ++peer.counters.reports_unknown_session;
        return peer.answer(ack);
    }
    SenderSession &session = sessions_[slot];
    if (session.info().peer != peer.id) {
        ++peer.counters.foreign_sessions;
        return;
    }
    note_report_order(peer, sessions_.handle(slot), segment.report.report_serial, at);
    ReportFields report = segment.report;
    report.checkpoint_serial = whole_serial(report.checkpoint_serial, session.info().first_serial);
    const TimePoint asked = session.asked_at(report, TimePoint{}, pools_);
    const ReportVerdict verdict =
        session.handle_report(report, peer.sender_limits(),
                              std::max(peer.delay(at), peer.config.repair_delay), at, pools_);
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
    update(peer, slot, at);
}

// Reports of a session arrive out of order: the path reorders datagrams.
void SendingEngine::note_report_order(Peer &peer, SessionHandle session, std::uint64_t serial,
                                      TimePoint at) {
    if (!(peer.reported_session == session)) peer.highest_report = 0;
    peer.reported_session = session;
    if (serial < peer.highest_report) peer.reordered_until = at + Peer::kReorderingLasts;
    peer.highest_report = std::max(peer.highest_report, serial);
}

bool SendingEngine::handle_cancel(Peer &peer, const Segment &segment) {
    const std::uint32_t slot = find(peer, segment.session);
    if (slot == SessionTable::kNone) {
        ++peer.counters.cancels_unknown_session;
        return true;
    }
    SenderSession &session = sessions_[slot];
    if (session.info().peer != peer.id) {
        ++peer.counters.foreign_sessions;
        return false;
    }
    end_block(peer, session, EventType::kCancelledByPeer,
              static_cast<CancelReason>(segment.reason));
    session.close(pools_);
    close(peer, slot);
    return true;
}

// RFC 5326 section 6.18.
void SendingEngine::handle_cancel_ack(Peer &peer, const Segment &segment) {
    const std::uint32_t slot = find(peer, segment.session);
    if (slot == SessionTable::kNone) return;
    SenderSession &session = sessions_[slot];
    if (session.info().peer != peer.id) {
        ++peer.counters.foreign_sessions;
        return;
    }
    if (session.state() != SenderState::kCancelling) return;
    session.close(pools_);
    close(peer, slot);
}

// ---- segments to the peer

Frame SendingEngine::frame_of(const Peer &peer, const SenderSession &session) const {
    const SenderSession::Start &info = session.info();
    const auto overhead = static_cast<std::uint32_t>(SegmentWriter::overhead(
        context_.config.engine.value(), info.number, peer.config.authenticator));
    // The segment at offset 0 has as much data as the MTU allows. Later ones have longer offset
    // fields and less data, so that all have one size, which segmentation offload needs.
    const auto fields = static_cast<std::uint32_t>(codec::sdnv_size(info.service) + 1 +
                                                   codec::sdnv_size(peer.config.data_mtu));
    return {peer.config.data_mtu + overhead + fields, overhead};
}

void SendingEngine::write(const SenderSession &session, const SegmentPlan &plan,
                          SegmentWriter &writer) {
    const std::uint64_t engine = context_.config.engine.value();
    if (is_data(plan.type))
        return writer.data(plan, session.block_at(plan.fields.offset, pools_), engine,
                           session.info().number);
    ControlSegment cancel;
    cancel.type = plan.type;
    cancel.reason = plan.reason;
    cancel.originator = engine;
    cancel.session = session.info().number;
    writer.control(cancel);
}

void SendingEngine::poll_segments(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                                  std::uint64_t max_bytes, TimePoint at) {
    poll_urgent(peer, writer, batch, max_bytes, at);
    poll_first(peer, writer, batch, max_bytes, at);
}

void SendingEngine::poll_urgent(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                                std::uint64_t max_bytes, TimePoint at) {
    while (!peer.urgent.empty()) {
        const SessionHandle handle = peer.urgent.front();
        SenderSession *const session = sessions_.find(handle);
        if (session != nullptr) {
            const Frame frame = frame_of(peer, *session);
            while (true) {
                if (batch.rated_bytes() >= max_bytes || !writer.has_room()) return;
                const auto plan = session->plan_urgent(frame, at, pools_);
                if (!plan) break;
                write(*session, *plan, writer);
                ++peer.counters.segments_repeated;
            }
        }
        peer.urgent.pop_front();
        if (session == nullptr) continue;
        session->queued = false;
        update(peer, handle.slot, at);
    }
}

void SendingEngine::poll_first(Peer &peer, SegmentWriter &writer, OutBatch &batch,
                               std::uint64_t max_bytes, TimePoint at) {
    const SenderLimits limits = peer.sender_limits();
    while (!peer.first.empty()) {
        const SessionHandle handle = peer.first.front();
        SenderSession *const session = sessions_.find(handle);
        if (session != nullptr && session->has_unsent()) {
            const Frame frame = frame_of(peer, *session);
            bool asked = false;
            while (session->has_unsent()) {
                if (batch.rated_bytes() >= max_bytes || !writer.has_room()) {
                    if (asked) update(peer, handle.slot, at);
                    return;
                }
                const SegmentPlan plan = session->plan_next(frame, limits, at, pools_);
                asked = asked || is_checkpoint(plan.type);
                write(*session, plan, writer);
            }
            peer.first.pop_front();
            update(peer, handle.slot, at);
        } else {
            peer.first.pop_front();
        }
    }
}

// ---- time

void SendingEngine::handle_timeout(Peer &peer, std::uint32_t slot, TimePoint at) {
    const TimePoint overdue =
        sessions_[slot].handle_timeout(peer.config.timing, peer.sender_limits(), at, pools_);
    if (overdue != kNever && peer.config.rate == BitRate{})
        peer.pace.handle_unanswered(overdue, at);
    update(peer, slot, at);
}

void SendingEngine::rearm(Peer &peer) {
    sessions_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer != peer.id) return;
        context_.arm(peer, EngineContext::sender_timer(slot),
                     session.next_deadline(peer.config.timing, pools_), true);
    });
}

// ---- memory

std::size_t SendingEngine::state_bytes() const {
    return sessions_.bytes() + table_.bytes() + pools_.intervals.bytes() +
           pools_.checkpoints.bytes() + pools_.repairs.bytes();
}

void SendingEngine::give_back() {
    sessions_.give_back();
    table_.give_back();
    pools_.intervals.give_back();
    pools_.checkpoints.give_back();
    pools_.repairs.give_back();
}

}  // namespace farlink::cla::ltp
