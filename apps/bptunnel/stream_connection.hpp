// SPDX-License-Identifier: Apache-2.0
// The TCP connection of an application, as an end of one stream.
// Owned by a TcpEnd; on its loop.
// It reads while the peer has given credit and the node has room, so that a slow end slows the
// other one down.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "common/base/bytes.hpp"

namespace farlink::bptunnel {

/// What a connection needs of its stream, by the stream's number.
class StreamOwner {
public:
    virtual ~StreamOwner() = default;
    [[nodiscard]] virtual std::uint64_t may_send(std::uint32_t stream) const = 0;
    virtual void send(std::uint32_t stream, ByteView octets) = 0;
    virtual void send_end(std::uint32_t stream) = 0;
    [[nodiscard]] virtual Bytes take_ready(std::uint32_t stream) = 0;
    virtual void used(std::uint32_t stream, std::size_t bytes) = 0;
    [[nodiscard]] virtual bool ended(std::uint32_t stream) const = 0;
    /// Both directions have ended.
    virtual void finished(std::uint32_t stream) = 0;
    virtual void broken(std::uint32_t stream) = 0;
};

class StreamConnection : public std::enable_shared_from_this<StreamConnection> {
public:
    using tcp = boost::asio::ip::tcp;

    StreamConnection(tcp::socket socket, std::weak_ptr<StreamOwner> owner, std::uint32_t stream)
        : socket_(std::move(socket)), owner_(std::move(owner)), stream_(stream) {}

    /// The socket is connected.
    void start();
    /// There may be octets, credit, room or an end.
    void move();
    /// Ends it at once, which the application sees as a reset.
    void abort();
    /// Ends it in order.
    void close();
    [[nodiscard]] tcp::socket &socket() { return socket_; }

private:
    void read();
    void handle_readable();
    void write();
    void end_writing();
    void finish_if_ended();
    void fail();

    tcp::socket socket_;
    std::weak_ptr<StreamOwner> owner_;
    std::uint32_t stream_;
    Bytes chunk_;
    bool started_ = false;
    bool reading_ = false;
    bool writing_ = false;
    bool read_ended_ = false;
    bool write_ended_ = false;
    bool closed_ = false;
};

}  // namespace farlink::bptunnel
