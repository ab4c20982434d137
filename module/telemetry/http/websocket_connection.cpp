// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/websocket_connection.hpp"

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/runtime/clock.hpp"
#include "module/telemetry/api/client_message.hpp"
#include "module/telemetry/api/header_checks.hpp"
#include "module/telemetry/core/access/rate_limit.hpp"

namespace farlink::telemetry {
namespace {

class WebSocketConnection final : public Connection,
                                  public Subscriber,
                                  public std::enable_shared_from_this<WebSocketConnection> {
public:
    static constexpr std::size_t kMostUnsentBytes = 1 << 20;
    static constexpr seconds kSlowestWrite{5};

    /// Without `wanted`: for updates.
    WebSocketConnection(ConnectionHost &host, ServerStream stream,
                        std::optional<WatchRequest> wanted)
        : host_(host),
          socket_(std::move(stream)),
          patience_(socket_.get_executor()),
          wanted_(std::move(wanted)) {}

    void start(const HttpRequest &request, const std::string &address) {
        host_.keep(shared_from_this(), address);
        beast::get_lowest_layer(socket_).expires_never();
        websocket::stream_base::timeout limits{seconds(5), seconds(30), true};
        socket_.set_option(limits);
        socket_.set_option(
            websocket::stream_base::decorator([](websocket::response_type &response) {
                response.set(http::field::sec_websocket_protocol,
                             beast::string_view(HeaderChecks::kProtocol.data(),
                                                HeaderChecks::kProtocol.size()));
            }));
        socket_.read_message_max(kMostClientMessageBytes);
        socket_.auto_fragment(false);
        socket_.text(true);
        socket_.async_accept(request, [self = shared_from_this()](auto error) {
            if (self->closed_) return;
            if (error) return self->close();
            self->begin();
            self->read();
        });
    }

    void send(std::shared_ptr<const std::string> text) override {
        if (closed_ || closing_) return;
        unsent_bytes_ += text->size();
        unsent_.push_back(std::move(text));
        if (unsent_.size() == 1) write();
    }
    [[nodiscard]] bool slow(TimePoint now) const override {
        return unsent_bytes_ > kMostUnsentBytes ||
               (!unsent_.empty() && now - write_begun_ > kSlowestWrite);
    }
    void drop() override { end(websocket::close_code::try_again_later); }

    [[nodiscard]] bool waits() const override { return false; }
    void close() override {
        if (std::exchange(closed_, true)) return;
        boost::system::error_code ignored;
        beast::get_lowest_layer(socket_).socket().close(ignored);
        patience_.cancel();
    }

private:
    void begin() {
        if (!wanted_) return host_.subscribe(shared_from_this(), kMostUpdatesPerSecond);
        if (!host_.watch(shared_from_this(), wanted_->rules))
            end(websocket::close_code::try_again_later);
    }

    void leave() {
        if (closed_) return;
        const auto self = shared_from_this();
        close();
        host_.unsubscribe(self);
        host_.forget(self);
    }

    void read() {
        socket_.async_read(input_, [self = shared_from_this()](auto error, std::size_t) {
            if (self->closed_) return;
            if (error) return self->leave();
            self->take_message();
        });
    }

    void take_message() {
        if (wanted_) return end(websocket::close_code::policy_error);
        const bool text = socket_.got_text();
        const auto rate = parse_client_message(beast::buffers_to_string(input_.data()));
        input_.clear();
        const bool patient = changes_.take({}, monotonic_now()) == Duration::zero();
        if (!text) return end(websocket::close_code::unknown_data);
        if (!rate || !patient) return end(websocket::close_code::policy_error);
        if (!closing_) host_.subscribe(shared_from_this(), *rate);
        read();
    }

    // A client that does not read is cut off after a moment.
    void end(websocket::close_code code) {
        if (closed_ || std::exchange(closing_, true)) return;
        host_.unsubscribe(shared_from_this());
        patience_.expires_after(seconds(1));
        patience_.async_wait([self = shared_from_this()](auto error) {
            if (!error) self->leave();
        });
        socket_.async_close(code, [self = shared_from_this()](auto) { self->leave(); });
    }

    void write() {
        write_begun_ = monotonic_now();
        socket_.async_write(asio::buffer(*unsent_.front()),
                            [self = shared_from_this()](auto error, std::size_t) {
                                if (self->closed_) return;
                                if (error) return self->leave();
                                self->unsent_bytes_ -= self->unsent_.front()->size();
                                self->unsent_.pop_front();
                                if (!self->unsent_.empty() && !self->closing_) self->write();
                            });
    }

    ConnectionHost &host_;
    websocket::stream<ServerStream, false> socket_;
    asio::steady_timer patience_;
    beast::flat_buffer input_;
    std::deque<std::shared_ptr<const std::string>> unsent_;  ///< the first is being sent
    std::size_t unsent_bytes_ = 0;
    TimePoint write_begun_{};
    RateLimit changes_{milliseconds(500), 10};
    std::optional<WatchRequest> wanted_;  ///< none: updates
    bool closing_ = false;
    bool closed_ = false;
};

}  // namespace

void start_websocket_connection(ConnectionHost &host, ServerStream stream,
                                const HttpRequest &request, const std::string &address) {
    std::make_shared<WebSocketConnection>(host, std::move(stream), std::nullopt)
        ->start(request, address);
}

void start_watch_connection(ConnectionHost &host, ServerStream stream, const HttpRequest &request,
                            const std::string &address, WatchRequest wanted) {
    std::make_shared<WebSocketConnection>(host, std::move(stream), std::move(wanted))
        ->start(request, address);
}

}  // namespace farlink::telemetry
