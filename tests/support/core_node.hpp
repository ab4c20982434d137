// SPDX-License-Identifier: Apache-2.0
// One end of a session without a connection: a core with its memory, driven as a link drives it.
// Owned by the test that makes it; one thread.
// Octets of a bundle are freed as soon as the core says that it is done with it, and all of them
// when the session has ended, so that a sanitizer sees every use beyond that.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cla/api/session_core.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

class CoreNode {
public:
    using Kind = cla::SessionEvent::Kind;

    explicit CoreNode(std::unique_ptr<cla::SessionCore> core, std::uint64_t limit = 64 * kSlab)
        : pool(kSlab, limit), buffer(pool), core_(std::move(core)) {}
    CoreNode(const CoreNode &) = delete;
    CoreNode &operator=(const CoreNode &) = delete;

    static constexpr std::uint32_t kSlab = 16 * 1024;

    // ---- how the host behaves
    bool accept_peer = true;
    bool settle_at_once = true;
    bool keep_memory = false;  ///< bundles that arrive stay in their slabs until forget_memory()
    Settlement verdict = Settlement::kSafe;

    // ---- what came of it
    std::vector<Bytes> received;
    bool announced = false;
    bool established = false;
    bool writable = false;
    std::uint64_t done_below = 0;  ///< tokens
    std::map<std::uint64_t, cla::Refusal> refused;
    std::map<cla::Departure, int> departures;
    std::optional<cla::SessionEvent> ended;

    SlabPool pool;
    ReadBuffer buffer;

    [[nodiscard]] cla::SessionCore &core() { return *core_; }

    void connect(TimePoint now) {
        core_->handle_connected(now);
        drain(now);
    }
    /// Reads from `octets` what the core wants of them; returns how many octets that are.
    std::size_t feed(ByteView octets, TimePoint now) {
        std::size_t fed = 0;
        while (fed < octets.size() && core_->wants_read() && !ended) {
            const MutableBytes space = core_->prepare(buffer);
            EXPECT_FALSE(space.empty());
            const std::size_t size = std::min(space.size(), octets.size() - fed);
            std::ranges::copy(octets.subspan(fed, size), space.begin());
            fed += size;
            core_->handle_bytes(size, buffer, out_, now);
            drain(now);
            take(now);
            buffer.rest();
        }
        return fed;
    }
    /// What the core wants written, at most `most` octets of it.
    Bytes output(TimePoint now, std::size_t most = ~std::size_t{0}) {
        Bytes octets;
        std::array<iovec, 16> pieces;
        while (octets.size() < most && core_->queue().pending() > 0) {
            const std::size_t count = core_->queue().gather(pieces, most - octets.size());
            const std::size_t before = octets.size();
            for (std::size_t i = 0; i < count; ++i)
                append(octets,
                       {static_cast<const std::uint8_t *>(pieces[i].iov_base), pieces[i].iov_len});
            octets.resize(std::min(octets.size(), most));
            core_->queue().written(octets.size() - before);
            core_->handle_written(now);
            drain(now);
        }
        return octets;
    }
    /// Sends it in a head, a body and, when `pieces` asks for more, further pieces.
    std::uint64_t send(const Bytes &bundle, TimePoint now, std::size_t pieces = 2) {
        auto &sent = sent_[next_token_];
        const std::size_t head_size = std::min<std::size_t>(bundle.size(), 30);
        Bytes head(bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(head_size));
        const std::size_t stable = bundle.size() - head_size;
        for (std::size_t i = 0; i + 1 < pieces; ++i) {
            const std::size_t from = head_size + stable * i / (pieces - 1);
            const std::size_t to = head_size + stable * (i + 1) / (pieces - 1);
            sent.octets.emplace_back(bundle.begin() + static_cast<std::ptrdiff_t>(from),
                                     bundle.begin() + static_cast<std::ptrdiff_t>(to));
        }
        for (const Bytes &piece : sent.octets) sent.views.emplace_back(piece);
        TxBundle tx;
        tx.head = head;
        tx.body = sent.views.front();
        tx.rest = std::span(sent.views).subspan(1);
        tx.size = bundle.size();
        tx.token = next_token_;
        core_->handle_send({&tx, 1}, now);
        std::ranges::fill(head, std::uint8_t{0xee});
        drain(now);
        return next_token_++;
    }
    /// The host's word on everything that it has and has not settled.
    void settle_all(TimePoint now) {
        if (settled_ < delivered_)
            core_->handle_settled(settled_, static_cast<std::uint32_t>(delivered_ - settled_),
                                  verdict, now);
        settled_ = delivered_;
        drain(now);
    }
    void settle(std::uint64_t first, std::uint32_t count, Settlement as, TimePoint now) {
        core_->handle_settled(first, count, as, now);
        drain(now);
    }
    void time_out(TimePoint now) {
        core_->handle_timeout(now);
        drain(now);
    }
    void terminate(TimePoint now) {
        core_->handle_terminate(now);
        drain(now);
    }
    void peer_closed(TimePoint now) {
        core_->handle_peer_closed(now);
        drain(now);
    }
    void forget_memory() {
        kept_.clear();
        buffer.rest();
    }
    [[nodiscard]] std::uint64_t next_token() const { return next_token_; }

private:
    struct Sent {
        std::vector<Bytes> octets;
        std::vector<ByteView> views;
    };

    void take(TimePoint now) {
        if (out_.empty()) return;
        EXPECT_TRUE(established);
        EXPECT_EQ(out_.first_transfer, delivered_);
        for (const ReceivedBundle &bundle : out_.bundles) {
            received.push_back(joined(out_.slices_of(bundle)));
            EXPECT_EQ(received.back().size(), bundle.size);
            ++delivered_;
        }
        if (keep_memory) kept_.insert(kept_.end(), out_.slabs.begin(), out_.slabs.end());
        out_.clear();
        if (settle_at_once && !ended) settle_all(now);
    }
    void drain(TimePoint now) {
        while (const auto event = core_->poll_event()) handle(*event, now);
    }
    void handle(const cla::SessionEvent &event, TimePoint now) {
        EXPECT_FALSE(ended.has_value()) << "something happened after the end";
        switch (event.kind) {
            case Kind::kStartTls:
                return core_->handle_secured(now);
            case Kind::kPeerAnnounced:
                EXPECT_FALSE(std::exchange(announced, true));
                return core_->handle_identity(accept_peer, now);
            case Kind::kEstablished:
                EXPECT_FALSE(std::exchange(established, true));
                return;
            case Kind::kTransmitted:
                EXPECT_GT(event.token, done_below);
                EXPECT_LE(event.token, next_token_);
                done_below = event.token;
                sent_.erase(sent_.begin(), sent_.lower_bound(done_below));
                return;
            case Kind::kRefused:
                EXPECT_GE(event.token, done_below);
                EXPECT_TRUE(refused.emplace(event.token, event.refusal).second);
                return;
            case Kind::kWritable:
                EXPECT_GT(core_->transmit_credit(), 0U);
                writable = true;
                return;
            case Kind::kDeparture:
                ++departures[event.departure];
                return;
            case Kind::kEnded:
                ended = event;
                sent_.clear();
                return;
        }
    }

    std::unique_ptr<cla::SessionCore> core_;
    std::map<std::uint64_t, Sent> sent_;
    std::uint64_t next_token_ = 0;
    std::uint64_t delivered_ = 0;
    std::uint64_t settled_ = 0;
    std::vector<SlabRef> kept_;
    ReceivedBundles out_;
};

}  // namespace farlink::test
