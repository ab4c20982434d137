// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_webhook.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <utility>

namespace farlink::telemetry {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using Error = boost::system::error_code;

constexpr std::uint32_t kMostReplyHead = 8192;
constexpr std::uint64_t kMostReplyBody = 65'536;

/// Nothing for an answer of the class 2xx (RFC 9110 section 15.3).
std::string wrong_answer(http::status_class kind, unsigned status) {
    if (kind == http::status_class::successful) return {};
    return "it answers with status " + std::to_string(status);
}

}  // namespace

/// One request. It ends by its time limit at the latest, also while a name is looked up.
class AlarmWebhook::Request : public std::enable_shared_from_this<Request> {
public:
    Request(AlarmWebhook &owner, const config::WebhookTarget &target, std::string body)
        : owner_(&owner), resolver_(owner.io_), stream_(owner.io_), limit_(owner.io_) {
        request_.method(http::verb::post);
        request_.target(target.target);
        request_.version(11);
        const bool ipv6 = target.host.find(':') != std::string::npos;
        const std::string host = ipv6 ? '[' + target.host + ']' : target.host;
        request_.set(http::field::host, host + ':' + target.port);
        request_.set(http::field::user_agent, "farlink");
        request_.set(http::field::content_type, "application/json");
        request_.set(http::field::connection, "close");
        request_.body() = std::move(body);
        request_.prepare_payload();
        reply_.header_limit(kMostReplyHead);
        reply_.body_limit(kMostReplyBody);
    }

    void start(const config::WebhookTarget &target, Duration limit) {
        limit_.expires_after(limit);
        limit_.async_wait([self = shared_from_this()](const Error &error) {
            if (!error) self->end("no answer in time");
        });
        resolver_.async_resolve(target.host, target.port, asio::ip::tcp::resolver::numeric_service,
                                [self = shared_from_this()](const Error &error, const auto &found) {
                                    if (self->go_on(error)) self->connect(found);
                                });
    }
    /// Nothing is called any more.
    void abandon() {
        owner_ = nullptr;
        resolver_.cancel();
        stream_.close();
        limit_.cancel();
    }

private:
    void connect(const asio::ip::tcp::resolver::results_type &found) {
        stream_.async_connect(found, [self = shared_from_this()](const Error &error, const auto &) {
            if (self->go_on(error)) self->write();
        });
    }
    void write() {
        http::async_write(stream_, request_,
                          [self = shared_from_this()](const Error &error, std::size_t) {
                              if (self->go_on(error)) self->read();
                          });
    }
    void read() {
        http::async_read(
            stream_, buffer_, reply_, [self = shared_from_this()](const Error &error, std::size_t) {
                if (!self->go_on(error)) return;
                const auto &reply = self->reply_.get();
                self->end(wrong_answer(http::to_status_class(reply.result()), reply.result_int()));
            });
    }
    /// False when the request has ended.
    [[nodiscard]] bool go_on(const Error &error) {
        if (owner_ == nullptr) return false;
        if (error) end(error.message());
        return !error;
    }
    void end(const std::string &error) {
        AlarmWebhook *const owner = owner_;
        if (owner == nullptr) return;
        abandon();
        owner->finish(error);
    }

    AlarmWebhook *owner_;
    asio::ip::tcp::resolver resolver_;
    beast::tcp_stream stream_;
    asio::steady_timer limit_;
    http::request<http::string_body> request_;
    beast::flat_buffer buffer_;
    http::response_parser<http::string_body> reply_;
};

AlarmWebhook::AlarmWebhook(asio::io_context &io, config::WebhookTarget target, Duration limit)
    : io_(io), target_(std::move(target)), limit_(limit), log_("alarms.webhook") {}

AlarmWebhook::~AlarmWebhook() {
    if (running_) running_->abandon();
}

void AlarmWebhook::call(std::string body) {
    queue_.add(std::move(body));
    if (!running_) start();
}

void AlarmWebhook::start() {
    auto body = queue_.next();
    if (!body) return;
    running_ = std::make_shared<Request>(*this, target_, std::move(*body));
    running_->start(target_, limit_);
}

void AlarmWebhook::finish(const std::string &error) {
    running_.reset();
    queue_.count(error.empty());
    log_.note(error);
    start();
}

}  // namespace farlink::telemetry
