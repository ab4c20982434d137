// SPDX-License-Identifier: Apache-2.0
#include "common/http/http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <utility>
#if FARLINK_TLS
#include <boost/asio/ssl.hpp>
#include <boost/beast/ssl.hpp>
#endif

namespace farlink::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using Error = boost::system::error_code;
using Found = asio::ip::tcp::resolver::results_type;
using Message = beast::http::request<beast::http::string_body>;

constexpr std::uint32_t kMostAnswerHead = 16'384;

Message message_of(const Server &server, const Request &request) {
    constexpr unsigned kHttp11 = 11;
    using beast::http::field;
    Message message(beast::http::string_to_verb(request.method), request.target, kHttp11);
    const bool ipv6 = server.host.find(':') != std::string::npos;
    message.set(field::host, (ipv6 ? '[' + server.host + ']' : server.host) + ':' + server.port);
    message.set(field::user_agent, "farlink");
    message.set(field::accept, "application/json");
    message.set(field::connection, "close");
    if (!request.token.empty()) message.set(field::authorization, "Bearer " + request.token);
    if (request.body.empty()) return message;
    message.set(field::content_type, "application/json");
    message.body() = request.body;
    message.prepare_payload();
    return message;
}

#if FARLINK_TLS
namespace ssl = asio::ssl;

/// A client's context; the text names the fault.
Result<ssl::context, std::string> client_context(const std::string &ca_file) {
    Error error;
    ssl::context tls(ssl::context::tls_client);
    tls.set_verify_mode(ssl::verify_peer);
    if (ca_file.empty())
        tls.set_default_verify_paths(error);
    else
        tls.load_verify_file(ca_file, error);
    if (error) return fail(ca_file + ": " + error.message());
    return tls;
}
#endif

/// The streams of both kinds: how they are made, and what comes between connection and request.
struct Clear {
    using Stream = beast::tcp_stream;
    Stream stream;

    template <class Done>
    void shake_hands(Done done) {
        done(Error());
    }
};

#if FARLINK_TLS
struct Encrypted {
    using Stream = beast::ssl_stream<beast::tcp_stream>;

    Encrypted(asio::io_context &io, ssl::context tls, std::string host)
        : context(std::move(tls)), stream(io, context) {
        // As SSL_set_tlsext_host_name() does, without its cast.
        ::SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                   host.data());
        Error ignored;
        stream.set_verify_callback(ssl::host_name_verification(host), ignored);
    }
    template <class Done>
    void shake_hands(Done done) {
        stream.async_handshake(ssl::stream_base::client, std::move(done));
    }

    ssl::context context;
    Stream stream;
};
#endif

template <class Kind>
class ExchangeOver final : public Exchange,
                           public std::enable_shared_from_this<ExchangeOver<Kind>> {
public:
    template <class... Arguments>
    ExchangeOver(asio::io_context &io, Message message, std::function<void(AnswerOrError)> done,
                 Arguments &&...arguments)
        : kind_{std::forward<Arguments>(arguments)...},
          resolver_(io),
          limit_(io),
          message_(std::move(message)),
          done_(std::move(done)) {}

    void start(const Server &server, std::uint64_t most_answer_bytes, Duration limit) {
        answer_.header_limit(kMostAnswerHead);
        answer_.body_limit(most_answer_bytes);
        limit_.expires_after(limit);
        limit_.async_wait([self = this->shared_from_this()](const Error &error) {
            if (!error) self->end(fail(std::string("no reply in time")));
        });
        resolver_.async_resolve(
            server.host, server.port, asio::ip::tcp::resolver::numeric_service,
            [self = this->shared_from_this()](const Error &error, const Found &found) {
                if (self->goes_on(error)) self->connect(found);
            });
    }
    void abandon() override {
        done_ = nullptr;
        resolver_.cancel();
        beast::get_lowest_layer(kind_.stream).close();
        limit_.cancel();
    }

private:
    void connect(const Found &found) {
        beast::get_lowest_layer(kind_.stream)
            .async_connect(found,
                           [self = this->shared_from_this()](const Error &error, const auto &) {
                               if (self->goes_on(error)) self->shake_hands();
                           });
    }
    void shake_hands() {
        kind_.shake_hands([self = this->shared_from_this()](const Error &error) {
            if (self->goes_on(error)) self->write();
        });
    }
    void write() {
        beast::http::async_write(
            kind_.stream, message_,
            [self = this->shared_from_this()](const Error &error, std::size_t) {
                if (self->goes_on(error)) self->read();
            });
    }
    void read() {
        beast::http::async_read(
            kind_.stream, buffer_, answer_,
            [self = this->shared_from_this()](const Error &error, std::size_t) {
                if (!self->goes_on(error)) return;
                auto &answer = self->answer_.get();
                self->end(Answer{answer.result_int(), std::move(answer.body())});
            });
    }
    /// False when the exchange has ended.
    [[nodiscard]] bool goes_on(const Error &error) {
        if (error) end(fail(error.message()));
        return done_ != nullptr;
    }
    void end(AnswerOrError result) {
        if (done_ == nullptr) return;
        const auto done = std::move(done_);
        abandon();
        done(std::move(result));
    }

    Kind kind_;
    asio::ip::tcp::resolver resolver_;
    asio::steady_timer limit_;
    Message message_;
    std::function<void(AnswerOrError)> done_;
    beast::flat_buffer buffer_;
    beast::http::response_parser<beast::http::string_body> answer_;
};

/// An exchange that has failed before it began.
class FailedExchange final : public Exchange, public std::enable_shared_from_this<FailedExchange> {
public:
    explicit FailedExchange(std::function<void(AnswerOrError)> done) : done_(std::move(done)) {}
    void start(asio::io_context &io, std::string why) {
        asio::post(io, [self = shared_from_this(), why = std::move(why)] {
            if (self->done_ != nullptr) self->done_(fail(why));
        });
    }
    void abandon() override { done_ = nullptr; }

private:
    std::function<void(AnswerOrError)> done_;
};

std::shared_ptr<Exchange> begin_failed(asio::io_context &io, std::string why,
                                       std::function<void(AnswerOrError)> done) {
    auto failed = std::make_shared<FailedExchange>(std::move(done));
    failed->start(io, std::move(why));
    return failed;
}

}  // namespace

std::shared_ptr<Exchange> begin(asio::io_context &io, const Server &server, const Request &request,
                                Duration limit, std::function<void(AnswerOrError)> done) {
    Message message = message_of(server, request);
    if (!server.tls) {
        auto exchange = std::make_shared<ExchangeOver<Clear>>(
            io, std::move(message), std::move(done), beast::tcp_stream(io));
        exchange->start(server, request.most_answer_bytes, limit);
        return exchange;
    }
#if FARLINK_TLS
    auto tls = client_context(server.ca_file);
    if (!tls) return begin_failed(io, tls.error(), std::move(done));
    auto exchange = std::make_shared<ExchangeOver<Encrypted>>(
        io, std::move(message), std::move(done), io, std::move(*tls), server.host);
    exchange->start(server, request.most_answer_bytes, limit);
    return exchange;
#else
    return begin_failed(io, "this build has no TLS", std::move(done));
#endif
}

AnswerOrError ask(const Server &server, const Request &request, Duration limit) {
    asio::io_context io;
    AnswerOrError result = fail(std::string("no reply in time"));
    const auto exchange = begin(io, server, request, limit,
                                [&result](AnswerOrError given) { result = std::move(given); });
    io.run_for(limit);
    exchange->abandon();
    return result;
}

}  // namespace farlink::http
