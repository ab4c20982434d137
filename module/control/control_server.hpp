// SPDX-License-Identifier: Apache-2.0
// The control socket: a Unix-domain socket that takes one JSON request a line and answers each with
// one line. docs/formats/control.md describes it.
// Owned by the control agent; its loop and thread.
// Accepts the node's own user and root only; clients are bounded in number, octets and time.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "common/runtime/log/counted_events.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/core/caller.hpp"

namespace farlink::control {

class ControlServer {
public:
    using Reply = std::function<void(std::string)>;
    /// One request, without its line end; `reply` is called once, now or later, on the same thread.
    using Handler = std::function<void(const Caller &, std::string request, Reply reply)>;

    /// Whether that user may give commands.
    using Admits = std::function<bool(uid_t)>;

    /// By default it admits the node's own user and root.
    ControlServer(boost::asio::io_context &io, std::string path, Handler handler,
                  Admits admits = is_own_or_root);
    ~ControlServer();
    ControlServer(const ControlServer &) = delete;
    ControlServer &operator=(const ControlServer &) = delete;

    /// The error of a path at which no socket can be made, or nothing.
    /// Listens; the error, or nothing. Before other threads are started: it sets the umask.
    [[nodiscard]] std::string open();
    /// Logs what was counted since the last line.
    void handle_second() { log_refused(); }

private:
    [[nodiscard]] static bool is_own_or_root(uid_t user);
    void log_refused();
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
    Admits admits_;
    Logger log_{"control"};
    CountedEvents refused_{seconds(10)};
    std::string refused_user_;  ///< the last one
};

}  // namespace farlink::control
