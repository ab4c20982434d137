// SPDX-License-Identifier: Apache-2.0
// The engine's peers, blocks, timers and the ends of sessions.
#include "cla/ltp/core/engine.hpp"

#include <algorithm>

namespace farlink::cla::ltp {

Engine::Engine(const EngineConfig &config, SlabPool &slabs, RandomSource &random)
    : config_(config),
      slabs_(slabs),
      numbers_(random),
      sender_table_(random.next()),
      receiver_table_(random.next()),
      history_(config.history_sessions, random.next()) {
    room_.limit = config.max_receive_bytes;
}

Engine::~Engine() {
    senders_.for_each(
        [this](std::uint32_t, SenderSession &session) { session.release(sender_pools_); });
    receivers_.for_each([this](std::uint32_t, ReceiverSession &session) {
        session.release(peer_of(session.info().peer).memory, receiver_pools_);
    });
    while (poll_event()) {
    }
    while (!arrived_.empty()) arrived_.pop_front().chunks.clear(receiver_pools_.chunks);
}

// ---- peers

PeerId Engine::add_peer(const PeerConfig &config) {
    while (peers_.contains(PeerId{next_peer_})) ++next_peer_;
    const PeerId id{next_peer_++};
    peers_[id] = std::make_unique<Peer>(config, id, slabs_, room_);
    peers_[id]->silent = config.presumed_silent;
    peers_[id]->numbers = config_.numbers;
    return id;
}

Counters Engine::remove_peer(PeerId id) {
    const auto found = peers_.find(id);
    if (found == peers_.end()) return {};
    Peer &gone = *found->second;
    if (gone.places > 0) end_sessions(gone);
    const Counters counters = gone.counters;
    peers_.erase(found);
    return counters;
}

void Engine::end_sessions(Peer &gone) {
    senders_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer != gone.id) return;
        if (session.state() != SenderState::kCancelling)
            end_block(gone, session, EventType::kCancelled, CancelReason::kSystemCancelled);
        session.close(sender_pools_);
        close_sender(gone, slot);
    });
    receivers_.for_each([&](std::uint32_t slot, ReceiverSession &session) {
        if (session.info().peer != gone.id) return;
        session.close(gone.memory, receiver_pools_);
        close_receiver(gone, slot, refused_with(CancelReason::kSystemCancelled));
    });
}

void Engine::contact_opened(PeerId id, TimePoint now) {
    if (Peer *const peer = find_peer(id)) peer->clock.open(now);
}

void Engine::contact_closed(PeerId id, TimePoint now) {
    if (Peer *const peer = find_peer(id)) peer->clock.close(now);
}

void Engine::set_rate(PeerId id, BitRate rate) {
    if (Peer *const peer = find_peer(id)) peer->config.rate = rate;
}

BitRate Engine::pace(PeerId id) const {
    const Peer *const peer = find_peer(id);
    return peer == nullptr || peer->config.rate != BitRate{} ? BitRate{} : peer->pace.rate();
}

std::size_t Engine::sessions_out(PeerId id) const {
    const Peer *const peer = find_peer(id);
    return peer == nullptr ? 0 : peer->send_sessions;
}

std::size_t Engine::sessions_in(PeerId id) const {
    const Peer *const peer = find_peer(id);
    return peer == nullptr ? 0 : peer->receive_sessions;
}

void Engine::set_timing(PeerId id, LinkTiming timing, TimePoint now) {
    Peer *const found = find_peer(id);
    if (found == nullptr) return;
    Peer &peer = *found;
    peer.config.timing = timing;
    const TimePoint at = peer.clock.at(now);
    const ReceiverLimits limits = peer.receiver_limits(at);
    senders_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer == id)
            arm(peer, sender_timer(slot), session.next_deadline(timing, sender_pools_), true);
    });
    receivers_.for_each([&](std::uint32_t slot, ReceiverSession &session) {
        if (session.info().peer == id)
            arm(peer, receiver_timer(slot), session.next_deadline(timing, limits, receiver_pools_),
                true);
    });
}

// ---- blocks out

std::uint64_t Engine::send_credit(PeerId id) const {
    const Peer *const peer = find_peer(id);
    if (peer == nullptr || peer->send_sessions >= peer->config.max_send_sessions) return 0;
    const std::uint64_t window = peer->send_window();
    return peer->send_bytes < window ? window - peer->send_bytes : 0;
}

