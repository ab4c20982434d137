// SPDX-License-Identifier: Apache-2.0
// Where applications connect: a Unix socket, and TCP on the loopback interface.
// Owned by the applications agent.
// Its thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/applications/app_connection.hpp"
#include "module/applications/app_listener.hpp"

namespace farlink::applications {

class AppServer {
public:
    /// `drain` is called when the core may have messages, and serve_touched() something to do.
    AppServer(const config::ApplicationsConfig &config, boost::asio::io_context &io,
              ReadBuffer &buffer, ApplicationsCore &core, std::function<void()> drain);
    ~AppServer();

    /// Listens; returns the error, or an empty text.
    [[nodiscard]] std::string open();
    /// No more connections; those that there are go on.
    void close();
    /// Ends all connections.
    void close_all();
    /// Writes and reads of sessions to which something has happened.
    void serve_touched();
    [[nodiscard]] bool idle() const { return connections_.empty(); }

private:
    using Local = boost::asio::local::stream_protocol;
    using Tcp = boost::asio::ip::tcp;

    [[nodiscard]] std::string open_local();
    [[nodiscard]] std::string open_tcp();
    [[nodiscard]] std::string give_to_group() const;
    void admit(FileDescriptor socket, std::optional<Identity> identity);
    void remove(UpstreamId session);
    void note_end(const AppSession &session);

    const config::ApplicationsConfig &config_;
    std::optional<std::uint32_t> group_;  ///< `socketGroup`; none: that of the node
    Logger log_{"applications"};
    LogLimiter refusals_{seconds(1)};
    LogLimiter ends_{seconds(1)};
    AppConnection::Host host_;
    std::unordered_map<UpstreamId, cla::Owned<AppConnection>> connections_;
    cla::Owned<AppListener<Local>> local_;
    cla::Owned<AppListener<Tcp>> tcp_;
    bool bound_ = false;
    bool serving_ = false;
};

}  // namespace farlink::applications
