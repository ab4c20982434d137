// SPDX-License-Identifier: Apache-2.0
// What a link may send at its rate, and a wake-up for its host when it may send more.
// Owned by an outduct, or by a port's record of one peer; the thread of its loop only.
// The configured rate and the contact's hold both: the slower one counts.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <utility>

#include "cla/io/link_body.hpp"
#include "cla/io/token_bucket.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class RateLimit {
public:
    /// `on_available` is called some time after credit() was 0, when it is above 0 again; also when
    /// the link is closed meanwhile: a debt holds for its next connection too.
    RateLimit(boost::asio::io_context &io, BitRate configured, std::function<void()> on_available)
        : body_(make_owned<Body>(io, configured, std::move(on_available))) {}

    /// How much of `room`, bytes, may be sent now.
    [[nodiscard]] std::uint64_t credit(std::uint64_t room) const { return body_->credit(room); }
    /// `bytes` are on their way.
    void take(std::uint64_t bytes) { body_->take(bytes); }
    /// The contact's rate; 0: as fast as it goes.
    void set_contact_rate(BitRate rate) { body_->set_contact_rate(rate); }

private:
    class Body : public LinkBody {
    public:
        Body(boost::asio::io_context &io, BitRate configured, std::function<void()> on_available)
            : timer_(io),
              configured_(configured),
              bucket_(configured),
              on_available_(std::move(on_available)) {}

        [[nodiscard]] std::uint64_t credit(std::uint64_t room) const;
        void take(std::uint64_t bytes);
        void set_contact_rate(BitRate rate);
        void abandon();

    private:
        void wake_at(TimePoint when);
        void handle_timer();

        MonotonicTimer timer_;
        BitRate configured_;
        TokenBucket bucket_;
        std::function<void()> on_available_;
        bool armed_ = false;
    };

    Owned<Body> body_;
};

}  // namespace farlink::cla
