// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/peer/node_end.hpp"

#include <algorithm>
#include <utility>

namespace farlink::bptunnel {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{5000};

}  // namespace

/// What is sent again if it is refused.
struct NodeEnd::Kept {
    Kept(const boost::asio::any_io_executor &executor, std::string destination, Bytes octets)
        : timer(executor), to(std::move(destination)), adu(std::move(octets)) {}

    MonotonicTimer timer;
    std::string to;
    Bytes adu;
    std::chrono::milliseconds pause = kFirstPause;
};

void NodeEnd::start(Hooks hooks) {
    hooks_ = std::move(hooks);
    receive();
}

void NodeEnd::close() {
    hooks_ = {};
    endpoint_.close();
}

void NodeEnd::send(const std::string &to, Bytes adu, bool keep) {
    ++counters_->sent_adus;
    counters_->sent_bytes += adu.size();
    under_way_ += adu.size();
    std::shared_ptr<Kept> kept;
    if (keep) kept = std::make_shared<Kept>(executor_, to, adu);
    transmit(to, std::move(adu), std::move(kept));
}

void NodeEnd::transmit(const std::string &to, Bytes adu, std::shared_ptr<Kept> kept) {
    const std::size_t bytes = adu.size();
    endpoint_.async_send(
        to, std::move(adu), limits_.with,
        [weak = weak_from_this(), bytes, kept = std::move(kept)](const client::Sent &sent) {
            if (const auto self = weak.lock()) self->handle_sent(sent, bytes, kept);
        });
}

void NodeEnd::handle_sent(const client::Sent &sent, std::size_t bytes,
                          const std::shared_ptr<Kept> &kept) {
    if (!sent.error) return answered(bytes);
    if (sent.error->code != client::ErrorCode::kRefused) {
        answered(bytes);
        return lose(*sent.error);
    }
    ++counters_->refused_adus;
    if (!kept) return answered(bytes);
    kept->timer.expires_after(kept->pause);
    kept->pause = std::min(2 * kept->pause, kLongestPause);
    kept->timer.async_wait([weak = weak_from_this(), kept](const auto &error) {
        const auto self = weak.lock();
        if (self && !error) self->send_again(kept);
    });
}

void NodeEnd::send_again(const std::shared_ptr<Kept> &kept) {
    if (hooks_.on_adu) transmit(kept->to, kept->adu, kept);
}

void NodeEnd::answered(std::size_t bytes) {
    const bool was_full = full();
    under_way_ -= bytes;
    if (was_full && !full() && hooks_.on_room) hooks_.on_room();
    if (waiting_ && !full() && hooks_.on_adu) receive();
}

void NodeEnd::receive() {
    // What arrives has answers, which take room, too.
    waiting_ = under_way_ >= 2 * limits_.most_bytes;
    if (waiting_) return;
    endpoint_.async_receive([weak = weak_from_this()](client::Result<client::Adu> adu) {
        const auto self = weak.lock();
        if (!self || !self->hooks_.on_adu) return;
        if (!adu) return self->lose(adu.error());
        ++self->counters_->received_adus;
        self->counters_->received_bytes += adu->payload.size();
        self->endpoint_.accept(*adu);
        self->hooks_.on_adu(std::move(*adu));
        self->receive();
    });
}

void NodeEnd::lose(const client::Error &error) {
    const auto lost = std::exchange(hooks_, {}).on_lost;
    if (lost) lost(error.reason.empty() ? "no reason given" : error.reason);
}

}  // namespace farlink::bptunnel
