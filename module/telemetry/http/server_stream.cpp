// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/server_stream.hpp"

#include <boost/beast/websocket.hpp>
#include <variant>

#if FARLINK_TLS
#include <boost/beast/ssl.hpp>
#endif

namespace farlink::telemetry {
namespace {

namespace beast = boost::beast;

using Clear = beast::tcp_stream;
#if FARLINK_TLS
using Encrypted = beast::ssl_stream<Clear>;
using AnyLayer = std::variant<Clear, Encrypted>;
#else
using AnyLayer = std::variant<Clear>;
#endif

AnyLayer layer_of(boost::asio::ip::tcp::socket socket, [[maybe_unused]] const ServerTls *tls) {
    Clear clear(std::move(socket));
#if FARLINK_TLS
    if (tls != nullptr)
        return AnyLayer(std::in_place_type<Encrypted>, std::move(clear), tls->context());
#endif
    return AnyLayer(std::in_place_type<Clear>, std::move(clear));
}

}  // namespace

struct ServerStream::Layers {
    AnyLayer layer;
};

ServerStream::ServerStream(boost::asio::ip::tcp::socket socket, const ServerTls *tls)
    : layers_(std::make_unique<Layers>(Layers{layer_of(std::move(socket), tls)})) {}
ServerStream::ServerStream(ServerStream &&) noexcept = default;
ServerStream &ServerStream::operator=(ServerStream &&) noexcept = default;
ServerStream::~ServerStream() = default;

Clear &ServerStream::next_layer() {
    return std::visit([](auto &layer) -> Clear & { return beast::get_lowest_layer(layer); },
                      layers_->layer);
}

std::size_t ServerStream::write_now(const std::vector<boost::asio::const_buffer> &octets) {
    auto *const clear = std::get_if<Clear>(&layers_->layer);
    if (clear == nullptr) return 0;
    ErrorCode error;
    if (!clear->socket().non_blocking()) clear->socket().non_blocking(true, error);
    const std::size_t size = error ? 0 : clear->socket().write_some(octets, error);
    return error ? 0 : size;
}

void ServerStream::handshake(Ended done) {
#if FARLINK_TLS
    if (auto *const encrypted = std::get_if<Encrypted>(&layers_->layer))
        return encrypted->async_handshake(Encrypted::server, std::move(done));
#endif
    done({});
}

void ServerStream::read_some(const std::vector<boost::asio::mutable_buffer> &room, Done done) {
    std::visit([&](auto &layer) { layer.async_read_some(room, std::move(done)); }, layers_->layer);
}

void ServerStream::write_some(const std::vector<boost::asio::const_buffer> &octets, Done done) {
    std::visit([&](auto &layer) { layer.async_write_some(octets, std::move(done)); },
               layers_->layer);
}

void ServerStream::tear_down(beast::role_type role, Ended ended) {
    using beast::websocket::async_teardown;
    std::visit([&](auto &layer) { async_teardown(role, layer, std::move(ended)); }, layers_->layer);
}

void teardown(beast::role_type role, ServerStream &stream, ServerStream::ErrorCode &error) {
    using beast::websocket::teardown;
    std::visit([&](auto &layer) { teardown(role, layer, error); }, stream.layers_->layer);
}

}  // namespace farlink::telemetry
