// SPDX-License-Identifier: Apache-2.0
// The Asio form of the client, for Boost.Asio: callbacks instead of waiting. Header only.
// Handlers run on the executor, one at a time; every call is made there, too.
// Unix sockets only: an application beside the node; over TCP use the blocking form.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farlink/client/address.hpp>
#include <farlink/client/endpoint.hpp>
#include <farlink/client/session.hpp>

namespace farlink::client {

namespace detail {

/// One direction: connects, reads and writes until it is closed or given up.
class AsioChannel : public std::enable_shared_from_this<AsioChannel> {
public:
    struct Hooks {
        std::function<void()> on_new;                         ///< before a handshake
        std::function<std::vector<std::uint8_t>()> on_ready;  ///< what a new connection begins with
        std::function<void()> on_data;                        ///< octets were taken
        std::function<void(const Error &)> on_failure;        ///< it is given up
    };

    AsioChannel(boost::asio::any_io_executor executor, Address address,
                std::chrono::milliseconds retry, Registration &registration, Direction &direction)
        : socket_(executor),
          timer_(executor),
          address_(std::move(address)),
          retry_(retry),
          registration_(registration),
          direction_(direction) {}

    void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }
    [[nodiscard]] bool ready() const { return session_ && session_->ready() && !lost_; }
    /// Connects, unless it does already.
    void start() {
        if (running_) return;
        running_ = true;
        give_up_ = Clock::now() + retry_;
        connect();
    }
    void write(std::vector<std::uint8_t> octets) {
        if (octets.empty()) return;
        queue_.push_back(std::move(octets));
        if (queue_.size() == 1) write_front();
    }
    [[nodiscard]] std::size_t unwritten() const { return queue_.size(); }
    void close() {
        closed_ = true;
        running_ = false;
        timer_.cancel();
        boost::system::error_code ignored;
        socket_.close(ignored);
        hooks_ = {};
    }

private:
    using Clock = std::chrono::steady_clock;

    void connect() {
        lost_ = false;
        queue_.clear();
        if (hooks_.on_new) hooks_.on_new();
        session_.emplace(registration_, direction_);
        ++generation_;
        boost::system::error_code ignored;
        socket_.close(ignored);
        socket_.async_connect({address_.path},
                              [self = shared_from_this()](const boost::system::error_code &error) {
                                  self->handle_connected(error);
                              });
    }
    void handle_connected(const boost::system::error_code &error) {
        if (closed_) return;
        if (error) return retry();
        read();
    }
    void read() {
        socket_.async_read_some(boost::asio::buffer(space_),
                                [self = shared_from_this(), generation = generation_](
                                    const boost::system::error_code &error, std::size_t size) {
                                    if (!self->closed_ && generation == self->generation_)
                                        self->handle_read(error, size);
                                });
    }
    void handle_read(const boost::system::error_code &error, std::size_t size) {
        if (error) return retry();
        const bool was_ready = session_->ready();
        if (const auto fault = session_->feed(Octets(space_).first(size))) return fail(*fault);
        write(session_->take_output());
        if (!was_ready && session_->ready()) {
            give_up_ = Clock::time_point::max();
            pause_ = kFirstPause;
            write(hooks_.on_ready());
        }
        if (hooks_.on_data) hooks_.on_data();
        if (!closed_) read();
    }
    void write_front() {
        boost::asio::async_write(socket_, boost::asio::buffer(queue_.front()),
                                 [self = shared_from_this(), generation = generation_](
                                     const boost::system::error_code &error, std::size_t) {
                                     if (self->closed_ || generation != self->generation_) return;
                                     if (error) return;  // the read ends, too
                                     self->queue_.pop_front();
                                     if (!self->queue_.empty()) self->write_front();
                                 });
    }
    void retry() {
        lost_ = true;
        ++generation_;
        if (give_up_ == Clock::time_point::max()) give_up_ = Clock::now() + retry_;
        if (Clock::now() + pause_ > give_up_)
            return fail({ErrorCode::kConnectionLost, "the node cannot be reached"});
        timer_.expires_after(pause_);
        pause_ = std::min(2 * pause_, kLongestPause);
        timer_.async_wait([self = shared_from_this()](const boost::system::error_code &error) {
            if (!error && !self->closed_) self->connect();
        });
    }
    void fail(const Error &error) {
        lost_ = true;
        running_ = false;
        ++generation_;
        pause_ = kFirstPause;
        boost::system::error_code ignored;
        socket_.close(ignored);
        if (hooks_.on_failure) hooks_.on_failure(error);
    }

