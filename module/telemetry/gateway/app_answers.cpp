// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_answers.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {
namespace {

using client::ErrorCode;

Answer later(std::string_view detail) {
    Answer answer = problem(503, detail);
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

std::string reason_of(const client::Error &error, const char *usual) {
    return error.reason.empty() ? std::string(usual) : error.reason;
}

}  // namespace

client::Message message_of(const SendRequest &request) {
    client::Message message{request.destination, {}, {}};
    client::SendOptions &options = message.options;
    options.source = request.source;
    options.report_to = request.report_to;
    options.reports = request.reports;
    options.hop_limit = request.hop_limit;
    if (request.lifetime_ms) options.lifetime = std::chrono::milliseconds(*request.lifetime_ms);
    if (request.priority) options.priority = static_cast<client::Priority>(*request.priority);
    if (request.creation_ms)
        options.id = client::BundleId{request.source, *request.creation_ms, request.sequence};
    return message;
}

Answer created(const client::BundleId &id) {
    return json_answer({{"id", id.to_string()},
                        {"source", id.source},
                        {"creationTime", id.creation_ms},
                        {"sequence", id.sequence}},
                       201);
}

Answer answer_of(const client::Sent &sent, bool open) {
    if (!sent.error) return created(sent.id);
    if (sent.error->code != ErrorCode::kConnectionLost) return answer_of(*sent.error);
    if (!open) return later("bundle not accepted: " + sent.error->reason);
    return later("unknown whether the bundle " + sent.id.to_string() +
                 " was accepted: " + sent.error->reason +
                 "; repeat the request with its Idempotency-Key, or with this creation time and "
                 "sequence number");
}

Answer answer_of(const client::Error &error) {
    switch (error.code) {
        case ErrorCode::kUnauthorized:
            return problem(403,
                           reason_of(error, "`applications.access` does not allow the request"));
        case ErrorCode::kInvalidRequest:
            return problem(422, reason_of(error, "the node does not accept the bundle"));
        case ErrorCode::kBadArgument:
            return problem(409, error.reason);
        default:
            return later(reason_of(error, "the node does not accept the bundle now"));
    }
}

std::string field_text(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string field;
    for (const char letter : text) {
        const auto octet = static_cast<unsigned char>(letter);
        if (octet > ' ' && octet < 0x7f) {
            field += letter;
            continue;
        }
        field += '%';
        field += kDigits[octet >> 4];
        field += kDigits[octet & 0xf];
    }
    return field;
}

Answer lease_answer(const client::Adu &adu, const std::string &lease, Duration ends) {
    Answer answer{200, "application/octet-stream", {}, {}, {}};
    const auto add = [&](const char *name, std::string value) {
        answer.headers.emplace_back(name, std::move(value));
    };
    add("Farlink-Lease", lease);
    add("Farlink-Lease-Seconds", std::to_string(std::chrono::duration_cast<seconds>(ends).count()));
    add("Farlink-Id", field_text(adu.id().to_string()));
    add("Farlink-Source", field_text(adu.source));
    add("Farlink-Destination", field_text(adu.destination));
    if (!adu.report_to.empty()) add("Farlink-Report-To", field_text(adu.report_to));
    add("Farlink-Age-Milliseconds", std::to_string(adu.age_ms));
    if (adu.previous_node != 0) add("Farlink-Previous-Node", std::to_string(adu.previous_node));
    if (adu.hop_limit != 0) {
        add("Farlink-Hop-Count", std::to_string(adu.hop_count));
        add("Farlink-Hop-Limit", std::to_string(adu.hop_limit));
    }
    add("Farlink-Repeated", adu.repeated ? "true" : "false");
    if (adu.is_status_report) add("Farlink-Status-Report", "true");
    return answer;
}

}  // namespace farlink::telemetry
