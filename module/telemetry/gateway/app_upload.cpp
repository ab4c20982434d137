// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_upload.hpp"

#include <utility>

namespace farlink::telemetry {

AppUpload::AppUpload(boost::asio::io_context &io, client::Registration registration, Done done)
    : io_(io),
      registration_(std::move(registration)),
      sender_(registration_,
              [this](std::uint64_t, client::Sent sent) { handle_sent(std::move(sent)); }),
      done_(std::move(done)) {}

// The body is cut: the node has no whole ADU, and forgets what it has with the connection.
AppUpload::~AppUpload() {
    if (channel_) channel_->close();
    if (done_)
        std::exchange(done_, {})(
            {id_, client::Error{client::ErrorCode::kConnectionLost, "the body was truncated"}},
            false);
}

void AppUpload::start(const std::string &socket, const client::Message &message,
                      std::uint64_t bytes) {
    sender_.add(message, bytes, client::dtn_now_ms());
    id_ = sender_.pending().back().id;
    channel_ = std::make_shared<AppChannel>(io_, registration_, sender_);
    channel_->start(socket, hooks());
}

AppChannel::Hooks AppUpload::hooks() {
    const auto with = [weak = weak_from_this()](auto action) {
        return [weak, action](const auto &...given) {
            if (const auto self = weak.lock()) action(*self, given...);
        };
    };
    return {with([](AppUpload &self) { self.handle_ready(); }), [] {},
            with([](AppUpload &self) { self.handle_written(); }),
            with([](AppUpload &self, const client::Error &error) { self.sender_.give_up(error); })};
}

void AppUpload::handle_ready() {
    channel_->write(sender_.last_head());
    channel_->write(first_);
    first_ = {};
}

void AppUpload::take(ByteView piece, std::function<void()> more) {
    if (early_) return answer(*early_);
    more_ = std::move(more);
    if (channel_->ready()) return channel_->write(piece);
    first_.assign(piece.begin(), piece.end());
}

// The octets of the handshake do not count.
void AppUpload::handle_written() {
    if (channel_->ready() && more_) std::exchange(more_, {})();
}

void AppUpload::finish() {
    if (early_) return answer(*early_);
    whole_ = true;
    keep_ = shared_from_this();
}

void AppUpload::abandon() {
    done_ = {};
    answer({{}, std::nullopt});
}

// While a piece is awaited the answer waits: one who sends is read until the next piece.
void AppUpload::handle_sent(client::Sent sent) {
    early_ = std::move(sent);
    if (whole_ || more_) answer(*early_);
}

void AppUpload::answer(const client::Sent &sent) {
    const auto self = shared_from_this();
    keep_.reset();
    channel_->close();
    more_ = {};
    if (done_) std::exchange(done_, {})(sent, whole_);
}

}  // namespace farlink::telemetry
