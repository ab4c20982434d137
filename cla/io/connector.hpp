// SPDX-License-Identifier: Apache-2.0
// Finds a neighbour: looks its name up anew at each attempt, connects, and tries again later.
// Owned by a link; the loop's thread only.
// Nothing is reported after stop(), until the next start().
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cla/io/link_body.hpp"
#include "cla/io/reconnection.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class Connector {
public:
    /// The socket is non-blocking, without Nagle's delay.
    using Connected = std::function<void(boost::asio::ip::tcp::socket)>;
    /// An attempt has failed, for this reason; the next one follows by itself.
    using Failed = std::function<void(const std::string &why)>;

    Connector(boost::asio::io_context &io, const config::OutductConfig &config, std::uint64_t seed,
              Connected on_connected, Failed on_failed);
    Connector(const Connector &) = delete;
    Connector &operator=(const Connector &) = delete;

    /// Connects as soon as the rules of Reconnection allow, again and again until it has worked.
    void start();
    /// The same, after the connection of the last start() has ended.
    void start_again(const SessionOutcome &outcome);
    /// The connection has ended, and no other begins now; `outcome` counts at the next start().
    void note(const SessionOutcome &outcome);
    void stop() { attempt_.reset(); }

private:
    /// One attempt: waits until it is due, looks the name up, tries each address. Ends with one
    /// call of its Connector.
    class Attempt : public LinkBody {
    public:
        explicit Attempt(Connector &connector);
        void start(TimePoint due);
        void abandon();

    private:
        using Endpoint = boost::asio::ip::tcp::endpoint;

        void connect();
        void look_up();
        void try_next();
        [[nodiscard]] boost::system::error_code prepare_socket(const Endpoint &endpoint);
        void handle_connected();
        void fail(const std::string &why);

        Connector &connector_;
        boost::asio::ip::tcp::resolver resolver_;
        boost::asio::ip::tcp::socket socket_;
        MonotonicTimer timer_;
        std::vector<Endpoint> endpoints_;  ///< still to be tried, the last one first
        boost::system::error_code error_;  ///< of the endpoint that was tried last
    };

    void connect_at(TimePoint due);
    void handle_failed(const std::string &why);

    boost::asio::io_context &io_;
    config::OutductConfig config_;
    Reconnection reconnection_;
    Connected on_connected_;
    Failed on_failed_;
    Owned<Attempt> attempt_;
};

}  // namespace farlink::cla
