// SPDX-License-Identifier: Apache-2.0
// The Unix socket at which farlink-cfdp connects: lines of JSON, a reply to each.
// Owned by main(); the loop's thread.
// Only the user of the daemon, and root, may connect.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <memory>
#include <string>

#include "apps/cfdp/daemon/daemon.hpp"

namespace farlink::cfdpd {

class ControlServer : public std::enable_shared_from_this<ControlServer> {
public:
    ControlServer(boost::asio::io_context &io, std::shared_ptr<Daemon> daemon)
        : io_(io), acceptor_(io), daemon_(std::move(daemon)) {}

    /// Empty: it listens.
    [[nodiscard]] std::string listen(const std::string &path);
    void close();

private:
    void accept();

    boost::asio::io_context &io_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    std::shared_ptr<Daemon> daemon_;
    std::string path_;
    std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
};

}  // namespace farlink::cfdpd
