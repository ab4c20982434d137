// SPDX-License-Identifier: Apache-2.0
// The host and the driver of one session core for tests: memory to read into, bundles to send, and
// a record of all events.
// Owned by the test.
// One thread; no connection and no clock.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cla/api/session_core.hpp"
#include "common/base/invariant.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

class CoreHost {
public:
    using Kind = cla::SessionEvent::Kind;

    explicit CoreHost(std::unique_ptr<cla::SessionCore> session, std::uint32_t slab_bytes = 65536,
                      std::uint64_t limit_bytes = 2 * 1024 * 1024)
        : pool(slab_bytes, limit_bytes), buffer(pool), core(std::move(session)) {}

    /// Feeds `octets` in as few reads as the space allows, and answers the requests of the core.
    void feed(ByteView octets, TimePoint now) {
        while (!octets.empty() && !ended) {
            const MutableBytes space = core->prepare(buffer);
            FARLINK_INVARIANT(!space.empty());
            const std::size_t size = std::min(space.size(), octets.size());
            std::ranges::copy(octets.first(size), space.begin());
            octets = octets.subspan(size);
            core->handle_bytes(size, buffer, fresh_, now);
            take_bundles();
            handle_events(now);
            if (acknowledge_at_once && unacknowledged_ > 0 && !ended) acknowledge_all(now);
            buffer.rest();
        }
    }
    /// Returns up to `most` octets of the core's output and marks them as written.
    Bytes drain(TimePoint now, std::size_t most = ~std::size_t{0}) {
        Bytes octets;
        while (core->queue().pending() > 0 && octets.size() < most) {
            std::array<iovec, 16> gathered;
            const std::size_t count = core->queue().gather(gathered, most - octets.size());
            const std::size_t before = octets.size();
            for (std::size_t i = 0; i < count && octets.size() < most; ++i) {
                const ByteView piece{static_cast<const std::uint8_t *>(gathered[i].iov_base),
                                     gathered[i].iov_len};
                append(octets, piece.first(std::min(piece.size(), most - octets.size())));
            }
            core->queue().written(octets.size() - before);
            core->handle_written(now);
            handle_events(now);
        }
        return octets;
    }
    /// Sends `bundle` with a transient head and a body of `slices` pieces that is valid until its
    /// token is reported; returns the token.
    std::uint64_t send(ByteView bundle, TimePoint now, std::size_t slices = 1) {
        return send_all({{bundle.begin(), bundle.end()}}, now, slices);
    }
    /// Sends a piece, of which `head` octets are transient; further ones of `left` octets follow.
    std::uint64_t send_piece(ByteView piece, bool further, std::uint64_t left, TimePoint now,
                             std::size_t head = 0) {
        const Bytes transient(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(head));
        TxBundle bundle;
        bundle.head = transient;
        bundle.body = keep(piece).subspan(head);
        bundle.size = piece.size();
        bundle.token = next_token++;
        bundle.is_further_piece = further;
        bundle.left = left;
        core->handle_send({&bundle, 1}, now);
        handle_events(now);
        return bundle.token;
    }
    /// All in one call; returns the first token.
    std::uint64_t send_all(const std::vector<Bytes> &bundles, TimePoint now,
                           std::size_t slices = 1) {
        const std::uint64_t first = next_token;
        std::vector<TxBundle> batch;
        std::vector<Bytes> heads;
        for (const Bytes &bundle : bundles) {
            const std::size_t head = bundle.size() / 3 > 80 ? 80 : bundle.size() / 3;
            heads.push_back({bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(head)});
            ByteView rest = keep(bundle).subspan(head);
            Outgoing &kept = outgoing_[next_token];
            for (std::size_t left = slices; left > 0; --left) {
                const std::size_t part = rest.size() / left;
                kept.slices.push_back(rest.first(part));
                rest = rest.subspan(part);
            }
            batch.push_back({heads.back(), kept.slices.front(), std::span(kept.slices).subspan(1),
                             bundle.size(), next_token++});
        }
        core->handle_send(batch, now);
        heads.clear();
        handle_events(now);
        return first;
    }
    /// Sets the disposition of `count` bundles from number `first` on.
    void acknowledge(std::uint64_t first, std::uint32_t count, cla::TransferDisposition disposition,
                     TimePoint now) {
        for (std::uint64_t number = first; number < first + count; ++number)
            if (disposition == cla::TransferDisposition::kSafe) safe[number] = true;
        core->handle_disposition(first, count, disposition, now);
        handle_events(now);
    }
    /// Acknowledges all bundles since the last call; only without other calls of acknowledge().
    void acknowledge_all(TimePoint now) {
        const std::uint32_t count = std::exchange(unacknowledged_, 0);
        acknowledge(received.size() - count, count, cla::TransferDisposition::kSafe, now);
    }
    void terminate(TimePoint now, cla::LinkFault why = cla::LinkFault::kNone) {
        core->handle_terminate(why, now);
        handle_events(now);
    }
    void peer_closed(TimePoint now) {
        core->handle_peer_closed(now);
        handle_events(now);
    }
    void timeout(TimePoint now) {
        core->handle_timeout(now);
        handle_events(now);
    }
    void handle_events(TimePoint now) {
        while (const auto event = core->poll_event()) {
            FARLINK_INVARIANT(!ended);  // kEnded is the last one
            events.push_back(*event);
            handle(*event, now);
        }
    }
    /// How often something happened.
    [[nodiscard]] std::size_t count(Kind kind) const {
        return static_cast<std::size_t>(std::ranges::count(events, kind, &cla::SessionEvent::kind));
    }
    [[nodiscard]] bool departed(cla::ProtocolDeviation deviation) const {
        return std::ranges::any_of(events, [deviation](const cla::SessionEvent &event) {
            return event.kind == Kind::kDeparture && event.deviation == deviation;
        });
    }

