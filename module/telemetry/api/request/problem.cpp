// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/problem.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace farlink::telemetry {
namespace {

constexpr std::array<std::pair<unsigned, std::string_view>, 17> kPhrases{{
    {200, "OK"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {503, "Service Unavailable"},
}};

/// Reasons in replies of the control socket (docs/formats/control.md).
constexpr std::array<std::pair<std::string_view, unsigned>, 6> kReasons{{
    {"malformed", 400},
    {"invalid", 422},
    {"notFound", 404},
    {"conflict", 409},
    {"needs-restart", 409},
    {"unavailable", 503},
}};

/// A Content-Type with or without parameters.
bool is_of_type(std::string_view type, std::string_view expected) {
    return type == expected || (type.starts_with(expected) &&
                                (type[expected.size()] == ';' || type[expected.size()] == ' '));
}

}  // namespace

std::string_view phrase(unsigned status) {
    const auto found =
        std::ranges::find(kPhrases, status, &std::pair<unsigned, std::string_view>::first);
    return found == kPhrases.end() ? "Error" : found->second;
}

Answer problem(unsigned status, std::string_view detail, const Json &errors) {
    Json body{{"type", "about:blank"},
              {"title", phrase(status)},
              {"status", status},
              {"detail", std::string(detail)}};
    if (errors.is_array()) body["errors"] = errors;
    return {status, "application/problem+json", to_text(body)};
}

Answer problem_of(const Json &reply) {
    const std::string reason = text_of(reply, "reason");
    const auto known =
        std::ranges::find(kReasons, reason, &std::pair<std::string_view, unsigned>::first);
    const auto errors = reply.find("errors");
    Answer answer = problem(known == kReasons.end() ? 503 : known->second, text_of(reply, "error"),
                            errors == reply.end() ? Json() : *errors);
    const auto settings = reply.find("needsRestart");
    if (settings == reply.end()) return answer;
    Json body = Json::parse(answer.body);
    body["reason"] = reason;
    body["needsRestart"] = *settings;
    answer.body = to_text(body);
    return answer;
}

bool is_json(std::string_view type) {
    return is_of_type(type, "application/json");
}

bool is_plain_text(std::string_view type) {
    return is_of_type(type, "text/plain");
}

Answer json_answer(const Json &body, unsigned status) {
    return {status, "application/json", to_text(body)};
}

}  // namespace farlink::telemetry
