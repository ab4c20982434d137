// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/lease_receiver.hpp"

#include <utility>

namespace farlink::telemetry {
namespace {

/// A client that works off a queue asks again within this time.
constexpr seconds kIdleTime{1};

/// Calls its action when it is let go.
class AtEnd {
public:
    explicit AtEnd(std::function<void()> action) : action_(std::move(action)) {}
    AtEnd(const AtEnd &) = delete;
    AtEnd &operator=(const AtEnd &) = delete;
    ~AtEnd() { action_(); }

private:
    std::function<void()> action_;
};

}  // namespace

LeaseReceiver::LeaseReceiver(boost::asio::io_context &io, client::Registration registration,
                             HeldOctets &held)
    : io_(io),
      timer_(io),
      registration_(std::move(registration)),
      receiver_(registration_),
      direction_(receiver_, held) {}

void LeaseReceiver::start(const std::string &socket) {
    channel_ = std::make_shared<AppChannel>(io_, registration_, direction_);
    const auto with = [weak = weak_from_this()](auto action) {
        return [weak, action](const auto &...given) {
            if (const auto self = weak.lock()) action(*self, given...);
        };
    };
    channel_->start(
        socket,
        {[] {}, with([](LeaseReceiver &self) { self.give(); }), [] {},
         with([](LeaseReceiver &self, const client::Error &error) { self.handle_ended(error); })});
}

std::shared_ptr<void> LeaseReceiver::poll(Duration wait, Duration lease, Reply reply) {
    state_ = State::kPolled;
    const std::uint64_t number = ++polls_;
    auto held = std::make_shared<AtEnd>([weak = weak_from_this(), number] {
        if (const auto self = weak.lock()) self->cancel(number);
    });
    lease_ = lease;
    reply_ = std::move(reply);
    arm(wait);
    give();
    return held;
}

void LeaseReceiver::give() {
    if (state_ != State::kPolled || receiver_.arrived().empty()) return;
    state_ = State::kLeased;
    client::Adu adu = std::move(receiver_.arrived().front());
    receiver_.arrived().pop_front();
    leased_.number = adu.number;
    leased_.source = adu.source;
    leased_.creation_ms = adu.creation_ms;
    leased_.sequence = adu.sequence;
    direction_.release(adu.payload.size());
    arm(lease_);
    reply(std::optional(std::move(adu)));
}

void LeaseReceiver::cancel(std::uint64_t poll) {
    if (state_ != State::kPolled || poll != polls_) return;
    reply_ = {};
    rest();
}

void LeaseReceiver::accept() {
    receiver_.accept(leased_);
    channel_->write(receiver_.take_answers());
    rest();
}

void LeaseReceiver::rest() {
    state_ = State::kIdle;
    arm(kIdleTime);
}

void LeaseReceiver::arm(Duration wait) {
    timer_.expires_after(wait);
    timer_.async_wait([weak = weak_from_this(), number = ++armed_](const auto &cut) {
        const auto self = weak.lock();
        // The timer may have been set anew while this was on its way.
        if (self && !cut && number == self->armed_) self->handle_time();
    });
}

void LeaseReceiver::handle_time() {
    if (state_ != State::kPolled) return end();
    rest();
    reply(std::optional<client::Adu>());
}

void LeaseReceiver::handle_ended(const client::Error &error) {
    const bool polled = state_ == State::kPolled;
    const bool too_large = direction_.too_large();
    end();
    if (!polled) return;
    if (too_large)
        return reply(
            client::Error{client::ErrorCode::kBadArgument,
                          "the next bundle is larger than the memory for received bundles"});
    reply(error);
}

void LeaseReceiver::end() {
    if (std::exchange(state_, State::kEnded) == State::kEnded) return;
    timer_.cancel();
    if (channel_) channel_->close();
}

void LeaseReceiver::reply(Outcome outcome) {
    if (reply_) std::exchange(reply_, {})(std::move(outcome));
}

}  // namespace farlink::telemetry
