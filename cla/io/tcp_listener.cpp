// SPDX-License-Identifier: Apache-2.0
#include "cla/io/tcp_listener.hpp"

#include "cla/io/listen_failure.hpp"
#include "cla/io/tcp_address.hpp"
#include "common/base/time.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::cla {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
/// After a failed accept (for lack of file descriptors) it waits before it tries again.
constexpr milliseconds kAcceptRetry{100};
}  // namespace

TcpListener::TcpListener(asio::io_context &io, Accepted on_accepted)
    : on_accepted_(std::move(on_accepted)), acceptor_(io), retry_(io) {}

bool TcpListener::open(const config::LinkUrl &url, std::uint64_t socket_buffer_bytes) {
    return bind(url, socket_buffer_bytes) && listen();
}

bool TcpListener::bind(const config::LinkUrl &url, std::uint64_t socket_buffer_bytes) {
    url_ = url;
    boost::system::error_code error;
    // resolve_now() needs the io_context for a resolver of its own.
    auto &io = static_cast<asio::io_context &>(retry_.get_executor().context());
    const auto endpoint = resolve_now(io, url, error);
    if (endpoint) acceptor_.open(endpoint->protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) set_socket_buffers(acceptor_, socket_buffer_bytes);
    if (!error) acceptor_.bind(*endpoint, error);
    if (!endpoint || error) return fail(error);
    port_ = acceptor_.local_endpoint(error).port();
    return true;
}

// Another program may listen there by now.
bool TcpListener::listen() {
    boost::system::error_code error;
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return fail(error);
    accept_next();
    return true;
}

bool TcpListener::fail(const boost::system::error_code &why) {
    failure_ = log_listen_failure(url_, why);
    port_ = 0;
    close();
    return false;
}

void TcpListener::close() {
    boost::system::error_code ignored;
    retry_.cancel();
    acceptor_.close(ignored);
}

void TcpListener::abandon() {
    mark_closed();
    close();
}

void TcpListener::accept_next() {
    acceptor_.async_accept(while_open(
        *this, [](TcpListener &self, const boost::system::error_code &error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !self.acceptor_.is_open()) return;
            if (error) return self.accept_later(error);
            boost::system::error_code unusable;
            socket.non_blocking(true, unusable);
            if (!unusable) socket.set_option(tcp::no_delay(true), unusable);
            if (!unusable) self.on_accepted_(std::move(socket));
            if (self.acceptor_.is_open()) self.accept_next();
        }));
}

void TcpListener::accept_later(const boost::system::error_code &why) {
    if (const auto suppressed = failures_.admit(monotonic_now()))
        Logger("link").warn("TCP port {}: cannot accept a connection: {}{}", port_, why.message(),
                            suppressed_lines_text(*suppressed));
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait(while_open(*this, [](TcpListener &self, const auto &error) {
        if (!error && self.acceptor_.is_open()) self.accept_next();
    }));
}

}  // namespace farlink::cla
