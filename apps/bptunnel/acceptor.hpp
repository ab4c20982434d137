// SPDX-License-Identifier: Apache-2.0
// Accepts connections of applications while there is a place for them; others wait in the kernel.
// Owned by a Tunnel.
// On its loop, one thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::bptunnel {

class Acceptor : public std::enable_shared_from_this<Acceptor> {
public:
    using tcp = boost::asio::ip::tcp;
    struct Hooks {
        std::function<bool()> has_place;
        std::function<void(tcp::socket)> on_accepted;
    };

    explicit Acceptor(tcp::acceptor acceptor)
        : acceptor_(std::move(acceptor)), timer_(acceptor_.get_executor()) {}
    /// The error is a text for people.
    [[nodiscard]] static Result<std::shared_ptr<Acceptor>, std::string> listening(
        const boost::asio::any_io_executor &executor, const tcp::endpoint &address);

    void start(Hooks hooks);
    /// There may be a place again.
    void handle_place() {
        if (hooks_.has_place) accept();
    }
    void close();
    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    void accept();
    void handle_failure();

    tcp::acceptor acceptor_;
    MonotonicTimer timer_;
    Hooks hooks_;
    bool accepting_ = false;
};

}  // namespace farlink::bptunnel