    static constexpr std::chrono::milliseconds kFirstPause{20};
    static constexpr std::chrono::milliseconds kLongestPause{2000};

    boost::asio::local::stream_protocol::socket socket_;
    boost::asio::steady_timer timer_;
    Address address_;
    std::chrono::milliseconds retry_;
    Registration &registration_;
    Direction &direction_;
    Hooks hooks_;
    std::optional<Session> session_;
    std::array<std::uint8_t, 65536> space_{};
    std::deque<std::vector<std::uint8_t>> queue_;
    std::uint64_t generation_ = 0;
    Clock::time_point give_up_{};
    std::chrono::milliseconds pause_ = kFirstPause;
    bool running_ = false;
    bool lost_ = false;
    bool closed_ = false;
};

}  // namespace detail

class AsioEndpoint {
public:
    using SentHandler = std::function<void(Sent)>;
    using AduHandler = std::function<void(Result<Adu>)>;

    /// Connects in the background; the first operation that fails says why.
    AsioEndpoint(const boost::asio::any_io_executor &executor, ConnectOptions options)
        : state_(std::make_shared<State>(executor, std::move(options))) {
        state_->begin();
    }
    AsioEndpoint(const AsioEndpoint &) = delete;
    AsioEndpoint &operator=(const AsioEndpoint &) = delete;
    ~AsioEndpoint() { close(); }

    /// Handlers that wait get kConnectionLost.
    void close() { state_->close(); }
    /// The endpoint id; empty before the first handler has been called.
    [[nodiscard]] const std::string &id() const { return state_->options.registration.endpoint; }

    /// The handler is called when the node has accepted the ADU, or with the reason. Any number may
    /// be under way; they are sent in order.
    void async_send(std::string destination, std::vector<std::uint8_t> payload, SendOptions options,
                    SentHandler handler) {
        state_->send(std::move(destination), std::move(payload), std::move(options),
                     std::move(handler));
    }
    /// The handler gets the next ADU, which is to be accepted.
    void async_receive(AduHandler handler) { state_->receive(std::move(handler)); }
    /// The node may forget it.
    void accept(const Adu &adu) {
        state_->receiver.accept(adu);
        state_->answer();
    }

private:
    struct State : std::enable_shared_from_this<State> {
        State(const boost::asio::any_io_executor &where, ConnectOptions given)
            : executor(where),
              options(std::move(given)),
              sender(options.registration,
                     [this](std::uint64_t number, Sent sent) { finish(number, std::move(sent)); }),
              receiver(options.registration) {}

        struct Waiting {
            Message message;
            std::vector<std::uint8_t> payload;
            SentHandler handler;
        };

