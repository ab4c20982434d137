// SPDX-License-Identifier: Apache-2.0
// A minimal protocol for tests of the session driver: a greeting, bundles, answers in order, an
// end. Owned by one connection of a test; one thread.
// A message is a letter, a length of four octets, and that many octets.
#pragma once

#include <algorithm>
#include <string>

#include "cla/api/session_core.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::test {

class FrameCore final : public cla::SessionCore {
public:
    using Event = cla::SessionEvent;
    /// S: TLS starts. H: node id. B: bundle. A: number of bundles that are acknowledged. R: the
    /// next one is refused. T: the end; the text is the reconnection delay in seconds.
    static constexpr std::size_t kHead = 5;

    explicit FrameCore(cla::SessionConfig config) : config_(std::move(config)) {}

    static Bytes message(char letter, ByteView body) {
        Bytes octets(kHead);
        octets[0] = static_cast<std::uint8_t>(letter);
        store_be(octets.data() + 1, static_cast<std::uint32_t>(body.size()));
        append(octets, body);
        return octets;
    }

    void handle_connected(TimePoint now) override {
        due_ = now + config_.handshake_limit;
        const bool active = config_.role == cla::SessionRole::kActive;
        if (config_.tls == cla::TlsPolicy::kNone)
            say('H', as_bytes(config_.node_id));
        else if (active)
            say('S', {});
    }
    void handle_secured(TimePoint) override { say('H', as_bytes(config_.node_id)); }
    void handle_identity(bool accepted, TimePoint) override {
        if (!accepted) return end(cla::LinkFault::kIdentityRefused);
        due_ = kNever;
        established_ = true;
        publish(Event::Kind::kEstablished);
    }
    void handle_peer_closed(TimePoint) override {
        end(ended_ ? cla::LinkFault::kNone : cla::LinkFault::kPeerClosed);
    }

    MutableBytes prepare(ReadBuffer &buffer) override {
        const MutableBytes space = buffer.space(1024);
        return space.empty() ? MutableBytes(own_) : space;
    }
    void handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                      TimePoint) override {
        const ByteView fresh = buffer.slab() ? ByteView(buffer.unused()) : ByteView(own_);
        append(input_, fresh.first(size));
        out.first_transfer = received_;
        while (input_.size() >= kHead && !ended_) {
            const std::size_t length = load_be<std::uint32_t>(input_.data() + 1);
            if (length > config_.transfer_mru) return end(cla::LinkFault::kFrameTooLarge);
            if (input_.size() < kHead + length) break;
            const char letter = static_cast<char>(input_[0]);
            const Bytes body(input_.begin() + kHead, input_.begin() + kHead + length);
            input_.erase(input_.begin(), input_.begin() + kHead + length);
            handle_message(letter, body, buffer, out);
        }
    }
    bool wants_read() const override { return !paused_; }
    bool inside_bundle() const override { return input_.size() > kHead; }
    std::uint64_t unfinished_bytes() const override { return inside_bundle() ? input_.size() : 0; }
    bool compact(SlabPool &) override { return true; }

    void handle_send(std::span<const TxBundle> bundles, TimePoint) override {
        for (const TxBundle &bundle : bundles) {
            std::uint8_t head[kHead] = {'B'};
            store_be(head + 1, static_cast<std::uint32_t>(bundle.size));
            queue_.copy(head);
            queue_.copy(bundle.head);
            queue_.reference(bundle.body);
            for (const ByteView piece : bundle.rest) queue_.reference(piece);
            unanswered_.push_back(bundle.token);
        }
        full_ = full_ || transmit_credit() == 0;
    }
    void handle_disposition(std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition, TimePoint) override {
        if (answers_.size() < first + count) answers_.resize(first + count, '?');
        std::fill_n(answers_.begin() + static_cast<std::ptrdiff_t>(first), count,
                    disposition == TransferDisposition::kSafe ? 'A' : 'R');
        while (answered_ < answers_.size() && answers_[answered_] != '?')
            say(answers_[answered_++], {});
    }
    void handle_pause(bool paused) override { paused_ = paused; }
    void handle_terminate(cla::LinkFault, TimePoint now) override {
        if (terminating_) return;
        terminating_ = true;
        due_ = now + config_.termination_limit;
        if (unanswered_.empty()) say_end();
    }
    std::uint64_t transmit_credit() const override {
        const std::uint64_t pending = queue_.pending();
        return terminating_ || pending >= config_.max_unsent ? 0 : config_.max_unsent - pending;
    }
    std::uint64_t max_bundle_bytes() const override { return config_.transfer_mru; }

    TxQueue &queue() override { return queue_; }
    void handle_written(TimePoint) override {
        if (full_ && transmit_credit() > 0) {
            full_ = false;
            publish(Event::Kind::kWritable);
        }
    }
    TimePoint next_timeout() const override { return due_; }
    void handle_timeout(TimePoint) override {
        due_ = kNever;
        end(established_ ? cla::LinkFault::kTerminationTimeout : cla::LinkFault::kHandshakeTimeout);
    }
    std::optional<Event> poll_event() override {
        if (events_.empty()) return std::nullopt;
        return events_.pop_front();
    }
    const std::string &peer_node_id() const override { return peer_; }

