// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/acceptor.hpp"

#include <sstream>
#include <utility>

namespace farlink::bptunnel {
namespace {

/// Until a descriptor may be free again.
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Result<std::shared_ptr<Acceptor>, std::string> Acceptor::listening(
    const boost::asio::any_io_executor &executor, const tcp::endpoint &address) {
    tcp::acceptor acceptor(executor);
    boost::system::error_code error;
    acceptor.open(address.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(address, error);
    if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) {
        std::ostringstream text;
        text << "tcp://" << address << ": " << error.message();
        return fail(text.str());
    }
    return std::make_shared<Acceptor>(std::move(acceptor));
}

void Acceptor::start(Hooks hooks) {
    hooks_ = std::move(hooks);
    accept();
}

void Acceptor::close() {
    hooks_ = {};
    timer_.cancel();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
}

void Acceptor::accept() {
    if (accepting_ || !hooks_.has_place()) return;
    accepting_ = true;
    acceptor_.async_accept(
        [self = shared_from_this()](const boost::system::error_code &error, tcp::socket socket) {
            self->accepting_ = false;
            if (!self->hooks_.on_accepted) return;
            if (error) return self->handle_failure();
            self->hooks_.on_accepted(std::move(socket));
            if (self->hooks_.has_place) self->accept();
        });
}

// No descriptor is free, or the connection was closed before it was accepted.
void Acceptor::handle_failure() {
    timer_.expires_after(kPause);
    timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (self && !error) self->handle_place();
    });
}

}  // namespace farlink::bptunnel
