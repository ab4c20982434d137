// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_webhook.hpp"

#include <utility>

namespace farlink::telemetry {
namespace {

/// Nothing for an answer of the class 2xx (RFC 9110 section 15.3).
std::string fault_of(const http::AnswerOrError &answer) {
    if (!answer) return answer.error();
    if (answer->status / 100 == 2) return {};
    return "the server replied with HTTP status " + std::to_string(answer->status);
}

}  // namespace

AlarmWebhook::AlarmWebhook(boost::asio::io_context &io, config::WebhookTarget target,
                           Duration limit)
    : io_(io), target_(std::move(target)), limit_(limit), log_("alarms.webhook") {}

AlarmWebhook::~AlarmWebhook() {
    if (running_ != nullptr) running_->abandon();
}

void AlarmWebhook::call(std::string body) {
    queue_.add(std::move(body));
    if (running_ == nullptr) start();
}

void AlarmWebhook::start() {
    auto body = queue_.next();
    if (!body) return;
    const http::Request request{"POST", target_.target, std::move(*body)};
    running_ = http::begin(io_, {target_.host, target_.port}, request, limit_,
                           [this](const auto &answer) { finish(fault_of(answer)); });
}

void AlarmWebhook::finish(const std::string &error) {
    running_.reset();
    queue_.count(error.empty());
    log_.note(error);
    start();
}

}  // namespace farlink::telemetry
