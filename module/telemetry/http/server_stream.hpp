// SPDX-License-Identifier: Apache-2.0
// A connection with or without TLS as one stream type, so that Beast is compiled once.
// Owned by the connection that reads and writes it; the server's thread only.
// Handlers are wrapped, which costs an allocation for each operation.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "module/telemetry/http/server_tls.hpp"

namespace farlink::telemetry {

/// An AsyncStream of Asio, with a lower layer in Beast's sense.
class ServerStream {
public:
    using next_layer_type = boost::beast::tcp_stream;
    using executor_type = next_layer_type::executor_type;
    using ErrorCode = boost::system::error_code;
    using Done = std::function<void(ErrorCode, std::size_t)>;
    using Ended = std::function<void(ErrorCode)>;

    /// `tls`: null without TLS; borrowed.
    ServerStream(boost::asio::ip::tcp::socket socket, const ServerTls *tls);
    ServerStream(ServerStream &&) noexcept;
    ServerStream &operator=(ServerStream &&) noexcept;
    ~ServerStream();

    [[nodiscard]] next_layer_type &next_layer();
    [[nodiscard]] executor_type get_executor() { return next_layer().get_executor(); }
    /// Octets that left at once, without waiting; 0: none, and async_write_some() is to be called.
    [[nodiscard]] std::size_t write_now(const std::vector<boost::asio::const_buffer> &octets);
    /// Must be called first with TLS; completes at once without.
    void handshake(Ended done);

    template <class Buffers, class Token>
    typename boost::asio::async_result<std::decay_t<Token>,
                                       void(ErrorCode, std::size_t)>::return_type
    async_read_some(const Buffers &buffers, Token &&token) {
        return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
            [this](auto &&handler, const Buffers &room) {
                read_some(gathered<boost::asio::mutable_buffer>(room),
                          wrapped<Done>(std::move(handler)));
            },
            token, buffers);
    }
    template <class Buffers, class Token>
    typename boost::asio::async_result<std::decay_t<Token>,
                                       void(ErrorCode, std::size_t)>::return_type
    async_write_some(const Buffers &buffers, Token &&token) {
        return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
            [this](auto &&handler, const Buffers &octets) {
                write_some(gathered<boost::asio::const_buffer>(octets),
                           wrapped<Done>(std::move(handler)));
            },
            token, buffers);
    }

    /// The end of a WebSocket connection (RFC 6455 section 7.1.1); Beast requires these names.
    friend void teardown(boost::beast::role_type role, ServerStream &stream, ErrorCode &error);
    template <class Handler>
    friend void async_teardown(boost::beast::role_type role, ServerStream &stream,
                               Handler &&handler) {
        stream.tear_down(role, wrapped<Ended>(std::forward<Handler>(handler)));
    }

private:
    struct Layers;

    /// Handlers are moved, functions are copied.
    template <class Function, class Handler>
    static Function wrapped(Handler &&handler) {
        auto held = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
        return [held](auto... results) { std::move (*held)(results...); };
    }
    template <class Buffer, class Buffers>
    static std::vector<Buffer> gathered(const Buffers &buffers) {
        return {boost::asio::buffer_sequence_begin(buffers),
                boost::asio::buffer_sequence_end(buffers)};
    }
    void read_some(const std::vector<boost::asio::mutable_buffer> &room, Done done);
    void write_some(const std::vector<boost::asio::const_buffer> &octets, Done done);
    void tear_down(boost::beast::role_type role, Ended ended);

    std::unique_ptr<Layers> layers_;
};

}  // namespace farlink::telemetry
