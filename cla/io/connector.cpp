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

/// An attempt to connect that takes longer is begun anew: the kernel repeats its SYN ever more
/// seldom, and the neighbour may have come up meanwhile.
constexpr seconds kConnectLimit{5};

// Without a listener on a port that the system also gives to connections, TCP's simultaneous open
// can join a socket to itself: every bundle would come back.
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
      on_failed_(std::move(on_failed)) {}

void Connector::start() {
    connect_at(reconnection_.handle_opened(monotonic_now()));
}

void Connector::start_again(const SessionOutcome &outcome) {
    connect_at(reconnection_.handle_session(outcome, monotonic_now()));
}

void Connector::note(const SessionOutcome &outcome) {
    (void)reconnection_.handle_session(outcome, monotonic_now());
}

void Connector::connect_at(TimePoint due) {
    attempt_ = make_owned<Attempt>(*this);
    attempt_->start(due);
}

// The report comes last, since the owner may stop or start again inside of it.
void Connector::handle_failed(const std::string &why) {
    connect_at(reconnection_.handle_failed(monotonic_now()));
    on_failed_(why);
}

// ---- one attempt

Connector::Attempt::Attempt(Connector &connector)
    : connector_(connector),
      resolver_(connector.io_),
      socket_(connector.io_),
      timer_(connector.io_) {}

void Connector::Attempt::start(TimePoint due) {
    const TimePoint now = monotonic_now();
    if (due <= now) return connect();
    timer_.expires_after(due - now);
    timer_.async_wait(while_open(*this, [](Attempt &self, const auto &error) {
        if (!error) self.connect();
    }));
}

void Connector::Attempt::abandon() {
    mark_closed();
    resolver_.cancel();
    timer_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Connector::Attempt::connect() {
    timer_.expires_after(kConnectLimit);
    timer_.async_wait(while_open(*this, [](Attempt &self, const auto &error) {
        if (!error) self.fail("no response within " + std::to_string(kConnectLimit.count()) + " s");
    }));
    look_up();
}

void Connector::Attempt::look_up() {
    const config::LinkUrl &url = connector_.config_.url;
    boost::system::error_code not_numeric;
    const auto address = asio::ip::make_address(url.host, not_numeric);
    if (!not_numeric) {
        endpoints_.assign(1, Endpoint(address, url.port));
        return try_next();
    }
    resolver_.async_resolve(
        url.host, std::to_string(url.port), tcp::resolver::numeric_service,
        while_open(*this, [](Attempt &self, const boost::system::error_code &error,
                             const tcp::resolver::results_type &found) {
            if (error)
                return self.fail("cannot look up " + self.connector_.config_.url.host + ": " +
                                 error.message());
            for (const auto &entry : found) self.endpoints_.push_back(entry.endpoint());
            std::ranges::reverse(self.endpoints_);
            self.try_next();
        }));
}

void Connector::Attempt::try_next() {
    while (!endpoints_.empty()) {
        const Endpoint endpoint = endpoints_.back();
        endpoints_.pop_back();
        error_ = prepare_socket(endpoint);
        if (error_) continue;
        return socket_.async_connect(endpoint,
                                     while_open(*this, [](Attempt &self, const auto &error) {
                                         self.error_ = error;
                                         if (error) return self.try_next();
                                         self.handle_connected();
                                     }));
    }
    fail(error_.message());
}

boost::system::error_code Connector::Attempt::prepare_socket(const Endpoint &endpoint) {
    const config::OutductConfig &config = connector_.config_;
    boost::system::error_code error;
    socket_.close(error);
    socket_.open(endpoint.protocol(), error);
    if (error) return error;
    set_socket_buffers(socket_, config.socket_buffer_bytes);
    if (!config.bind_address.empty()) {
        const auto local = asio::ip::make_address(config.bind_address, error);
        if (!error) socket_.bind(Endpoint(local, 0), error);
    }
    return error;
}

void Connector::Attempt::handle_connected() {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return fail(error.message());
    if (connected_to_itself(socket_)) return fail("no peer listens at the address");
    tcp::socket connected = std::exchange(socket_, tcp::socket(connector_.io_));
    abandon();
    connector_.on_connected_(std::move(connected));
}

void Connector::Attempt::fail(const std::string &why) {
    abandon();
    connector_.handle_failed(why);
}

}  // namespace farlink::cla
