// SPDX-License-Identifier: Apache-2.0
// Two LTP engines and linkemu's emulated link between them, on one virtual clock.
// Owned by a test; one thread. Blocks are numbered; received blocks are compared with sent ones.
// A block has its number in its first eight octets, and contents that the number determines. Blocks
// that arrive in parts are joined.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "apps/shared/emulation/wire.hpp"
#include "cla/ltp/core/engine.hpp"
#include "common/base/invariant.hpp"
#include "common/base/random.hpp"

namespace farlink::test {

class SeededSource final : public cla::ltp::RandomSource {
public:
    explicit SeededSource(std::uint64_t seed) : random_(seed) {}
    [[nodiscard]] std::uint64_t next() override { return random_.next(); }

private:
    Random random_;
};

/// A block of `size` octets, at least eight.
inline Bytes numbered_block(std::uint64_t number, std::size_t size) {
    Bytes block(std::max<std::size_t>(size, 8));
    store_be(block.data(), number);
    for (std::size_t i = 8; i < block.size(); ++i)
        block[i] = static_cast<std::uint8_t>(number * 7 + i * 31 + (i >> 8));
    return block;
}

/// One engine, the blocks that it sends, and their outcomes.
struct LtpSide {
    LtpSide(cla::ltp::EngineConfig config, const cla::ltp::PeerConfig &peer_config,
            std::uint64_t seed, std::uint64_t slab_limit = 256U << 20U)
        : random(seed),
          slabs(256 * 1024, slab_limit),
          engine(config, slabs, random),
          peer(engine.add_peer(peer_config)) {}

    /// From now on the other side has another address: the engine takes it for a new peer.
    void see_elsewhere(const cla::ltp::PeerConfig &peer_config, TimePoint now) {
        former.push_back(peer);
        peer = engine.add_peer(peer_config);
        engine.contact_opened(peer, now);
    }
    bool send(std::uint64_t number, Bytes block, std::uint64_t red_size, TimePoint now,
              std::uint64_t service = cla::ltp::kBundleService) {
        Bytes &kept = sent[number] = std::move(block);
        // A transient head, and a stable rest in two pieces.
        const std::size_t head = std::min<std::size_t>(kept.size(), 20);
        Bytes transient(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(head));
        const ByteView rest = ByteView(kept).subspan(head);
        const cla::ltp::BlockPiece pieces[] = {{transient, true},
                                               {rest.first(rest.size() / 3), false},
                                               {rest.subspan(rest.size() / 3), false}};
        const auto session = engine.send_block(peer, {pieces, red_size, service, number, 1}, now);
        std::ranges::fill(transient, 0);
        if (session) return true;
        sent.erase(number);
        return false;
    }
    /// Polls blocks and events.
    void drain(TimePoint now) {
        while (engine.poll_block(arriving)) {
            Bytes octets;
            for (const ByteView slice : arriving.slices) append(octets, slice);
            FARLINK_INVARIANT(octets.size() == arriving.size);
            if (arriving.in_parts() && !join(octets)) continue;
            slices += arriving.slices.size();
            if (octets.size() >= 8) ++received[load_be<std::uint64_t>(octets.data())];
            if (keep_octets) blocks.push_back(octets);
            if (acknowledge_at_once)
                engine.block_safe(arriving.session, now);
            else
                unacknowledged.push_back(arriving.session);
            if (check) check(octets, arriving);
            arriving.slabs.clear();
        }
        while (const auto event = engine.poll_event()) {
            using cla::ltp::EventType;
            events.push_back(*event);
            if (event->type == EventType::kDelivered) ++delivered[event->token];
            if (event->type == EventType::kCancelled || event->type == EventType::kCancelledByPeer)
                ++cancelled[event->token];
            if (event->type <= EventType::kCancelledByPeer) sent.erase(event->token);
        }
        if (after_drain) after_drain(now);
    }
    /// Replaces the last part of a block by the whole; false: it is not the last one.
    [[nodiscard]] bool join(Bytes &octets) {
        Bytes &block = parts[arriving.session.slot];
        FARLINK_INVARIANT(arriving.breaks_off() || block.size() == arriving.offset);
        append(block, octets);
        largest_part = std::max(largest_part, octets.size());
        arriving.slabs.clear();
        if (arriving.more && !arriving.breaks_off()) return false;
        octets = std::exchange(block, {});
        parts.erase(arriving.session.slot);
        broken_off += arriving.more ? 1 : 0;
        return !arriving.more;
    }

