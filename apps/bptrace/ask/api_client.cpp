// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask/api_client.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <utility>
#if FARLINK_TLS
#include <boost/asio/ssl.hpp>
#include <boost/beast/ssl.hpp>
#endif

namespace farlink::bptrace {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using Error = boost::system::error_code;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostReplyHead = 16'384;
/// 1,000 records with long names.
constexpr std::uint64_t kMostReplyBody = 16 * 1024 * 1024;
constexpr unsigned kOk = 200;

struct Reply {
    std::string error{"no answer in time"};  ///< empty: there is an answer
    unsigned status = 0;
    std::string body{};
};

http::request<http::empty_body> request_of(const ApiAddress &address, const ApiAccess &access,
                                           const std::string &target) {
    constexpr unsigned kHttp11 = 11;
    http::request<http::empty_body> request(http::verb::get, target, kHttp11);
    const bool ipv6 = address.host.find(':') != std::string::npos;
    request.set(http::field::host,
                (ipv6 ? '[' + address.host + ']' : address.host) + ':' + address.port);
    request.set(http::field::user_agent, "farlink");
    request.set(http::field::accept, "application/json");
    request.set(http::field::connection, "close");
    if (!access.token.empty()) request.set(http::field::authorization, "Bearer " + access.token);
    return request;
}

/// One exchange over a stream that is not connected yet. A handshake gets the stream, and what goes
/// on.
template <class Stream>
class Exchange : public std::enable_shared_from_this<Exchange<Stream>> {
public:
    Exchange(std::unique_ptr<Stream> stream, asio::io_context &io,
             http::request<http::empty_body> request, Reply &reply)
        : stream_(std::move(stream)), resolver_(io), request_(std::move(request)), reply_(reply) {
        parser_.header_limit(kMostReplyHead);
        parser_.body_limit(kMostReplyBody);
    }

    template <class Handshake>
    void start(const ApiAddress &address, Handshake handshake) {
        resolver_.async_resolve(
            address.host, address.port, asio::ip::tcp::resolver::numeric_service,
            [self = this->shared_from_this(), handshake](const Error &error, const auto &found) {
                if (self->goes_on(error)) self->connect(found, handshake);
            });
    }

private:
    template <class Handshake>
    void connect(const asio::ip::tcp::resolver::results_type &found, Handshake handshake) {
        beast::get_lowest_layer(*stream_).async_connect(
            found, [self = this->shared_from_this(), handshake](const Error &error, const auto &) {
                if (!self->goes_on(error)) return;
                handshake(*self->stream_, [self](const Error &refused) {
                    if (self->goes_on(refused)) self->write();
                });
            });
    }
    void write() {
        http::async_write(*stream_, request_,
                          [self = this->shared_from_this()](const Error &error, std::size_t) {
                              if (self->goes_on(error)) self->read();
                          });
    }
    void read() {
        http::async_read(*stream_, buffer_, parser_,
                         [self = this->shared_from_this()](const Error &error, std::size_t) {
                             if (!self->goes_on(error)) return;
                             auto &answer = self->parser_.get();
                             self->reply_ = {{}, answer.result_int(), std::move(answer.body())};
                         });
    }
    [[nodiscard]] bool goes_on(const Error &error) {
        if (error) reply_.error = error.message();
        return !error;
    }

    std::unique_ptr<Stream> stream_;
    asio::ip::tcp::resolver resolver_;
    http::request<http::empty_body> request_;
    beast::flat_buffer buffer_;
    http::response_parser<http::string_body> parser_;
    Reply &reply_;
};

void ask_clear(const ApiAddress &address, const http::request<http::empty_body> &request,
               Duration limit, Reply &reply) {
    asio::io_context io;
    using Stream = beast::tcp_stream;
    std::make_shared<Exchange<Stream>>(std::make_unique<Stream>(io), io, request, reply)
        ->start(address, [](Stream &, const auto &go_on) { go_on(Error()); });
    io.run_for(limit);
}

#if FARLINK_TLS
void ask_encrypted(const ApiAddress &address, const ApiAccess &access,
                   const http::request<http::empty_body> &request, Duration limit, Reply &reply) {
    namespace ssl = boost::asio::ssl;
    Error error;
    ssl::context tls(ssl::context::tls_client);
    tls.set_verify_mode(ssl::verify_peer);
    if (access.ca_file.empty())
        tls.set_default_verify_paths(error);
    else
        tls.load_verify_file(access.ca_file, error);
    if (error) return void(reply.error = access.ca_file + ": " + error.message());
    asio::io_context io;
    using Stream = beast::ssl_stream<beast::tcp_stream>;
    auto stream = std::make_unique<Stream>(io, tls);
    // As SSL_set_tlsext_host_name() does, without its cast.
    std::string name = address.host;
    ::SSL_ctrl(stream->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               name.data());
    stream->set_verify_callback(ssl::host_name_verification(address.host), error);
    if (error) return void(reply.error = error.message());
    std::make_shared<Exchange<Stream>>(std::move(stream), io, request, reply)
        ->start(address, [](Stream &to, const auto &go_on) {
            to.async_handshake(ssl::stream_base::client, go_on);
        });
    io.run_for(limit);
}
#endif

/// What a refusal says: the `detail` of a problem (RFC 9457).
std::string refusal_of(unsigned status, const Json &answer) {
    std::string text = "it answers with status " + std::to_string(status);
    const auto detail = answer.is_object() ? answer.find("detail") : answer.end();
    if (answer.is_object() && detail != answer.end() && detail->is_string())
        text += ": " + detail->get<std::string>();
    return text;
}

}  // namespace

Result<ApiAddress, std::string> parse_api_address(std::string_view url) {
    const std::string wrong =
        "found " + std::string(url) + "; expected https://host:port or http://host:port";
    ApiAddress address;
    if (url.starts_with("https://")) {
        address.tls = true;
        url.remove_prefix(8);
    } else if (url.starts_with("http://")) {
        url.remove_prefix(7);
    } else {
        return fail(wrong);
    }
    if (url.ends_with('/')) url.remove_suffix(1);
    const std::size_t colon = url.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return fail(wrong);
    std::string_view host = url.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        return fail(wrong);
    const std::string_view port = url.substr(colon + 1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (host.empty() || host.find_first_of("/?#@ ") != std::string_view::npos || port.empty() ||
        port.size() > 5 || !std::ranges::all_of(port, is_digit))
        return fail(wrong);
    address.host = host;
    address.port = port;
#if !FARLINK_TLS
    if (address.tls) return fail("this program was built without TLS");
#endif
    return address;
}

Result<Json, std::string> get_json(const ApiAddress &address, const ApiAccess &access,
                                   const std::string &target, Duration limit) {
    const auto request = request_of(address, access, target);
    Reply reply;
#if FARLINK_TLS
    if (address.tls)
        ask_encrypted(address, access, request, limit, reply);
    else
#endif
        ask_clear(address, request, limit, reply);
    if (!reply.error.empty()) return fail(reply.error);
    Json answer = Json::parse(reply.body, nullptr, false);
    if (reply.status != kOk) return fail(refusal_of(reply.status, answer));
    if (!answer.is_object()) return fail("its answer is no JSON object");
    return answer;
}

}  // namespace farlink::bptrace