        void begin() {
            const Address address = parse_address(options.address).value_or(Address{});
            const auto make = [&](Direction &direction) {
                return std::make_shared<detail::AsioChannel>(executor, address, options.retry,
                                                             options.registration, direction);
            };
            out = make(sender);
            in = make(receiver);
            const std::weak_ptr<State> weak = weak_from_this();
            out->set_hooks({[] {}, [weak] { return weak.lock()->unsent(); },
                            [weak] { with(weak, [](State &state) { state.send_waiting(); }); },
                            [weak](const Error &error) {
                                with(weak, [&](State &state) { state.fail_sending(error); });
                            }});
            in->set_hooks(
                {[weak] { with(weak, [](State &state) { state.receiver.handle_lost(); }); },
                 [] { return std::vector<std::uint8_t>(); },
                 [weak] { with(weak, [](State &state) { state.hand_out(); }); },
                 [weak](const Error &error) {
                     with(weak, [&](State &state) { state.fail_receiving(error); });
                 }});
            out->start();
        }
        template <class Action>
        static void with(const std::weak_ptr<State> &weak, Action action) {
            if (const auto state = weak.lock()) action(*state);
        }
        void close() {
            if (out) out->close();
            if (in) in->close();
            const Error error{ErrorCode::kConnectionLost, "the endpoint is closed"};
            fail_sending(error);
            fail_receiving(error);
        }

        void send(std::string destination, std::vector<std::uint8_t> payload, SendOptions with_what,
                  SentHandler handler) {
            waiting.push_back({{std::move(destination), {}, std::move(with_what)},
                               std::move(payload),
                               std::move(handler)});
            out->start();
            send_waiting();
        }
        void send_waiting() {
            if (!out->ready()) return;
            const std::size_t window = std::max<std::uint32_t>(options.registration.window, 1);
            std::vector<std::uint8_t> octets;
            while (!waiting.empty() && sender.pending().size() < window) {
                under_way.push_back(std::move(waiting.front()));
                waiting.pop_front();
                Waiting &next = under_way.back();
                next.message.payload = next.payload;
                sender.add(next.message, dtn_now_ms());
                append(octets, sender.last_head());
                append(octets, next.message.payload);
            }
            out->write(std::move(octets));
        }
        static void append(std::vector<std::uint8_t> &to, Octets octets) {
            to.insert(to.end(), octets.begin(), octets.end());
        }
        [[nodiscard]] std::vector<std::uint8_t> unsent() const {
            std::vector<std::uint8_t> octets;
            for (const Sender::Pending &pending : sender.pending()) {
                append(octets, pending.head);
                append(octets, pending.payload);
            }
            return octets;
        }
        void finish(std::uint64_t, Sent sent) {
            const SentHandler handler = std::move(under_way.front().handler);
            under_way.pop_front();
            boost::asio::post(executor, [handler, sent = std::move(sent)] { handler(sent); });
        }
        void fail_sending(const Error &error) {
            sender.give_up(error);
            while (!waiting.empty()) {
                const SentHandler handler = std::move(waiting.front().handler);
                waiting.pop_front();
                boost::asio::post(executor, [handler, error] { handler(Sent{{}, error}); });
            }
        }

        void receive(AduHandler handler) {
            receivers.push_back(std::move(handler));
            in->start();
            hand_out();
        }
        void hand_out() {
            answer();
            while (!receivers.empty() && !receiver.arrived().empty()) {
                const AduHandler handler = std::move(receivers.front());
                receivers.pop_front();
                boost::asio::post(executor, [handler, adu = std::move(receiver.arrived().front())] {
                    handler(adu);
                });
                receiver.arrived().pop_front();
            }
        }
        void answer() {
            if (in->ready()) in->write(receiver.take_answers());
        }
        void fail_receiving(const Error &error) {
            while (!receivers.empty()) {
                const AduHandler handler = std::move(receivers.front());
                receivers.pop_front();
                boost::asio::post(executor, [handler, error] { handler(error); });
            }
        }

        boost::asio::any_io_executor executor;
        ConnectOptions options;
        std::deque<Waiting> waiting;
        std::deque<Waiting> under_way;
        std::deque<AduHandler> receivers;
        Sender sender;
        Receiver receiver;
        std::shared_ptr<detail::AsioChannel> out;
        std::shared_ptr<detail::AsioChannel> in;
    };

    std::shared_ptr<State> state_;
};

}  // namespace farlink::client