Result<SessionHandle, SendError> Engine::send_block(PeerId id, const BlockRequest &request,
                                                    TimePoint now) {
    if (find_peer(id) == nullptr) return fail(SendError::kNoPeer);
    Peer &peer = peer_of(id);
    // One block larger than the window goes alone.
    if (!request.beyond_credit && send_credit(id) == 0) return fail(SendError::kNoRoom);
    OutBlock block = OutBlock::make(sender_pools_.memory, request.pieces);
    const std::uint64_t size = block.size();
    if (size == 0) {
        block.release(sender_pools_.memory);
        return fail(SendError::kEmpty);
    }
    SenderSession::Start start;
    // 32-bit numbers come round while a session lasts, if only at great pace.
    do start.number = numbers_.session_number(peer.numbers);
    while (sender_table_.find(PeerId{}, start.number) != SessionTable::kNone);
    if (is_wide(start.number)) ++peer.wide_blocks;
    start.first_serial = numbers_.first_serial(peer.numbers);
    start.service = request.service;
    start.red_size = std::min(request.red_size, size);
    start.token = request.token;
    start.token_count = request.token_count;
    start.peer = id;
    const std::uint32_t slot = senders_.acquire();
    timers_.reserve(2 * std::max(senders_.capacity(), receivers_.capacity()));
    senders_[slot].start(start, block);
    sender_table_.add(PeerId{}, start.number, slot);
    peer.first.push_back(senders_.handle(slot));
    peer.send_bytes += size;
    ++peer.send_sessions;
    ++peer.places;
    ++peer.counters.blocks_sent;
    static_cast<void>(now);
    return senders_.handle(slot);
}

void Engine::cancel_block(SessionHandle handle, CancelReason reason, TimePoint now) {
    SenderSession *const session = senders_.find(handle);
    if (session == nullptr || session->state() >= SenderState::kCancelling) return;
    Peer &peer = peer_of(session->info().peer);
    session->cancel(reason, sender_pools_);
    update_sender(peer, handle.slot, peer.clock.at(now));
}

void Engine::cancel_blocks(PeerId id, CancelReason reason, TimePoint now) {
    Peer &peer = peer_of(id);
    const TimePoint at = peer.clock.at(now);
    senders_.for_each([&](std::uint32_t slot, SenderSession &session) {
        if (session.info().peer != id || session.state() >= SenderState::kCancelling) return;
        session.cancel(reason, sender_pools_);
        update_sender(peer, slot, at);
    });
}

// The block's memory stays until its event is polled: segments of it may not have left yet.
void Engine::end_block(Peer &peer, SenderSession &session, EventType type, CancelReason reason) {
    const SenderSession::Start &info = session.info();
    const OutBlock block = session.take_block();
    if (block.size() == 0) return;
    peer.send_bytes -= block.size();
    --peer.send_sessions;
    if (type == EventType::kDelivered)
        ++peer.counters.blocks_delivered;
    else
        peer.counters.blocks_cancelled.count(reason);
    ended_.push_back({{type, peer.id, reason, info.token, info.token_count}, block});
}

void Engine::close_sender(Peer &peer, std::uint32_t slot) {
    SenderSession &session = senders_[slot];
    peer.wheel.disarm(timers_, sender_timer(slot));
    sender_table_.remove(PeerId{}, session.info().number);
    if (is_wide(session.info().number)) --peer.wide_blocks;
    session.release(sender_pools_);
    senders_.release(slot);
    --peer.places;
}

/// After anything has happened to a session: who is told, who waits for a turn, when to look again.
void Engine::update_sender(Peer &peer, std::uint32_t slot, TimePoint at) {
    SenderSession &session = senders_[slot];
    if (session.state() == SenderState::kClosed || session.state() == SenderState::kCancelling)
        end_block(peer, session,
                  session.delivered() ? EventType::kDelivered : EventType::kCancelled,
                  session.reason());
    if (session.state() == SenderState::kClosed) return close_sender(peer, slot);
    if (!session.queued && session.wants_to_send(at, sender_pools_)) {
        session.queued = true;
        peer.urgent.push_back(senders_.handle(slot));
    }
    arm(peer, sender_timer(slot), session.next_deadline(peer.config.timing, sender_pools_));
}

// ---- blocks in

