// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_gateway.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/gateway/app_answers.hpp"

namespace farlink::telemetry {
namespace {

constexpr seconds kUnusedFor{30};
/// Answers that one message of the node may have together.
constexpr std::uint32_t kSenderWindow = 64;

SipKey random_key() {
    SipKey key{};
    fill_random(key);
    return key;
}

Answer not_now(unsigned status, const char *detail) {
    Answer answer = problem(status, detail);
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

/// What must be the same where a key is used again.
std::string content_of(const SendRequest &request, std::uint64_t bytes,
                       const std::string &payload) {
    const auto number = [](const auto &value) {
        return value ? std::to_string(*value) : std::string("-");
    };
    return request.destination + '\n' + request.report_to + '\n' + number(request.lifetime_ms) +
           ' ' + number(request.priority) + ' ' + number(request.reports) + ' ' +
           number(request.hop_limit) + ' ' + std::to_string(bytes) + '\n' + payload;
}

}  // namespace

Answer AppGateway::no_socket() {
    return problem(
        409,
        "applications cannot connect to this node: no `applications.socket` in its configuration");
}

AppGateway::AppGateway(boost::asio::io_context &io, const config::ApplicationsConfig &config)
    : io_(io), config_(config), keys_(random_key()), leases_(io) {}

AppGateway::~AppGateway() {
    for (const auto &[source, sender] : senders_) sender->close();
    for (const auto &each : uploads_)
        if (const auto upload = each.lock()) upload->abandon();
}

client::Registration AppGateway::registration(const std::string &endpoint, unsigned window,
                                              seconds stay) const {
    return {endpoint, secret_, static_cast<std::uint32_t>(stay.count()), window};
}

bool AppGateway::admit(SendRequest &request, std::uint64_t bytes, const std::string &payload,
                       const Reply &reply) {
    const auto refuse = [&](Answer answer) {
        reply(std::move(answer));
        return false;
    };
    if (config_.socket.empty()) return refuse(no_socket());
    if (bytes > config_.largest_adu_bytes)
        return refuse(problem(
            413,
            "the payload is too large; expected at most `applications.largestAduBytes` bytes: " +
                std::to_string(config_.largest_adu_bytes)));
    if (request.key.empty()) return true;
    const KeyMemory::Found found =
        keys_.begin(request.key, content_of(request, bytes, payload), client::dtn_now_ms());
    if (found.other) return refuse(problem(422, "the Idempotency-Key was used for another bundle"));
    if (found.state == KeyMemory::State::kUnderWay)
        return refuse(not_now(409, "a request with this Idempotency-Key is in progress"));
    if (found.state == KeyMemory::State::kAccepted)
        return refuse(created({request.source, found.creation_ms, found.sequence}));
    request.creation_ms = found.creation_ms;
    request.sequence = found.sequence;
    return true;
}

void AppGateway::note(const std::string &key, const client::Sent &sent, bool open) {
    if (key.empty()) return;
    if (!sent.error) return keys_.accept(key);
    const bool lost = sent.error->code == client::ErrorCode::kConnectionLost;
    if (lost && open) return keys_.leave_open(key);
    keys_.refuse(key);
}

void AppGateway::send(SendRequest request, std::string payload, Reply reply) {
    if (!admit(request, payload.size(), payload, reply)) return;
    const auto by = sender(request.source);
    if (!by) {
        if (!request.key.empty()) keys_.refuse(request.key);
        return reply(not_now(503, "too many sources at the same time; try again"));
    }
    by->send(message_of(request), std::move(payload),
             [this, key = request.key, reply = std::move(reply)](const client::Sent &sent) {
                 note(key, sent, true);
                 reply(answer_of(sent, true));
             });
}

std::shared_ptr<SourceSender> AppGateway::sender(const std::string &source) {
    const auto known = senders_.find(source);
    if (known != senders_.end()) return known->second;
    if (senders_.size() >= kMostSources) return nullptr;
    auto made = std::make_shared<SourceSender>(io_, config_.socket,
                                               registration(source, kSenderWindow, seconds(0)));
    senders_.emplace(source, made);
    return made;
}

std::shared_ptr<AppUpload> AppGateway::open(SendRequest request, std::uint64_t bytes, Reply reply) {
    std::erase_if(uploads_, [](const auto &upload) { return upload.expired(); });
    if (uploads_.size() >= kMostUploads) {
        reply(not_now(503, "too many large payloads at the same time; try again"));
        return nullptr;
    }
    if (!admit(request, bytes, {}, reply)) return nullptr;
    auto upload = std::make_shared<AppUpload>(
        io_, registration(request.source, 1, seconds(0)),
        [this, key = request.key, reply = std::move(reply)](const client::Sent &sent, bool whole) {
            note(key, sent, whole);
            reply(answer_of(sent, whole));
        });
    uploads_.push_back(upload);
    upload->start(config_.socket, message_of(request), bytes);
    return upload;
}

std::shared_ptr<void> AppGateway::receive(const ReceiveRequest &request, Reply reply) {
    if (config_.socket.empty()) {
        reply(no_socket());
        return nullptr;
    }
    ReceiveRequest bounded = request;
    // The node would end the connection, and the lease with it.
    const auto within = static_cast<std::int64_t>(config_.accept_within_seconds);
    if (within > 0) bounded.lease = std::min(bounded.lease, seconds(within));
    return leases_.receive(bounded, config_.socket, registration(request.endpoint, 1, request.stay),
                           std::move(reply));
}

void AppGateway::handle_second() {
    const TimePoint now = monotonic_now();
    std::erase_if(senders_, [now](const auto &entry) {
        return entry.second->idle() && now - entry.second->used() > kUnusedFor;
    });
}

}  // namespace farlink::telemetry