    SlabPool pool;
    ReadBuffer buffer;
    std::unique_ptr<cla::SessionCore> core;

    bool accept_peer = true;
    bool acknowledge_at_once = false;
    bool identify_at_once = true;

    std::vector<Bytes> received;  ///< by number
    std::size_t pieces = 0;       ///< of bundles in pieces
    std::size_t largest_piece = 0;
    std::size_t given_up = 0;  ///< bundles in pieces whose last one did not come
    std::vector<bool> safe;    ///< by number: acknowledged as safe
    std::vector<cla::SessionEvent> events;
    std::map<std::uint64_t, cla::Refusal> refused;  ///< by token
    std::uint64_t next_token = 0;
    std::uint64_t transmitted = 0;  ///< tokens below are done
    bool established = false;
    bool ended = false;
    cla::LinkFault fault = cla::LinkFault::kNone;

private:
    struct Outgoing {
        Outgoing() = default;
        Outgoing(Outgoing &&) = delete;
        /// What is used after its token was reported is found by its contents.
        ~Outgoing() { std::fill_n(octets.get(), size, std::uint8_t{0xdd}); }

        std::unique_ptr<std::uint8_t[]> octets;
        std::size_t size = 0;
        std::vector<ByteView> slices;
    };

    /// Octets that are valid until the next token is reported.
    ByteView keep(ByteView octets) {
        Outgoing &kept = outgoing_[next_token];
        kept.octets = std::make_unique<std::uint8_t[]>(octets.size());
        kept.size = octets.size();
        std::ranges::copy(octets, kept.octets.get());
        return {kept.octets.get(), kept.size};
    }

    void take_bundles() {
        if (!fresh_.empty()) FARLINK_INVARIANT(fresh_.first_transfer == received.size());
        for (const ReceivedBundle &bundle : fresh_.bundles) take(bundle);
        safe.resize(received.size());
        fresh_.clear();
    }
    void take(const ReceivedBundle &bundle) {
        if (bundle.breaks_off()) {
            FARLINK_INVARIANT(bundle.more && !begun_.empty());
            ++given_up;
            return begun_.clear();
        }
        const Bytes octets = joined(fresh_.slices_of(bundle));
        FARLINK_INVARIANT(!octets.empty() && octets.size() == bundle.size);
        if (!bundle.is_further && !begun_.empty()) {
            ++given_up;
            begun_.clear();
        }
        FARLINK_INVARIANT(bundle.is_further == !begun_.empty());
        if (bundle.more || bundle.is_further) {
            ++pieces;
            largest_piece = std::max(largest_piece, octets.size());
        }
        append(begun_, octets);
        if (bundle.more) return;
        received.push_back(std::exchange(begun_, Bytes()));
        ++unacknowledged_;
    }
    void handle(const cla::SessionEvent &event, TimePoint now) {
        switch (event.kind) {
            case Kind::kPeerAnnounced:
                if (identify_at_once) core->handle_identity(accept_peer, now);
                break;
            case Kind::kEstablished:
                established = true;
                break;
            case Kind::kTransmitted:
                FARLINK_INVARIANT(event.token > transmitted && event.token <= next_token);
                transmitted = event.token;
                outgoing_.erase(outgoing_.begin(), outgoing_.lower_bound(transmitted));
                break;
            case Kind::kRefused:
                FARLINK_INVARIANT(event.token >= transmitted);
                FARLINK_INVARIANT(refused.emplace(event.token, event.refusal).second);
                break;
            case Kind::kEnded:
                ended = true;
                fault = event.fault;
                outgoing_.clear();
                break;
            default:
                break;
        }
    }

    ReceivedBundles fresh_;
    Bytes begun_;  ///< the pieces of a bundle that is not here to its end
    std::uint32_t unacknowledged_ = 0;
    std::map<std::uint64_t, Outgoing> outgoing_;
};

}  // namespace farlink::test
