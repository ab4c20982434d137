// SPDX-License-Identifier: Apache-2.0
// The engine's blocks that are not complete, when the loop's memory is short.
#include <algorithm>
#include <string>

#include "cla/ltp/core/engine.hpp"

namespace farlink::cla::ltp {
namespace {

/// A younger block is not slow, whatever has come of it.
constexpr Duration kYouth = seconds(1);

}  // namespace

/// What the shares of the loop's memory ask of one peer's blocks.
class Engine::Keeper final : public BlockKeeper {
public:
    Keeper(Engine &engine, PeerId peer) : engine_(engine), peer_(peer) {}

    [[nodiscard]] std::uint64_t slow_block(TimePoint now, std::uint64_t pace) override {
        Peer &peer = engine_.peer_of(peer_);
        const std::uint32_t slot = engine_.find_slow(peer, pace, peer.clock.at(now));
        return slot == SessionTable::kNone ? 0 : engine_.receivers_[slot].held_bytes();
    }
    void give_up_slow_block(TimePoint now, std::uint64_t pace) override {
        Peer &peer = engine_.peer_of(peer_);
        const TimePoint at = peer.clock.at(now);
        const std::uint32_t slot = engine_.find_slow(peer, pace, at);
        if (slot != SessionTable::kNone) engine_.give_up(peer, slot, at);
        if (engine_.given_back_) engine_.given_back_();
    }
    // Octets times age: what has taken most memory for the longest time. One block may always come.
    void give_back(std::uint64_t bytes, TimePoint now) override {
        Peer &peer = engine_.peer_of(peer_);
        const TimePoint at = peer.clock.at(now);
        const std::uint64_t before = peer.memory.held_bytes();
        const std::uint64_t wanted = before > bytes ? before - bytes : 0;
        const auto weight = [at](const ReceiverSession &session) {
            const auto age = std::chrono::duration_cast<milliseconds>(session.age(at)).count();
            return session.held_bytes() * (static_cast<std::uint64_t>(age) + 1);
        };
        while (peer.memory.held_bytes() > wanted) {
            const std::uint32_t slot = engine_.find_worst(peer, weight);
            if (slot == SessionTable::kNone) break;
            if (engine_.receivers_[slot].held_bytes() == peer.memory.held_bytes()) break;
            engine_.give_up(peer, slot, at);
        }
        if (engine_.given_back_) engine_.given_back_();
    }

private:
    Engine &engine_;
    PeerId peer_;
};

void Engine::share_memory(PeerId id, ReceptionShares &shares, LinkId link,
                          const std::string &address) {
    Peer *const peer = find_peer(id);
    if (peer == nullptr) return;
    peer->keeper = std::make_unique<Keeper>(*this, id);
    peer->hold.emplace(shares, link, address, !peer->config.unknown, *peer->keeper);
    peer->memory.share(&*peer->hold);
}

// ---- the sessions of one peer

void Engine::enlist(Peer &peer, std::uint32_t slot) {
    ReceiverSession &session = receivers_[slot];
    session.next = peer.first_receiver;
    session.previous = SessionTable::kNone;
    if (peer.first_receiver != SessionTable::kNone) receivers_[peer.first_receiver].previous = slot;
    peer.first_receiver = slot;
}

void Engine::delist(Peer &peer, std::uint32_t slot) {
    const ReceiverSession &session = receivers_[slot];
    if (session.next != SessionTable::kNone) receivers_[session.next].previous = session.previous;
    if (session.previous != SessionTable::kNone)
        receivers_[session.previous].next = session.next;
    else
        peer.first_receiver = session.next;
}

/// The session with the largest `weight`, of those that weigh anything.
template <class Weight>
std::uint32_t Engine::find_worst(Peer &peer, Weight weight) {
    std::uint32_t worst = SessionTable::kNone;
    std::uint64_t most = 0;
    for (std::uint32_t slot = peer.first_receiver; slot != SessionTable::kNone;
         slot = receivers_[slot].next) {
        const std::uint64_t its = weight(receivers_[slot]);
        if (its <= most) continue;
        worst = slot;
        most = its;
    }
    return worst;
}

std::uint32_t Engine::find_slow(Peer &peer, std::uint64_t pace, TimePoint at) {
    return find_worst(peer, [pace, at](const ReceiverSession &session) {
        const bool slow = session.age(at) >= kYouth && session.pace(at) < pace;
        return slow ? session.held_bytes() : 0;
    });
}

// ---- memory

void Engine::give_up(Peer &peer, std::uint32_t slot, TimePoint at) {
    ++peer.counters.no_memory;
    ++refusals_;
    cancel_receiver(peer, slot, CancelReason::kSystemCancelled, at);
}

// True when somebody may have given some back.
bool Engine::ask_for_memory(Peer &peer) {
    if (!peer.hold) return false;
    peer.hold->ask_for_memory(now_);
    return true;
}

}  // namespace farlink::cla::ltp
