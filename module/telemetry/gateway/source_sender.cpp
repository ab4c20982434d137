// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/source_sender.hpp"

#include <utility>

#include "common/runtime/clock.hpp"

namespace farlink::telemetry {
namespace {

constexpr milliseconds kPause{50};
/// A module that has died is there again before.
constexpr seconds kLongestLoss{10};

}  // namespace

SourceSender::SourceSender(boost::asio::io_context &io, std::string socket,
                           client::Registration registration)
    : io_(io),
      pause_(io),
      socket_(std::move(socket)),
      registration_(std::move(registration)),
      sender_(registration_, [this](std::uint64_t, const client::Sent &sent) { finish(sent); }) {}

void SourceSender::send(client::Message message, std::string payload, Done done) {
    used_ = monotonic_now();
    Waiting &added = waiting_.emplace_back(std::move(message), std::move(payload), std::move(done));
    added.message.payload = client::octets_of(added.payload);
    sender_.add(added.message, client::dtn_now_ms());
    if (!channel_ && !pausing_) connect();
    if (!channel_ || !channel_->ready()) return;
    channel_->write(sender_.last_head());
    channel_->write(added.message.payload);
}

void SourceSender::connect() {
    channel_ = std::make_shared<AppChannel>(io_, registration_, sender_);
    const auto with = [weak = weak_from_this()](auto action) {
        return [weak, action](const auto &...given) {
            if (const auto self = weak.lock()) action(*self, given...);
        };
    };
    channel_->start(
        socket_,
        {with([](SourceSender &self) { self.handle_ready(); }), [] {}, [] {},
         with([](SourceSender &self, const client::Error &error) { self.handle_ended(error); })});
}

void SourceSender::handle_ready() {
    lost_ = kNever;
    for (const client::Sender::Pending &pending : sender_.pending()) {
        channel_->write(pending.head);
        channel_->write(pending.payload);
    }
}

void SourceSender::handle_ended(const client::Error &error) {
    channel_.reset();
    if (error.code != client::ErrorCode::kConnectionLost) return give_up(error);
    if (idle()) return;
    const TimePoint now = monotonic_now();
    if (lost_ == kNever) lost_ = now;
    if (now - lost_ > kLongestLoss) return give_up(error);
    pausing_ = true;
    pause_.expires_after(kPause);
    pause_.async_wait([weak = weak_from_this()](const auto &cut) {
        const auto self = weak.lock();
        if (cut || !self) return;
        self->pausing_ = false;
        if (!self->idle()) self->connect();
    });
}

void SourceSender::finish(const client::Sent &sent) {
    const Done done = std::move(waiting_.front().done);
    waiting_.pop_front();
    used_ = monotonic_now();
    done(sent);
}

void SourceSender::give_up(const client::Error &error) {
    lost_ = kNever;
    sender_.give_up(error);
}

void SourceSender::close() {
    pause_.cancel();
    if (channel_) channel_->close();
    channel_.reset();
}

}  // namespace farlink::telemetry
