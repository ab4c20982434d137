// SPDX-License-Identifier: Apache-2.0
// Sends the bundles of one source whose payloads are in memory, many under way at a time.
// Owned by the gateway; the server's thread only.
// After a lost connection it sends what has no answer again, with the ids that it had.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <farlink/client/session.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/base/time.hpp"
#include "module/telemetry/gateway/app_channel.hpp"

namespace farlink::telemetry {

class SourceSender final : public std::enable_shared_from_this<SourceSender> {
public:
    using Done = std::function<void(const client::Sent &)>;

    SourceSender(boost::asio::io_context &io, std::string socket,
                 client::Registration registration);
    ~SourceSender() { close(); }

    /// `done` is called once, unless the sender is closed first.
    void send(client::Message message, std::string payload, Done done);
    void close();
    [[nodiscard]] bool idle() const { return waiting_.empty(); }
    [[nodiscard]] TimePoint used() const { return used_; }

private:
    struct Waiting {
        client::Message message;
        std::string payload;
        Done done;
    };
    void connect();
    void handle_ready();
    void handle_ended(const client::Error &error);
    void finish(const client::Sent &sent);
    void give_up(const client::Error &error);

    boost::asio::io_context &io_;
    boost::asio::steady_timer pause_;
    std::string socket_;
    client::Registration registration_;
    client::Sender sender_;
    std::shared_ptr<AppChannel> channel_;  ///< null: none is wanted now
    std::deque<Waiting> waiting_;          ///< in the order in which they are answered
    TimePoint used_{};
    TimePoint lost_ = kNever;  ///< since when there is no connection
    bool pausing_ = false;
};

}  // namespace farlink::telemetry