private:
    void handle_message(char letter, const Bytes &body, ReadBuffer &buffer, ReceivedBundles &out) {
        switch (letter) {
            case 'S':
                if (config_.role == cla::SessionRole::kPassive) say('S', {});
                return publish(Event::Kind::kStartTls);
            case 'H':
                peer_ = as_text(body);
                return publish(Event::Kind::kPeerAnnounced);
            case 'B': {
                const auto size = static_cast<std::uint32_t>(body.size());
                const SlabRef slab = buffer.pool().acquire_sized(size);
                if (!slab) return end(cla::LinkFault::kNoRoom);
                std::ranges::copy(body, slab->data);
                out.add(slab, {slab->data, size});
                ++received_;
                return;
            }
            case 'A':
            case 'R':
                return handle_answer(letter == 'R');
            case 'T':
                if (!terminating_) say_end();
                return end(terminating_ ? cla::LinkFault::kNone : cla::LinkFault::kPeerTerminated,
                           body.empty() ? seconds(0) : seconds(body[0]));
            default:
                end(cla::LinkFault::kProtocolError);
        }
    }
    void handle_answer(bool refused) {
        if (unanswered_.empty()) return end(cla::LinkFault::kProtocolError);
        const std::uint64_t token = unanswered_.pop_front();
        if (refused) {
            publish(Event::Kind::kRefused);
            events_.back().token = token;
            events_.back().refusal = cla::Refusal::kNoResources;
        }
        publish(Event::Kind::kTransmitted);
        events_.back().token = token + 1;
        if (terminating_ && unanswered_.empty()) say_end();
    }
    void say(char letter, ByteView body) { queue_.copy(message(letter, body)); }
    void say_end() { say('T', {}); }
    void publish(Event::Kind kind) {
        events_.push_back({});
        events_.back().kind = kind;
    }
    void end(cla::LinkFault fault, Duration delay = {}) {
        if (std::exchange(ended_, true)) return;
        publish(Event::Kind::kEnded);
        events_.back().fault = fault;
        events_.back().reconnection_delay = delay;
    }

    cla::SessionConfig config_;
    TxQueue queue_;
    Ring<Event> events_;
    Ring<std::uint64_t> unanswered_;  ///< tokens
    Bytes input_;
    Bytes own_ = Bytes(256);
    std::string answers_;  ///< for the bundles received: A, R, or ? for no answer yet
    std::size_t answered_ = 0;
    std::uint64_t received_ = 0;
    std::string peer_;
    TimePoint due_ = kNever;
    bool established_ = false;
    bool terminating_ = false;
    bool ended_ = false;
    bool paused_ = false;
    bool full_ = false;
};

}  // namespace farlink::test
