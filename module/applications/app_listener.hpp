// SPDX-License-Identifier: Apache-2.0
// Accepts the connections of a listening socket, Unix or TCP.
// Owned by AppServer through Owned<>.
// The loop's thread.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <type_traits>
#include <utility>

#include "cla/io/link_body.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::applications {

template <class Protocol>
class AppListener : public cla::LinkBody {
public:
    using Accepted = std::function<void(FileDescriptor)>;

    AppListener(boost::asio::io_context &io, Accepted accepted)
        : acceptor_(io), again_(io), accepted_(std::move(accepted)) {}

    /// Binds; listen() follows.
    [[nodiscard]] boost::system::error_code bind(const typename Protocol::endpoint &endpoint) {
        boost::system::error_code error;
        acceptor_.open(endpoint.protocol(), error);
        if (error) return error;
        // The file gets the mode of the socket. A mask would hold for other threads as well.
        if (endpoint.protocol().family() == AF_UNIX)
            (void)::fchmod(acceptor_.native_handle(), S_IRUSR | S_IWUSR);
        else
            acceptor_.set_option(boost::asio::socket_base::reuse_address(true), error);
        acceptor_.bind(endpoint, error);
        return error;
    }
    [[nodiscard]] boost::system::error_code listen() {
        boost::system::error_code error;
        acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
        if (!error) accept();
        return error;
    }
    [[nodiscard]] typename Protocol::endpoint endpoint() const {
        boost::system::error_code ignored;
        return acceptor_.local_endpoint(ignored);
    }
    void abandon() {
        mark_closed();
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        again_.cancel();
    }

private:
    static constexpr bool kIsUnix = std::is_same_v<Protocol, boost::asio::local::stream_protocol>;
    static constexpr int kSocketBytes = 1024 * 1024;

    void accept() {
        acceptor_.async_accept(cla::while_open(
            *this, [](AppListener &self, const auto &error, typename Protocol::socket socket) {
                if (error) return self.accept_later();
                boost::system::error_code ignored;
                socket.non_blocking(true, ignored);
                // The kernel may give less.
                if constexpr (kIsUnix)
                    socket.set_option(boost::asio::socket_base::send_buffer_size(kSocketBytes),
                                      ignored);
                self.accepted_(FileDescriptor(socket.release(ignored)));
                if (!self.closed()) self.accept();
            }));
    }
    /// Such as: no descriptor is free.
    void accept_later() {
        again_.expires_after(seconds(1));
        again_.async_wait(cla::while_open(*this, [](AppListener &self, const auto &error) {
            if (!error) self.accept();
        }));
    }

    typename Protocol::acceptor acceptor_;
    MonotonicTimer again_;
    Accepted accepted_;
};

}  // namespace farlink::applications
