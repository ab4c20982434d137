// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine.hpp"

#include <algorithm>

#include "cla/ltp/core/engine/peer_block_keeper.hpp"

namespace farlink::cla::ltp {

Engine::Engine(const EngineConfig &config, SlabPool &slabs, RandomSource &random)
    : context_(config, slabs, random),
      sending_(context_, random),
      receiving_(context_, random),
      pings_(context_),
      dispatcher_(context_, pings_, sending_, receiving_) {}

// ---- peers

PeerId Engine::add_peer(const PeerConfig &config) {
    while (context_.peers.contains(PeerId{context_.next_peer})) ++context_.next_peer;
    const PeerId id{context_.next_peer++};
    auto peer = std::make_unique<Peer>(config, id, context_.slabs, context_.room);
    peer->silent = config.presumed_silent;
    peer->numbers = context_.config.numbers;
    context_.peers[id] = std::move(peer);
    return id;
}

Counters Engine::remove_peer(PeerId id) {
    const auto found = context_.peers.find(id);
    if (found == context_.peers.end()) return {};
    Peer &gone = *found->second;
    if (gone.places > 0) {
        sending_.end_sessions(gone);
        receiving_.end_sessions(gone);
    }
    const Counters counters = gone.counters;
    context_.peers.erase(found);
    return counters;
}

void Engine::share_memory(PeerId id, ReceptionShares &shares, LinkId link,
                          const std::string &address) {
    Peer *const peer = context_.find_peer(id);
    if (peer == nullptr) return;
    peer->keeper = std::make_unique<PeerBlockKeeper>(receiving_, *peer);
    peer->hold.emplace(shares, link, address, !peer->config.unknown, *peer->keeper);
    peer->memory.share(&*peer->hold);
}

void Engine::contact_opened(PeerId id, TimePoint now) {
    if (Peer *const peer = context_.find_peer(id)) peer->clock.open(now);
}

void Engine::contact_closed(PeerId id, TimePoint now) {
    if (Peer *const peer = context_.find_peer(id)) peer->clock.close(now);
}

void Engine::set_timing(PeerId id, LinkTiming timing, TimePoint now) {
    Peer *const peer = context_.find_peer(id);
    if (peer == nullptr) return;
    peer->config.timing = timing;
    sending_.rearm(*peer);
    receiving_.rearm(*peer, peer->clock.at(now));
}

void Engine::set_rate(PeerId id, BitRate rate) {
    if (Peer *const peer = context_.find_peer(id)) peer->config.rate = rate;
}

BitRate Engine::pace(PeerId id) const {
    const Peer *const peer = context_.find_peer(id);
    return peer == nullptr || peer->config.rate != BitRate{} ? BitRate{} : peer->pace.rate();
}

// ---- blocks out

std::uint64_t Engine::send_credit(PeerId id) const {
    const Peer *const peer = context_.find_peer(id);
    if (peer == nullptr || !context_.accepts_new_blocks) return 0;
    return SendingEngine::credit(*peer);
}

Result<SessionHandle, SendError> Engine::send_block(PeerId id, const BlockRequest &block,
                                                    TimePoint now) {
    static_cast<void>(now);
    Peer *const peer = context_.find_peer(id);
    if (peer == nullptr) return fail(SendError::kNoPeer);
    return sending_.send_block(*peer, block);
}

void Engine::cancel_blocks(PeerId id, CancelReason reason, TimePoint now) {
    if (Peer *const peer = context_.find_peer(id))
        sending_.cancel_blocks(*peer, reason, peer->clock.at(now));
}

// ---- blocks in

void Engine::hold_parts(PeerId id, bool held, TimePoint now) {
    if (Peer *const peer = context_.find_peer(id))
        receiving_.hold_parts(*peer, held, peer->clock.at(now));
}

// ---- segments

void Engine::handle_datagram(PeerId from, ByteView datagram, TimePoint now) {
    if (Peer *const peer = context_.find_peer(from))
        dispatcher_.handle_datagram(*peer, datagram, now);
}

bool Engine::handle_bytes(PeerId from, ByteView octets, TimePoint now) {
    Peer *const peer = context_.find_peer(from);
    return peer != nullptr && dispatcher_.handle_bytes(*peer, octets, now);
}

bool Engine::wants_to_send(PeerId id) const {
    const Peer *const peer = context_.find_peer(id);
    if (peer == nullptr) return false;
    const bool open = peer->clock.is_open();
    if ((open || peer->config.answers_always) &&
        !(peer->answers.empty() && peer->receivers.empty()))
        return true;
    return open && !(peer->urgent.empty() && peer->first.empty());
}

// Answers first, then reports, then what is sent again, then new data in the order of the blocks.
void Engine::poll_segments(PeerId id, OutBatch &batch, std::uint64_t max_bytes, TimePoint now) {
    Peer *const found = context_.find_peer(id);
    if (found == nullptr) return;
    Peer &peer = *found;
    const bool open = peer.clock.is_open();
    if (!open && !peer.config.answers_always) return;
    const TimePoint at = peer.clock.at(now);
    const std::size_t segments = batch.segments().size();
    const std::uint64_t bytes = batch.bytes();
    const std::uint64_t rated = batch.rated_bytes();
    max_bytes = max_bytes > ~std::uint64_t{0} - rated ? ~std::uint64_t{0} : max_bytes + rated;
    SegmentWriter writer(batch, peer.config.authenticator);
    while (!peer.answers.empty() && batch.rated_bytes() < max_bytes && writer.has_room())
        writer.control(peer.answers.pop_front());
    receiving_.poll_segments(peer, writer, batch, max_bytes, at);
    if (open) sending_.poll_segments(peer, writer, batch, max_bytes, at);
    peer.counters.segments_sent += batch.segments().size() - segments;
    peer.counters.bytes_sent += batch.bytes() - bytes;
}

// ---- time

TimePoint Engine::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[id, peer] : context_.peers)
        if (peer->clock.is_open())
            next = std::min(
                next, peer->clock.real(std::min(peer->wheel.next(), PeerPings::deadline(*peer))));
    return next;
}

