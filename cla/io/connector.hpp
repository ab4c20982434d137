// SPDX-License-Identifier: Apache-2.0
// Finds a neighbour: looks its name up anew at each attempt, connects, and tries again later.
// Owned by a link through a shared pointer, as its handlers in the loop hold it too; the loop's
// thread only. stop() silences it for good or until the next start().
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cla/io/reconnection.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class Connector : public std::enable_shared_from_this<Connector> {
public:
    /// The socket is non-blocking, without Nagle's delay.
    using Connected = std::function<void(boost::asio::ip::tcp::socket)>;
    /// An attempt has failed, for this reason; the next one follows by itself.
    using Failed = std::function<void(const std::string &why)>;

    Connector(boost::asio::io_context &io, const config::OutductConfig &config, std::uint64_t seed,
              Connected on_connected, Failed on_failed);

    /// Connects as soon as the rules of Reconnection allow, again and again until it has worked.
    void start();
    /// The same, after the connection of the last start() has ended.
    void start_again(const SessionOutcome &outcome);
    /// The connection has ended and is not wanted again now; the next start() goes by how it was.
    void note(const SessionOutcome &outcome);
    void stop();

private:
    using Endpoint = boost::asio::ip::tcp::endpoint;

    void connect_at(TimePoint due);
    void connect();
    void look_up();
    void try_next();
    [[nodiscard]] boost::system::error_code prepare_socket(const Endpoint &endpoint);
    void handle_connected();
    void fail(const std::string &why);

    boost::asio::io_context &io_;
    config::OutductConfig config_;
    Reconnection reconnection_;
    Connected on_connected_;
    Failed on_failed_;
    boost::asio::ip::tcp::resolver resolver_;
    boost::asio::ip::tcp::socket socket_;
    MonotonicTimer timer_;
    std::vector<Endpoint> endpoints_;  ///< still to be tried in this attempt, the last one first
    boost::system::error_code error_;  ///< of the endpoint that was tried last
    std::uint64_t attempt_ = 0;        ///< what an earlier one still reports is void
};

}  // namespace farlink::cla
