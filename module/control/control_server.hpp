// SPDX-License-Identifier: Apache-2.0
// The control socket: a Unix-domain socket that takes one JSON request a line and answers each with
// one line. docs/formats/control.md describes it.
// Owned by the control agent; its loop and thread.
// Accepts the node's own user and root only; clients are bounded in number, octets and time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "module/control/core/caller.hpp"

namespace farlink::control {

class ControlServer {
public:
    using Reply = std::function<void(std::string)>;
    /// One request, without its line end; `reply` is called once, now or later, on the same thread.
    using Handler = std::function<void(const Caller &, std::string request, Reply reply)>;

    ControlServer(boost::asio::io_context &io, std::string path, Handler handler);
    ~ControlServer();
    ControlServer(const ControlServer &) = delete;
    ControlServer &operator=(const ControlServer &) = delete;

    /// The error of a path at which no socket can be made, or nothing.
    /// Listens; the error, or nothing. Before other threads are started: it sets the umask.
    [[nodiscard]] std::string open();

private:
    class Session;
    using Socket = boost::asio::local::stream_protocol::socket;

    void accept();
    void admit(Socket socket);

    boost::asio::io_context &io_;
    std::string path_;
    Handler handler_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    std::set<std::shared_ptr<Session>> sessions_;
    std::size_t buffered_bytes_ = 0;  ///< of requests, all clients together
    bool bound_ = false;
};

}  // namespace farlink::control