bool Engine::poll_block(ReceivedBlock &block) {
    block.slices.clear();
    block.slabs.clear();
    if (arrived_.empty()) return false;
    Arrived arrived = arrived_.pop_front();
    static_cast<BlockInfo &>(block) = arrived.info;
    ChunkPool &pool = receiver_pools_.chunks;
    while (!arrived.chunks.empty()) {
        Chunk &chunk = pool[arrived.chunks.head()].value;
        block.slices.push_back({chunk.data, chunk.size});
        block.slabs.push_back(std::move(chunk.slab));
        arrived.chunks.pop_front(pool);
    }
    return true;
}

void Engine::deliver(Peer &peer, std::uint32_t slot) {
    ReceiverSession &session = receivers_[slot];
    const std::uint64_t size = session.block_size();
    BlockMemory &block = session.take_block();
    if (size == 0) {  // nobody is handed it, so nobody will say that it is safe
        session.block_safe();
        return peer.memory.discard(slot, block, receiver_pools_.chunks);
    }
    peer.memory.finish(slot, block, receiver_pools_.chunks, size);
    Arrived arrived;
    arrived.info.session = receivers_.handle(slot);
    arrived.info.peer = peer.id;
    arrived.info.service = session.info().service;
    arrived.info.size = size;
    arrived.info.red_size = session.red_size();
    arrived.info.whole = session.whole();
    arrived.chunks = std::exchange(block.chunks, ChunkList{});
    arrived_.push_back(std::move(arrived));
    ++peer.counters.blocks_received;
}

void Engine::block_safe(SessionHandle handle, TimePoint now) {
    ReceiverSession *const session = receivers_.find(handle);
    if (session == nullptr) return;
    session->block_safe();
    Peer &peer = peer_of(session->info().peer);
    update_receiver(peer, handle.slot, peer.clock.at(now));
}

void Engine::block_refused(SessionHandle handle, TimePoint now) {
    ReceiverSession *const session = receivers_.find(handle);
    if (session == nullptr || session->state() != ReceiverState::kComplete) return;
    Peer &peer = peer_of(session->info().peer);
    if (session->closing_sent()) return;
    cancel_receiver(peer, handle.slot, CancelReason::kSystemCancelled, peer.clock.at(now));
}

void Engine::cancel_receiver(Peer &peer, std::uint32_t slot, CancelReason reason, TimePoint at) {
    receivers_[slot].cancel(reason, peer.memory, receiver_pools_);
    update_receiver(peer, slot, at);
}

void Engine::close_receiver(Peer &peer, std::uint32_t slot, SessionEnd end) {
    ReceiverSession &session = receivers_[slot];
    const std::uint64_t number = session.info().number;
    if (peer.last_slot == slot) peer.last_slot = SessionTable::kNone;
    peer.wheel.disarm(timers_, receiver_timer(slot));
    receiver_table_.remove(peer.id, number);
    history_.add(peer.id, number, end);
    session.release(peer.memory, receiver_pools_);
    delist(peer, slot);
    receivers_.release(slot);
    --peer.places;
    --peer.receive_sessions;
    if (peer.config.unknown) --unknown_sessions_;
    if (peer.receive_sessions == 0) peer.memory.rest();
}

void Engine::update_receiver(Peer &peer, std::uint32_t slot, TimePoint at) {
    ReceiverSession &session = receivers_[slot];
    if (session.deliverable()) deliver(peer, slot);
    if (session.finished(receiver_pools_)) session.close(peer.memory, receiver_pools_);
    if (session.state() == ReceiverState::kCancelling && !session.published) {
        session.published = true;
        peer.counters.receptions_cancelled.count(session.reason());
        if (!session.delivered())
            ended_.push_back(
                {{EventType::kReceptionCancelled, peer.id, session.reason(), 0, 0}, {}});
    }
    if (session.state() == ReceiverState::kClosed) {
        if (!session.delivered() && !session.published) ++peer.counters.green_lost;
        // A late checkpoint is answered for what was handed over, and for nothing else.
        const SessionEnd end = session.published     ? refused_with(session.reason())
                               : session.delivered() ? SessionEnd::kComplete
                                                     : refused_with(CancelReason::kSystemCancelled);
        return close_receiver(peer, slot, end);
    }
    if (!session.queued && session.wants_to_send(at, receiver_pools_)) {
        session.queued = true;
        peer.receivers.push_back(receivers_.handle(slot));
    }
    arm(peer, receiver_timer(slot),
        session.next_deadline(peer.config.timing, peer.receiver_limits(at), receiver_pools_));
}