void Engine::handle_timeout(TimePoint now) {
    for (const auto &[id, each] : context_.peers) {
        Peer &peer = *each;
        if (!peer.clock.is_open()) continue;
        const TimePoint at = peer.clock.at(now);
        peer.wheel.advance(context_.timers, at, [&](std::uint32_t timer) {
            const std::uint32_t slot = timer / 2;
            if (timer == EngineContext::sender_timer(slot))
                sending_.handle_timeout(peer, slot, at);
            else
                receiving_.handle_timeout(peer, slot, at);
        });
        if (PeerPings::deadline(peer) <= at) pings_.handle_timeout(peer, at);
    }
}

// ---- memory

// A link with few sessions keeps its memory, or it would pay for it after each pause.
std::size_t Engine::give_back() {
    constexpr std::uint32_t kKeptSessions = 4096;
    if (sending_.capacity() + receiving_.capacity() <= kKeptSessions) return 0;
    if (sending_.sessions() + receiving_.sessions() > 0) return 0;
    const std::size_t before = state_bytes();
    sending_.give_back();
    receiving_.give_back();
    context_.timers.give_back();
    return before - state_bytes();
}

std::size_t Engine::state_bytes() const {
    return sending_.state_bytes() + receiving_.state_bytes() + context_.timers.bytes();
}

// ---- state

bool Engine::sends(PeerId id, std::uint64_t number) {
    const Peer *const peer = context_.find_peer(id);
    if (peer == nullptr) return false;
    return number == peer->ping_number || sending_.has_session(*peer, number);
}

std::size_t Engine::sessions_out(PeerId id) const {
    const Peer *const peer = context_.find_peer(id);
    return peer == nullptr ? 0 : peer->send_sessions;
}

std::size_t Engine::sessions_in(PeerId id) const {
    const Peer *const peer = context_.find_peer(id);
    return peer == nullptr ? 0 : peer->receive_sessions;
}

}  // namespace farlink::cla::ltp
