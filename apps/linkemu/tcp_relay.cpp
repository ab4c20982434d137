// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/tcp_relay.hpp"

#include <boost/asio/steady_timer.hpp>
#include <set>
#include <sstream>

#include "apps/linkemu/host_port.hpp"
#include "apps/linkemu/stream_half.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::linkemu {
namespace {

using boost::asio::ip::tcp;
using emulation::WireCounters;

void add(WireCounters &sum, const WireCounters &more) {
    sum.taken += more.taken;
    sum.taken_bytes += more.taken_bytes;
    sum.carried += more.carried;
    sum.carried_bytes += more.carried_bytes;
    sum.most_bytes = std::max(sum.most_bytes, more.most_bytes);
}

/// An accepted connection, and the one to the target.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket near, const Profiles &profiles, TimePoint start)
        : near_(std::move(near)), far_(near_.get_executor()), profiles_(profiles), start_(start) {}

    void start(const tcp::endpoint &target, std::function<void()> gone) {
        gone_ = std::move(gone);
        far_.async_connect(target, [self = shared_from_this()](const auto &error) {
            if (!self->gone_) return;
            // The connection of the near end is closed.
            if (error) return self->stop();
            self->begin();
        });
    }
    void stop() {
        for (const auto &half : {forth_, back_})
            if (half) half->stop();
        boost::system::error_code ignored;
        near_.close(ignored);
        far_.close(ignored);
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }
    void count(Totals &totals) const {
        if (forth_) add(totals.forth, forth_->counters());
        if (back_) add(totals.back, back_->counters());
    }

private:
    void begin() {
        boost::system::error_code ignored;
        near_.set_option(tcp::no_delay(true), ignored);
        far_.set_option(tcp::no_delay(true), ignored);
        const auto over = [weak = weak_from_this()](bool ended) {
            if (const auto self = weak.lock()) self->half_over(ended);
        };
        forth_ = std::make_shared<StreamHalf>(near_, far_, profiles_.forth, start_, over);
        back_ = std::make_shared<StreamHalf>(far_, near_, profiles_.back, start_, over);
        forth_->start();
        back_->start();
    }
    void half_over(bool ended) {
        if (!ended || ++halves_over_ == 2) stop();
    }

    tcp::socket near_;
    tcp::socket far_;
    const Profiles &profiles_;
    TimePoint start_;
    std::function<void()> gone_;
    std::shared_ptr<StreamHalf> forth_;
    std::shared_ptr<StreamHalf> back_;
    int halves_over_ = 0;
};

class TcpRelay final : public Relay {
public:
    TcpRelay(tcp::acceptor acceptor, tcp::endpoint target, const Profiles &profiles)
        : acceptor_(std::move(acceptor)),
          target_(std::move(target)),
          profiles_(profiles),
          start_(monotonic_now()) {
        accept();
    }
    ~TcpRelay() override {
        while (!connections_.empty()) {
            const auto connection = *connections_.begin();
            connection->stop();
        }
    }

    [[nodiscard]] Totals totals() const override {
        Totals totals = finished_;
        for (const auto &connection : connections_) connection->count(totals);
        totals.connections = accepted_;
        return totals;
    }
    [[nodiscard]] std::string description() const override {
        std::ostringstream text;
        text << "tcp " << acceptor_.local_endpoint() << " -> " << target_;
        return text.str();
    }
    [[nodiscard]] std::vector<std::uint16_t> ports() const override {
        return {acceptor_.local_endpoint().port()};
    }

private:
    void accept() {
        acceptor_.async_accept([this](const auto &error, tcp::socket socket) {
            if (error == boost::asio::error::operation_aborted) return;
            // No descriptor, or closed before it was accepted: continue with the next.
            if (!error) carry(std::move(socket));
            accept();
        });
    }
    void carry(tcp::socket socket) {
        ++accepted_;
        const auto connection = std::make_shared<Connection>(std::move(socket), profiles_, start_);
        connections_.insert(connection);
        connection->start(target_, [this, raw = connection.get()] {
            const auto found = connections_.find(raw->shared_from_this());
            (*found)->count(finished_);
            connections_.erase(found);
        });
    }

    tcp::acceptor acceptor_;
    tcp::endpoint target_;
    Profiles profiles_;
    TimePoint start_;
    std::set<std::shared_ptr<Connection>> connections_;
    Totals finished_;
    std::uint64_t accepted_ = 0;
};

}  // namespace

RelayResult make_tcp_relay(boost::asio::io_context &io, const TcpOptions &options,
                           const Profiles &profiles) {
    const auto listen = resolve<tcp>(io, options.listen);
    if (!listen) return fail(listen.error());
    const auto target = resolve<tcp>(io, options.to);
    if (!target) return fail(target.error());
    tcp::acceptor acceptor(io);
    boost::system::error_code error;
    acceptor.open(listen->protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(*listen, error);
    if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) return fail("cannot listen on " + options.listen + ": " + error.message());
    return std::make_unique<TcpRelay>(std::move(acceptor), *target, profiles);
}

}  // namespace farlink::linkemu