std::optional<Event> Engine::poll_event() {
    if (polled_) polled_->release(sender_pools_.memory);
    polled_.reset();
    if (ended_.empty()) return std::nullopt;
    const Ended ended = ended_.pop_front();
    polled_ = ended.block;
    return ended.event;
}

// ---- time

/// A timer that fires too early finds nothing to do and is set anew, which is cheaper than moving
/// it each time.
void Engine::arm(Peer &peer, std::uint32_t timer, TimePoint deadline, bool exactly) {
    if (!exactly && (deadline == kNever || peer.wheel.fires_by(timers_, timer, deadline))) return;
    peer.wheel.arm(timers_, timer, deadline);
}

TimePoint Engine::ping_deadline(const Peer &peer) const {
    if (peer.config.ping_interval == Duration::zero()) return kNever;
    if (peer.ping_number == 0 && peer.silent) return {};
    if (peer.ping_number != 0) return peer.ping_sent + peer.config.timing.answer_within();
    return peer.last_received + peer.config.ping_interval;
}

TimePoint Engine::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[id, peer] : peers_)
        if (peer->clock.is_open())
            next = std::min(next,
                            peer->clock.real(std::min(peer->wheel.next(), ping_deadline(*peer))));
    return next;
}

void Engine::handle_timeout(TimePoint now) {
    for (const auto &[id, each] : peers_) {
        Peer &peer = *each;
        if (!peer.clock.is_open()) continue;
        const TimePoint at = peer.clock.at(now);
        const SenderLimits limits = peer.sender_limits();
        peer.wheel.advance(timers_, at, [&](std::uint32_t timer) {
            const std::uint32_t slot = timer / 2;
            if (timer == sender_timer(slot)) {
                const TimePoint overdue =
                    senders_[slot].handle_timeout(peer.config.timing, limits, at, sender_pools_);
                if (overdue != kNever && peer.config.rate == BitRate{})
                    peer.pace.handle_unanswered(overdue, at);
                update_sender(peer, slot, at);
            } else {
                receivers_[slot].handle_timeout(peer.config.timing, peer.receiver_limits(at), at,
                                                peer.memory, receiver_pools_);
                update_receiver(peer, slot, at);
            }
        });
        if (ping_deadline(peer) <= at) handle_ping_timeout(peer, at);
    }
}

// A cancel segment for a session that never was: any engine acknowledges it (RFC 5326
// section 6.17).
void Engine::handle_ping_timeout(Peer &peer, TimePoint at) {
    if (peer.ping_number != 0 && ++peer.pings > peer.config.retries && !peer.silent) {
        peer.silent = true;
        ended_.push_back({{EventType::kPeerSilent, peer.id, {}, 0, 0}, {}});
    }
    peer.ping_number = numbers_.ping_number(peer.numbers);
    peer.ping_sent = at;
    ControlSegment ping;
    ping.type = SegmentType::kCancelBySender;
    ping.reason = CancelReason::kUserCancelled;
    ping.originator = config_.engine.value();
    ping.session = peer.ping_number;
    peer.answer(ping);
}

// Below this a link that rests now and then would only pay for it.
void Engine::give_back() {
    constexpr std::uint32_t kKeptSessions = 4096;
    const std::uint32_t places = senders_.capacity() + receivers_.capacity();
    if (places <= kKeptSessions || senders_.used() + receivers_.used() > 0) return;
    senders_.give_back();
    receivers_.give_back();
    timers_.give_back();
    sender_table_.give_back();
    receiver_table_.give_back();
    sender_pools_.intervals.give_back();
    sender_pools_.checkpoints.give_back();
    sender_pools_.repairs.give_back();
    receiver_pools_.intervals.give_back();
    receiver_pools_.reports.give_back();
    receiver_pools_.chunks.give_back();
}

std::size_t Engine::state_bytes() const {
    return senders_.bytes() + receivers_.bytes() + timers_.bytes() + sender_table_.bytes() +
           receiver_table_.bytes() + history_.bytes() + sender_pools_.intervals.bytes() +
           sender_pools_.checkpoints.bytes() + sender_pools_.repairs.bytes() +
           receiver_pools_.intervals.bytes() + receiver_pools_.reports.bytes() +
           receiver_pools_.chunks.bytes();
}

}  // namespace farlink::cla::ltp
