// SPDX-License-Identifier: Apache-2.0
// From a link's URL to a TCP endpoint to bind, and the options of a link's sockets.
// Plain functions; resolve_now() waits for the name service.
// Called on the loop's thread, resolve_now() at start-up only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>

#include "common/config/node/node_config.hpp"

namespace farlink::cla {

/// The first address that the host name stands for, looked up while the caller waits; empty when
/// there is none, and `error` has the reason.
[[nodiscard]] std::optional<boost::asio::ip::tcp::endpoint> resolve_now(
    boost::asio::io_context &io, const config::LinkUrl &url, boost::system::error_code &error);

/// Asks the kernel for buffers of `bytes` in both directions; it may give less. 0: its own choice,
/// which follows the connection.
template <class Socket>
void set_socket_buffers(Socket &socket, std::uint64_t bytes) {
    if (bytes == 0) return;
    boost::system::error_code ignored;
    const int size = static_cast<int>(std::min<std::uint64_t>(bytes, 1U << 30));
    socket.set_option(boost::asio::socket_base::receive_buffer_size(size), ignored);
    socket.set_option(boost::asio::socket_base::send_buffer_size(size), ignored);
}

/// The peer's IP address as text; empty when the connection is gone.
[[nodiscard]] std::string address_of_peer(const boost::asio::ip::tcp::socket &socket);

}  // namespace farlink::cla
