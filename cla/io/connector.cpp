// SPDX-License-Identifier: Apache-2.0
#include "cla/io/connector.hpp"

#include <algorithm>
#include <string>

#include "cla/io/tcp_address.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// An attempt to connect that takes longer is begun anew: the kernel itself repeats its question
/// ever more seldom, and the neighbour may have come up meanwhile.
constexpr seconds kConnectLimit{5};

// Where nobody listens on a port that the system also gives to connections, TCP's simultaneous open
// can join a socket to itself, which would take every bundle for nothing.
bool connected_to_itself(const tcp::socket &socket) {
    boost::system::error_code ignored;
    return socket.local_endpoint(ignored) == socket.remote_endpoint(ignored);
}

}  // namespace

Connector::Connector(asio::io_context &io, const config::OutductConfig &config, std::uint64_t seed,
                     Connected on_connected, Failed on_failed)
    : io_(io),
      config_(config),
      reconnection_(config.reconnect_min, config.reconnect_max, seed),
      on_connected_(std::move(on_connected)),
      on_failed_(std::move(on_failed)),
      resolver_(io),
      socket_(io),
      timer_(io) {}

void Connector::start() {
    connect_at(reconnection_.handle_opened(monotonic_now()));
}

void Connector::start_again(const SessionOutcome &outcome) {
    connect_at(reconnection_.handle_session(outcome, monotonic_now()));
}

void Connector::note(const SessionOutcome &outcome) {
    (void)reconnection_.handle_session(outcome, monotonic_now());
}

void Connector::stop() {
    ++attempt_;
    resolver_.cancel();
    timer_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Connector::connect_at(TimePoint due) {
    stop();
    const TimePoint now = monotonic_now();
    if (due <= now) return connect();
    timer_.expires_after(due - now);
    timer_.async_wait([self = shared_from_this(), attempt = attempt_](const auto &error) {
        if (!error && attempt == self->attempt_) self->connect();
    });
}

void Connector::connect() {
    timer_.expires_after(kConnectLimit);
    timer_.async_wait([self = shared_from_this(), attempt = attempt_](const auto &error) {
        if (!error && attempt == self->attempt_)
            self->fail("no answer within " + std::to_string(kConnectLimit.count()) + " s");
    });
    look_up();
}

void Connector::look_up() {
    boost::system::error_code not_numeric;
    const auto address = asio::ip::make_address(config_.url.host, not_numeric);
    if (!not_numeric) {
        endpoints_.assign(1, Endpoint(address, config_.url.port));
        return try_next();
    }
    resolver_.async_resolve(
        config_.url.host, std::to_string(config_.url.port), tcp::resolver::numeric_service,
        [self = shared_from_this(), attempt = attempt_](const boost::system::error_code &error,
                                                        const tcp::resolver::results_type &found) {
            if (attempt != self->attempt_) return;
            if (error)
                return self->fail("cannot look up " + self->config_.url.host + ": " +
                                  error.message());
            self->endpoints_.clear();
            for (const auto &entry : found) self->endpoints_.push_back(entry.endpoint());
            std::ranges::reverse(self->endpoints_);
            self->try_next();
        });
}

void Connector::try_next() {
    while (!endpoints_.empty()) {
        const Endpoint endpoint = endpoints_.back();
        endpoints_.pop_back();
        error_ = prepare_socket(endpoint);
        if (error_) continue;
        return socket_.async_connect(
            endpoint, [self = shared_from_this(), attempt = attempt_](const auto &error) {
                if (attempt != self->attempt_) return;
                self->error_ = error;
                if (error) return self->try_next();
                self->handle_connected();
            });
    }
    fail(error_.message());
}

boost::system::error_code Connector::prepare_socket(const Endpoint &endpoint) {
    boost::system::error_code error;
    socket_.close(error);
    socket_.open(endpoint.protocol(), error);
    if (error) return error;
    set_socket_buffers(socket_, config_.socket_buffer_bytes);
    if (!config_.bind_address.empty()) {
        const auto local = asio::ip::make_address(config_.bind_address, error);
        if (!error) socket_.bind(Endpoint(local, 0), error);
    }
    return error;
}

void Connector::handle_connected() {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return fail(error.message());
    if (connected_to_itself(socket_)) return fail("nobody listens there");
    ++attempt_;
    timer_.cancel();
    on_connected_(std::exchange(socket_, tcp::socket(io_)));
}

// At last, since the owner may stop or start again when it hears of it.
void Connector::fail(const std::string &why) {
    const auto self = shared_from_this();
    connect_at(reconnection_.handle_failed(monotonic_now()));
    on_failed_(why);
}

}  // namespace farlink::cla
