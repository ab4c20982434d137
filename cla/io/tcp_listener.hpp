// SPDX-License-Identifier: Apache-2.0
// A listening TCP socket: binds to what a URL names and hands out the connections it accepts.
// Owned by an induct through Owned<>; the loop's thread only.
// close() stops listening; open() or bind() may follow.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>

#include "cla/io/link_body.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class TcpListener : public LinkBody {
public:
    /// The socket is non-blocking, without Nagle's delay.
    using Accepted = std::function<void(boost::asio::ip::tcp::socket)>;

    TcpListener(boost::asio::io_context &io, Accepted on_accepted);

    /// Binds and listens, and accepts from now on; false when the address cannot be bound.
    /// The kernel is asked for `socket_buffer_bytes` for each connection; 0: its own choice.
    [[nodiscard]] bool open(const config::LinkUrl &url, std::uint64_t socket_buffer_bytes = 0);
    /// The same in two steps: the port is known after bind(). Between them, connections are
    /// refused.
    [[nodiscard]] bool bind(const config::LinkUrl &url, std::uint64_t socket_buffer_bytes = 0);
    [[nodiscard]] bool listen();
    [[nodiscard]] bool is_bound() const { return acceptor_.is_open(); }
    void close();
    void abandon();
    /// The port in use; 0 before open() or bind().
    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// Why the last open(), bind() or listen() returned false.
    [[nodiscard]] const std::string &failure() const { return failure_; }

private:
    [[nodiscard]] bool fail(const boost::system::error_code &why);
    void accept_next();
    void accept_later(const boost::system::error_code &why);

    Accepted on_accepted_;
    boost::asio::ip::tcp::acceptor acceptor_;
    MonotonicTimer retry_;
    config::LinkUrl url_;
    std::uint16_t port_ = 0;
    std::string failure_;
    LogLimiter failures_{seconds(10)};
};

}  // namespace farlink::cla
