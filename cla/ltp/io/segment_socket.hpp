// SPDX-License-Identifier: Apache-2.0
// The UDP socket of an LTP port and its waits.
// Owned by the port, which is its user.
// The loop's thread.
#pragma once

#include <boost/asio/ip/udp.hpp>

#include "cla/io/link_body.hpp"

namespace farlink::cla::ltp {

class SegmentSocket : public LinkBody {
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

    /// Why the address cannot be bound, or no error; the socket is closed then.
    [[nodiscard]] boost::system::error_code open(const boost::asio::ip::udp::endpoint &local);
    void abandon();
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
    bool waiting_readable_ = false;
    bool blocked_ = false;
    bool turn_posted_ = false;
};

}  // namespace farlink::cla::ltp
