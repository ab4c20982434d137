// SPDX-License-Identifier: Apache-2.0
// The UDP socket of an LTP port and its waits: a shared body, which waiting handlers hold.
// Owned by the port, which calls close() before it ends.
// The loop's thread. After close() the user is never called again.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <memory>

namespace farlink::cla::ltp {

class SegmentSocket : public std::enable_shared_from_this<SegmentSocket> {
public:
    class User {
    public:
        virtual ~User() = default;
        virtual void on_readable() = 0;
        virtual void on_writable() = 0;
        /// Follows post_turn().
        virtual void on_turn() = 0;
    };

    SegmentSocket(boost::asio::io_context &io, User &user) : socket_(io), user_(user) {}

    /// Why the address cannot be bound, or no error.
    [[nodiscard]] boost::system::error_code open(const boost::asio::ip::udp::endpoint &local);
    void close();
    [[nodiscard]] bool closed() const { return closed_; }
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] int handle() { return socket_.native_handle(); }

    /// Calls on_readable() once.
    void wait_readable();
    /// Calls on_writable() once; blocked() until then.
    void wait_writable();
    /// The kernel has no room for datagrams.
    [[nodiscard]] bool blocked() const { return blocked_; }
    /// Calls on_turn() once, after the handlers that are ready now.
    void post_turn();

private:
    boost::asio::ip::udp::socket socket_;
    User &user_;
    bool closed_ = false;
    bool waiting_readable_ = false;
    bool blocked_ = false;
    bool turn_posted_ = false;
};

}  // namespace farlink::cla::ltp
