// SPDX-License-Identifier: Apache-2.0
// Two session cores that exchange messages; all octets are recorded.
// Owned by a test, which makes the cores and gives them commands; one thread.
// Octets arrive at once and whole; pipes that split and cut are tested elsewhere.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "cla/api/session_core.hpp"
#include "tests/support/pcap.hpp"

namespace farlink::test {

class RecordedSession {
public:
    /// May change the octets of a side before they are recorded and delivered.
    using Censor = std::function<void(Bytes &)>;

    RecordedSession(cla::SessionCore &active, cla::SessionCore &passive, Censor censor = {})
        : censor_(std::move(censor)), sides_{Side(active, true), Side(passive, false)} {
        for (Side &side : sides_) side.core.handle_connected(now_);
        run();
    }

    /// Sends copies of the bundles; they live as long as this.
    void send(cla::SessionCore &from, std::span<const Bytes> bundles) {
        Side &side = of(from);
        for (const Bytes &bundle : bundles) {
            const Bytes &kept = *side.sent.emplace_back(std::make_unique<Bytes>(bundle));
            const TxBundle one{{}, kept, {}, kept.size(), side.next_token++};
            from.handle_send({&one, 1}, now_);
        }
    }
    /// Runs until neither side has output.
    void run() {
        bool spoke = true;
        while (spoke) {
            spoke = false;
            for (std::size_t i = 0; i < sides_.size(); ++i) {
                answer_events(sides_[i]);
                spoke = speak(sides_[i], sides_[1 - i]) || spoke;
            }
        }
    }
    void pass(Duration time) {
        now_ += time;
        for (Side &side : sides_)
            if (side.core.next_timeout() <= now_) side.core.handle_timeout(now_);
        run();
    }
    /// The disposition of bundles that arrive from now on.
    void acknowledge_as(TransferDisposition disposition) { disposition_ = disposition; }

    [[nodiscard]] std::span<const Spoken> dialogue() const { return dialogue_; }
    /// The bundles that reached this side.
    [[nodiscard]] const std::vector<Bytes> &received(const cla::SessionCore &core) {
        return of(core).received;
    }
    /// Every event of this side so far.
    [[nodiscard]] const std::vector<cla::SessionEvent> &events(const cla::SessionCore &core) {
        return of(core).events;
    }
    [[nodiscard]] TimePoint now() const { return now_; }

private:
    struct Side {
        Side(cla::SessionCore &it, bool is_active) : core(it), active(is_active) {}
        cla::SessionCore &core;
        bool active;
        bool ended = false;
        std::uint64_t next_token = 0;
        std::vector<std::unique_ptr<Bytes>> sent;
        std::vector<Bytes> received;
        std::vector<cla::SessionEvent> events;
    };

    Side &of(const cla::SessionCore &core) { return sides_[&core == &sides_[0].core ? 0 : 1]; }

    void answer_events(Side &side) {
        while (const auto event = side.core.poll_event()) {
            side.events.push_back(*event);
            if (event->kind == cla::SessionEvent::Kind::kPeerAnnounced)
                side.core.handle_identity(true, now_);
            if (event->kind == cla::SessionEvent::Kind::kEnded) side.ended = true;
        }
    }
    bool speak(Side &from, Side &to) {
        TxQueue &queue = from.core.queue();
        if (queue.pending() == 0) return false;
        std::array<iovec, 64> pieces{};
        const std::size_t count = queue.gather(pieces, kMostBytes);
        Bytes octets;
        for (const iovec &piece : std::span(pieces).first(count)) {
            const auto *data = static_cast<const std::uint8_t *>(piece.iov_base);
            octets.insert(octets.end(), data, data + piece.iov_len);
        }
        queue.written(octets.size());
        from.core.handle_written(now_);
        if (censor_) censor_(octets);
        if (!to.ended) handle(to, octets);
        dialogue_.push_back({from.active, std::move(octets)});
        return true;
    }
    void handle(Side &side, ByteView octets) {
        while (!octets.empty() && !side.ended) {
            const MutableBytes space = side.core.prepare(buffer_);
            ASSERT_FALSE(space.empty());
            const std::size_t size = std::min(space.size(), octets.size());
            std::copy_n(octets.begin(), size, space.begin());
            octets = octets.subspan(size);
            ReceivedBundles bundles;
            side.core.handle_bytes(size, buffer_, bundles, now_);
            take(side, bundles);
            answer_events(side);
        }
    }
    void take(Side &side, const ReceivedBundles &bundles) {
        for (const ReceivedBundle &bundle : bundles.bundles) {
            Bytes &whole = side.received.emplace_back();
            for (const ByteView slice : bundles.slices_of(bundle)) append(whole, slice);
        }
        if (!bundles.empty())
            side.core.handle_disposition(bundles.first_transfer,
                                         static_cast<std::uint32_t>(bundles.bundles.size()),
                                         disposition_, now_);
    }

    static constexpr std::size_t kMostBytes = 64 * 1024;

    TimePoint now_{};
    SlabPool pool_{256 * 1024, 64 * 1024 * 1024};
    ReadBuffer buffer_{pool_};
    TransferDisposition disposition_ = TransferDisposition::kSafe;
    Censor censor_;
    std::array<Side, 2> sides_;
    std::vector<Spoken> dialogue_;
};

}  // namespace farlink::test