    SeededSource random;
    SlabPool slabs;
    cla::ltp::Engine engine;
    cla::ltp::PeerId peer;
    std::vector<cla::ltp::PeerId> former;  ///< peers that lead to the same engine
    cla::ltp::OutBatch batch{64};
    cla::ltp::ReceivedBlock arriving;
    bool acknowledge_at_once = true;
    bool keep_octets = false;
    std::map<std::uint64_t, Bytes> sent;  ///< as long as the engine refers to them
    std::map<std::uint64_t, int> received;
    std::map<std::uint64_t, int> delivered;
    std::map<std::uint64_t, int> cancelled;
    std::vector<cla::ltp::SessionHandle> unacknowledged;
    std::vector<cla::ltp::Event> events;
    std::vector<Bytes> blocks;
    std::uint64_t slices = 0;
    std::map<std::uint32_t, Bytes> parts;  ///< of blocks that arrive in parts, by session place
    std::size_t largest_part = 0;
    int broken_off = 0;
    std::function<void(TimePoint)> after_drain;
    void (*check)(const Bytes &octets, const cla::ltp::ReceivedBlock &block) = nullptr;
};

class LtpPair {
public:
    struct Settings {
        cla::ltp::PeerConfig link;  ///< of both sides, but for the engine id
        emulation::WireProfile to_b{.delay = milliseconds(10)};
        emulation::WireProfile to_a{.delay = milliseconds(10)};
        std::uint64_t seed = 1;
        std::uint64_t rate_bytes_per_ms = 0;  ///< of either direction; 0: unlimited
        std::uint64_t slab_limit = 256U << 20U;
        std::uint64_t receive_bytes_of_b = ~std::uint64_t{0};
        cla::ltp::NumberSize numbers_of_a = cla::ltp::NumberSize::k32Bits;
    };
    /// Changes a datagram before `b` reads it, and before `b` sends it; none: no change.
    using Habit = Bytes (*)(ByteView datagram);
    Habit b_reads = nullptr;
    Habit b_sends = nullptr;

    explicit LtpPair(const Settings &settings)
        : a({cla::ltp::EngineId{10}, settings.numbers_of_a, 1024}, with_id(settings.link, 20),
            settings.seed * 2 + 1, settings.slab_limit),
          b({.engine = cla::ltp::EngineId{20},
             .history_sessions = 1024,
             .max_receive_bytes = settings.receive_bytes_of_b},
            with_id(settings.link, 10), settings.seed * 2 + 2, settings.slab_limit),
          to_b(settings.to_b, emulation::Carries::kDatagrams, settings.seed * 5 + 3, now),
          to_a(settings.to_a, emulation::Carries::kDatagrams, settings.seed * 5 + 4, now),
          rate_(settings.rate_bytes_per_ms),
          settings_(settings) {
        contact(true);
    }

    /// Replaces the engine of `b` by a new one without its state. The test keeps the record of what
    /// `b` has received.
    void restart_b() {
        auto received = std::move(b.received);
        const auto check = b.check;
        std::destroy_at(&b);
        std::construct_at(&b, cla::ltp::EngineConfig{cla::ltp::EngineId{20}, {}, 1024},
                          with_id(settings_.link, 10), settings_.seed * 7 + ++restarts_,
                          settings_.slab_limit);
        b.received = std::move(received);
        b.check = check;
        b.engine.contact_opened(b.peer, now);
    }
    /// From now on datagrams of `a` have another source address at `b`.
    void rebind_a() { b.see_elsewhere(with_id(settings_.link, 10), now); }

    void contact(bool open) {
        for (LtpSide *side : {&a, &b})
            if (open)
                side->engine.contact_opened(side->peer, now);
            else
                side->engine.contact_closed(side->peer, now);
    }

