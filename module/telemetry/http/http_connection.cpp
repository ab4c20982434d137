// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/http_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/runtime/clock.hpp"
#include "module/telemetry/api/api.hpp"
#include "module/telemetry/api/header_checks.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/gateway/app_upload.hpp"
#include "module/telemetry/http/beast.hpp"
#include "module/telemetry/http/server_stream.hpp"
#include "module/telemetry/http/websocket_connection.hpp"

namespace farlink::telemetry {
namespace {

class HttpConnection final : public Connection,
                             public std::enable_shared_from_this<HttpConnection> {
public:
    static constexpr seconds kTimeLimit{30};
    static constexpr std::size_t kMostHeadBytes = 16 * 1024;

    HttpConnection(ConnectionHost &host, ServerStream stream, std::string address)
        : host_(host),
          stream_(std::move(stream)),
          patience_(stream_->get_executor()),
          address_(std::move(address)) {}

    void start() {
        host_.keep(shared_from_this(), address_);
        limit_time();
        stream_->handshake([self = shared_from_this()](auto error) {
            if (self->closed_) return;
            if (error) return self->leave();
            self->read_head();
        });
    }

    void close() override {
        if (std::exchange(closed_, true)) return;
        boost::system::error_code ignored;
        if (stream_) stream_->next_layer().socket().close(ignored);
        work_.reset();
        upload_.reset();
    }

    [[nodiscard]] bool waits() const override { return waits_; }

private:
    using Self = std::shared_ptr<HttpConnection>;

    void leave() {
        if (closed_) return;
        const Self self = shared_from_this();
        close();
        host_.forget(self);
    }
    void limit_time() { stream_->next_layer().expires_after(kTimeLimit); }

    // ---- the time for a request: at the stream's own limit the connection is closed, so that no
    // ---- answer can be sent

    void limit_request(Duration limit) {
        late_ = false;
        stream_->next_layer().expires_never();
        end_after(limit);
    }
    // One wait serves many requests: it looks again for the limit of the latest.
    void end_after(Duration limit) {
        ends_at_ = monotonic_now() + limit;
        wait_for_end();
    }
    void wait_for_end() {
        if (looks_at_ <= ends_at_) return;
        looks_at_ = ends_at_;
        patience_.expires_after(ends_at_ - monotonic_now());
        patience_.async_wait([self = weak_from_this()](auto cut) {
            const auto alive = self.lock();
            if (cut || !alive || alive->closed_) return;
            alive->looks_at_ = kNever;
            if (alive->ends_at_ == kNever) return;
            if (monotonic_now() < alive->ends_at_) return alive->wait_for_end();
            alive->writes_ ? alive->leave() : alive->end_reading();
        });
    }
    // Octets that have just arrived begin another read, which is ended soon after.
    void end_reading() {
        late_ = true;
        boost::system::error_code ignored;
        stream_->next_layer().socket().cancel(ignored);
        end_after(kNextEnd);
    }
    void end_limit() {
        late_ = false;
        ends_at_ = kNever;
    }

    // Requests that have come together are answered one after the other, not inside each other.
    void read_head() {
        waits_ = true;
        head_only_ = false;
        has_head_ = false;
        parser_.emplace();
        parser_->header_limit(kMostHeadBytes);
        parser_->body_limit(boost::none);  // take_head() has the limit
        limit_request(kTimeLimit);
        if (input_.size() == 0) return read_more();
        asio::post(stream_->get_executor(), [self = shared_from_this()] {
            if (!self->closed_) self->parse();
        });
    }

    // A read brings a small request as a whole.
    void read_more() {
        const std::size_t wanted = has_head_ ? kMostReadBytes : kHeadReadBytes;
        const std::size_t room = std::min(wanted, input_.max_size() - input_.size());
        if (room == 0) return refuse(http::error::buffer_overflow);
        stream_->async_read_some(input_.prepare(room),
                                 [self = shared_from_this()](auto error, std::size_t size) {
                                     if (self->closed_) return;
                                     self->input_.commit(size);
                                     error ? self->end_of_input(error) : self->parse();
                                 });
    }

    void end_of_input(boost::system::error_code error) {
        if (error == asio::error::eof)
            error = parser_->got_some() ? http::error::partial_message : http::error::end_of_stream;
        refuse(error);
    }

    void parse() {
        boost::system::error_code error;
        while (input_.size() > 0) {
            const std::size_t taken = parser_->put(input_.data(), error);
            input_.consume(taken);
            if (error) break;
            if (!has_head_ && parser_->is_header_done()) {
                has_head_ = true;
                return take_head();
            }
            if (has_head_ && parser_->is_done()) return take_request();
            if (taken == 0) break;
        }
        if (error && error != http::error::need_more) return refuse(error);
        read_more();
    }

    void take_head() {
        const HttpRequest &head = parser_->get();
        answered_ = false;
        call_ = call_of(head);
        head_only_ = head.method() == http::verb::head;
        version_ = head.version();
        if (!has_known_end(head)) return refuse(http::error::bad_transfer_encoding);
        const bool no_body = !parser_->chunked() && parser_->content_length().value_or(0) == 0;
        keep_alive_ = head.keep_alive();
        if (auto refusal = host_.admit(call_, credentials_of(head, address_))) {
            // The body of a refused request is not read.
            keep_alive_ = keep_alive_ && no_body;
            return write(std::move(*refusal));
        }
        if (Api::wants_websocket(call_.target) && websocket::is_upgrade(head))
            return open_websocket();
        if (call_.target == "/ws" || call_.target.starts_with("/ws?")) return upgrade();
        const std::uint64_t length = parser_->content_length().value_or(0);
        if (Api::takes_payload(call_.method, call_.target) && length > Api::kMostBodyBytes)
            return open_upload(length);
        const std::uint64_t limit = call_.role == Role::kOperate
                                        ? Api::body_limit(call_.method, call_.target)
                                        : Api::kMostBodyBytes;
        if (length > limit) return refuse(http::error::body_limit);
        parser_->body_limit(limit);
        if (no_body) return take_request();
        if (expects_to_be_asked()) return ask_for_body();
        read_body();
    }

    [[nodiscard]] bool expects_to_be_asked() const {
        return beast::iequals(parser_->get()[http::field::expect], "100-continue");
    }

    void ask_for_body() {
        static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(*stream_, asio::buffer(kGoOn),
                          [self = shared_from_this()](auto error, std::size_t) {
                              if (self->closed_) return;
                              if (error) return self->leave();
                              self->upload_ ? self->read_piece() : self->read_body();
                          });
    }

    // ---- a payload that is passed on as it arrives

    void open_upload(std::uint64_t length) {
        left_ = length;
        read_bytes_ = 0;
        waited_ = {};
        waits_ = false;
        upload_ = host_.open(std::move(call_), length, reply());
        if (!upload_) return;
        piece_.resize(kPieceBytes);
        if (expects_to_be_asked()) return ask_for_body();
        read_piece();
    }

    void read_piece() {
        if (left_ == 0) {
            end_limit();
            upload_->finish();
            return;
        }
        if (input_.size() > 0) {
            const std::size_t size = asio::buffer_copy(room(), input_.data());
            input_.consume(size);
            return take_piece(size);
        }
        begun_ = monotonic_now();
        // A client may be slow, not silent, and not so slow that it would last for ever.
        const Duration patience = kTimeLimit + seconds(read_bytes_ / kSlowestBytesPerSecond);
        limit_request(std::min<Duration>(kTimeLimit, std::max(patience - waited_, Duration(1))));
        stream_->async_read_some(room(), [self = shared_from_this()](auto error, std::size_t size) {
            if (self->closed_ || !self->upload_) return;  // it is answered
            if (error) return self->refuse(kCut);
            self->waited_ += monotonic_now() - self->begun_;
            self->take_piece(size);
        });
    }

    [[nodiscard]] asio::mutable_buffer room() {
        return asio::buffer(piece_.data(), std::min<std::uint64_t>(piece_.size(), left_));
    }

    void take_piece(std::size_t size) {
        left_ -= size;
        read_bytes_ += size;
        end_limit();  // the node may be slow, too
        upload_->take(ByteView(piece_).first(size), [self = weak_from_this()] {
            if (const auto alive = self.lock(); alive && !alive->closed_) alive->read_piece();
        });
    }

    void open_websocket() {
        auto opened = host_.open_websocket(call_);
        if (auto *answer = std::get_if<Answer>(&opened)) return write(std::move(*answer));
        if (!HeaderChecks::offers_protocol(
                text_of(parser_->get()[http::field::sec_websocket_protocol])))
            return write(
                problem(426, "expected a WebSocket client with the subprotocol farlink.v1"));
        const Self self = shared_from_this();
        if (auto *watch = std::get_if<WatchRequest>(&opened))
            start_watch_connection(host_, std::move(*stream_), parser_->get(), address_,
                                   std::move(*watch));
        else
            start_message_connection(host_, std::move(*stream_), parser_->get(), address_, call_,
                                     std::get<MessagesRequest>(std::move(opened)));
        stream_.reset();
        leave();
    }

    // ---- requests whose body is in memory

    void read_body() {
        parser_->eager(true);
        parse();
    }

    void take_request() {
        waits_ = false;
        call_.body = std::move(parser_->get().body());
        end_limit();  // the command has a time limit of its own
        auto work = host_.serve(std::move(call_), reply());
        if (answered_ || !work) return;
        work_ = std::move(work);
        watch();
    }

    std::function<void(Answer)> reply() {
        return [self = weak_from_this()](Answer answer) {
            const auto alive = self.lock();
            if (alive && !alive->closed_ && !alive->answered_) alive->write(std::move(answer));
        };
    }

    // Work that waits for long ends when its client is gone.
    void watch() {
        stream_->next_layer().socket().async_wait(
            asio::socket_base::wait_read, [self = shared_from_this()](auto error) {
                if (self->closed_ || error || !self->work_) return;
                char octet = 0;
                const ssize_t size = ::recv(self->stream_->next_layer().socket().native_handle(),
                                            &octet, 1, MSG_PEEK | MSG_DONTWAIT);
                if (size == 0) self->leave();
            });
    }

    void upgrade() {
        const bool protocol = HeaderChecks::offers_protocol(
            text_of(parser_->get()[http::field::sec_websocket_protocol]));
        if (!websocket::is_upgrade(parser_->get()) || !protocol) {
            Answer answer = problem(426,
                                    "expected a WebSocket client with the subprotocol "
                                    "farlink.v1");
            answer.headers.emplace_back("Upgrade", "websocket");
            keep_alive_ = false;
            return write(std::move(answer));
        }
        if (call_.role < Role::kRead)
            return write(
                problem(401, "a token is required: a second subprotocol `farlink.token.TOKEN`"));
        const Self self = shared_from_this();
        start_websocket_connection(host_, std::move(*stream_), parser_->get(), address_);
        stream_.reset();
        leave();
    }

    void refuse(boost::system::error_code error) {
        if (late_) error = beast::error::timeout;
        const unsigned status = status_of(error);
        if (status == 0 || (late_ && !parser_->got_some())) return leave();
        keep_alive_ = false;
        write(problem(status, status == 413
                                  ? "the body is too large; expected at most 64 KiB, for a plan 16 "
                                    "MiB; a payload above 64 KiB requires Content-Length"
                              : status == 431 ? "the header of the request is larger than 16 KiB"
                              : status == 408 ? "no complete request within 30 s"
                                              : "not an HTTP request: " + error.message()));
    }

    void write(Answer answer) {
        end_limit();
        waits_ = false;
        answered_ = true;
        work_.reset();
        // What is left of a payload cannot be told from a request.
        if (std::exchange(upload_, {}) || left_ > 0) keep_alive_ = keep_alive_ && left_ == 0;
        left_ = 0;
        octets_ = answer.octets;  // the answer still needs their size
        written_ = 0;
        response_ = response_of(std::move(answer), version_, keep_alive_, head_only_);
        serializer_.emplace(*response_);
        serializer_->split(false);
        if (!octets_ && !head_only_) {
            writes_ = true;
            end_after(kTimeLimit);
            return write_some();
        }
        limit_time();
        http::async_write_header(*stream_, *serializer_,
                                 [self = shared_from_this()](auto error, std::size_t) {
                                     if (self->closed_) return;
                                     if (error || self->head_only_) return self->end_answer(error);
                                     self->write_octets();
                                 });
    }

    // The kernel usually has room for all of it.
    void write_some() {
        boost::system::error_code error;
        for (;;) {
            serializer_->next(error, [this](auto &, const auto &buffers) {
                leaving_.assign(asio::buffer_sequence_begin(buffers),
                                asio::buffer_sequence_end(buffers));
            });
            if (error) return end_answer(error);
            const std::size_t size = stream_->write_now(leaving_);
            if (size == 0) break;
            serializer_->consume(size);
            if (serializer_->is_done()) return end_answer({});
        }
        stream_->async_write_some(
            leaving_, [self = shared_from_this()](auto failed, std::size_t size) {
                if (self->closed_) return;
                if (failed) return self->end_answer(failed);
                self->serializer_->consume(size);
                self->serializer_->is_done() ? self->end_answer({}) : self->write_some();
            });
    }

    void end_answer(boost::system::error_code error) {
        writes_ = false;
        end_limit();
        error || !keep_alive_ ? leave_politely() : read_head();
    }

    void write_octets() {
        if (written_ == octets_->size()) {
            octets_.reset();
            return keep_alive_ ? read_head() : leave_politely();
        }
        limit_time();
        const std::size_t next = std::min(octets_->size() - written_, kPieceBytes);
        asio::async_write(*stream_, asio::buffer(octets_->data() + written_, next),
                          [self = shared_from_this()](auto error, std::size_t size) {
                              if (self->closed_) return;
                              if (error) return self->leave();
                              self->written_ += size;
                              self->write_octets();
                          });
    }

    // The peer can read the answer before the connection ends, even while it sends.
    void leave_politely() {
        waits_ = true;
        boost::system::error_code ignored;
        auto &socket = stream_->next_layer().socket();
        socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        stream_->next_layer().expires_after(seconds(2));
        discard();
    }
    void discard() {
        stream_->next_layer().async_read_some(asio::buffer(rest_),
                                              [self = shared_from_this()](auto error, std::size_t) {
                                                  if (self->closed_) return;
                                                  if (error || ++self->discarded_ > kMostDiscarded)
                                                      return self->leave();
                                                  self->discard();
                                              });
    }

    static constexpr milliseconds kNextEnd{100};
    static constexpr int kMostDiscarded = 4096;
    static constexpr std::size_t kPieceBytes = 128 * 1024;
    static constexpr std::size_t kHeadReadBytes = 4 * 1024;
    static constexpr std::size_t kMostReadBytes = 64 * 1024;
    static constexpr std::uint64_t kSlowestBytesPerSecond = 16 * 1024;
    inline static const boost::system::error_code kCut = http::error::partial_message;

    ConnectionHost &host_;
    std::optional<ServerStream> stream_;  ///< none: upgraded to a WebSocket
    asio::steady_timer patience_;         ///< for a request
    TimePoint ends_at_ = kNever;          ///< the limit of what is under way
    TimePoint looks_at_ = kNever;         ///< when `patience_` ends
    bool writes_ = false;                 ///< an answer
    bool late_ = false;  ///< the time for the request has ended, and its read is ended
    std::string address_;
    beast::flat_buffer input_{kMostHeadBytes + 64 * 1024};
    std::optional<http::request_parser<http::string_body>> parser_;
    std::optional<HttpResponse> response_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    std::vector<asio::const_buffer> leaving_;  ///< of the answer
    Call call_;
    std::shared_ptr<void> work_;         ///< of a request that waits
    std::shared_ptr<AppUpload> upload_;  ///< of a payload that is arriving
    std::uint64_t left_ = 0;             ///< octets of it that are to come
    std::uint64_t read_bytes_ = 0;
    std::vector<std::uint8_t> piece_;
    TimePoint begun_{};
    Duration waited_{};  ///< for the client
    std::shared_ptr<const std::vector<std::uint8_t>> octets_;
    std::size_t written_ = 0;
    bool answered_ = false;
    std::array<char, 4096> rest_{};
    int discarded_ = 0;
    unsigned version_ = 11;
    bool has_head_ = false;  ///< the parser is behind the head
    bool head_only_ = false;
    bool keep_alive_ = false;
    bool waits_ = true;  ///< for the client's request
    bool closed_ = false;
};

}  // namespace

void start_http_connection(ConnectionHost &host, asio::ip::tcp::socket socket,
                           const std::string &address, const ServerTls *tls) {
    std::make_shared<HttpConnection>(host, ServerStream(std::move(socket), tls), address)->start();
}

}  // namespace farlink::telemetry
