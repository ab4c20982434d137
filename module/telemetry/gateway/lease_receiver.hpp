// SPDX-License-Identifier: Apache-2.0
// A receiver at an endpoint for one bundle at a time: it waits for one, and leases it.
// Owned by the pool; the server's thread only.
//
//   kIdle ──poll()──► kPolled ──a bundle──► kLeased ──accept()──► kIdle
//     │                  └── time is up, or the client is gone ──► kIdle
//     └── no poll soon, the lease ends, or the connection ──► kEnded: the node has the bundle again
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <farlink/client/session.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "module/telemetry/gateway/app_channel.hpp"
#include "module/telemetry/gateway/held_octets.hpp"

namespace farlink::telemetry {

class LeaseReceiver final : public std::enable_shared_from_this<LeaseReceiver> {
public:
    enum class State : std::uint8_t { kIdle, kPolled, kLeased, kEnded };
    /// A bundle; nothing: none came in time.
    using Outcome = client::Result<std::optional<client::Adu>>;
    using Reply = std::function<void(Outcome)>;

    /// `held` counts the payloads in memory; borrowed.
    LeaseReceiver(boost::asio::io_context &io, client::Registration registration, HeldOctets &held);
    ~LeaseReceiver() { end(); }

    void start(const std::string &socket);
    /// Only when idle. `reply` is called once, unless the result is let go before.
    [[nodiscard]] std::shared_ptr<void> poll(Duration wait, Duration lease, Reply reply);
    /// The bundle that is leased is accepted.
    void accept();
    void end();
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] const std::string &endpoint() const { return registration_.endpoint; }

private:
    void give();
    void cancel(std::uint64_t poll);
    void rest();
    void arm(Duration wait);
    void handle_time();
    void handle_ended(const client::Error &error);
    void reply(Outcome outcome);

    boost::asio::io_context &io_;
    boost::asio::steady_timer timer_;
    client::Registration registration_;
    client::Receiver receiver_;
    BoundedDirection direction_;
    std::shared_ptr<AppChannel> channel_;
    State state_ = State::kIdle;
    Reply reply_;
    Duration lease_{};
    std::uint64_t polls_ = 0;
    std::uint64_t armed_ = 0;
    client::Adu leased_;  ///< without its payload
};

}  // namespace farlink::telemetry