    /// Runs all events up to `until`, or until no event is left.
    void run(TimePoint until) {
        constexpr int kMostSteps = 50'000'000;
        for (int step = 0; step < kMostSteps; ++step) {
            exchange();
            const TimePoint next = next_event();
            if (next > until || next == kNever) {
                if (until != kNever) now = std::max(now, until);
                return;
            }
            now = std::max(now, next);
        }
        FARLINK_INVARIANT(!"the simulation comes to no end");
    }
    [[nodiscard]] TimePoint next_event() const {
        TimePoint next = std::min(
            {to_a.next_due(), to_b.next_due(), a.engine.next_timeout(), b.engine.next_timeout()});
        const auto waits = [this](cla::ltp::PeerId peer) { return b.engine.wants_to_send(peer); };
        if ((rate_of(a) > 0 || rate_of(b) > 0) &&
            (a.engine.wants_to_send(a.peer) || waits(b.peer) ||
             std::ranges::any_of(b.former, waits)))
            next = std::min(next, std::max(refill_, now));
        return next;
    }
    /// Whether every session has ended, on both sides.
    [[nodiscard]] bool idle() const {
        return a.engine.sessions_out() + a.engine.sessions_in() + b.engine.sessions_out() +
                   b.engine.sessions_in() ==
               0;
    }

    TimePoint now = TimePoint(seconds(1000));  // first: the wires begin at it
    LtpSide a;
    LtpSide b;
    emulation::Wire to_b;
    emulation::Wire to_a;

private:
    /// Octets in a millisecond; 0: unlimited.
    [[nodiscard]] std::uint64_t rate_of(const LtpSide &side) const {
        const std::uint64_t pace = side.engine.pace(side.peer).value() / 8'000;
        return pace == 0 || rate_ == 0 ? std::max(pace, rate_) : std::min(pace, rate_);
    }
    static cla::ltp::PeerConfig with_id(cla::ltp::PeerConfig config, std::uint64_t id) {
        config.engine = cla::ltp::EngineId{id};
        return config;
    }
    void exchange() {
        arrive(to_b, b);
        arrive(to_a, a);
        a.engine.handle_timeout(now);
        b.engine.handle_timeout(now);
        a.drain(now);
        b.drain(now);
        if (now >= refill_) {
            credit_a_ = static_cast<std::int64_t>(rate_of(a));
            credit_b_ = static_cast<std::int64_t>(rate_of(b));
            refill_ = now + milliseconds(1);
        }
        transmit(a, a.peer, to_b, credit_a_);
        transmit(b, b.peer, to_a, credit_b_);
        for (const cla::ltp::PeerId peer : b.former) transmit(b, peer, to_a, credit_b_);
        a.drain(now);
        b.drain(now);
    }
    void arrive(emulation::Wire &wire, LtpSide &at) {
        for (auto datagrams = wire.due(now); !datagrams.empty(); datagrams = wire.due(now)) {
            for (const ByteView datagram : datagrams)
                if (&at == &b && b_reads != nullptr)
                    at.engine.handle_datagram(at.peer, b_reads(datagram), now);
                else
                    at.engine.handle_datagram(at.peer, datagram, now);
            wire.sent(datagrams.size());
        }
    }
    void transmit(LtpSide &from, cla::ltp::PeerId peer, emulation::Wire &wire,
                  std::int64_t &credit) {
        while (from.engine.wants_to_send(peer)) {
            const bool rated = rate_of(from) > 0;
            if (rated && credit <= 0) return;
            from.batch.clear();
            from.engine.poll_segments(peer, from.batch,
                                      rated ? static_cast<std::uint64_t>(credit) : 100'000, now);
            for (const cla::ltp::OutSegment &segment : from.batch.segments()) {
                Bytes datagram;
                for (const ByteView piece : from.batch.pieces_of(segment)) append(datagram, piece);
                FARLINK_INVARIANT(datagram.size() == segment.size);
                if (&from == &b && b_sends != nullptr) datagram = b_sends(datagram);
                wire.push(datagram, now);
            }
            credit -= static_cast<std::int64_t>(from.batch.bytes());
            if (from.batch.empty()) return;
        }
    }

    std::uint64_t rate_;
    Settings settings_;
    std::uint64_t restarts_ = 0;
    std::int64_t credit_a_ = 0;
    std::int64_t credit_b_ = 0;
    TimePoint refill_{};
};

}  // namespace farlink::test
