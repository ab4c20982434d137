// SPDX-License-Identifier: Apache-2.0
#include "module/control/state_commands.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "module/control/core/replies.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t kFirstError = 400;
constexpr std::uint16_t kNotFound = 404;
constexpr std::uint16_t kUnavailable = 503;
constexpr std::size_t kMostPathBytes = 4096;

Refusal refusal_of(std::uint16_t status) {
    if (status == kNotFound) return Refusal::kNotFound;
    return status == kUnavailable ? Refusal::kUnavailable : Refusal::kMalformed;
}

std::string text_of(const Json &reply) {
    return reply.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string refused(std::uint16_t status, std::string_view body) {
    const Json problem = Json::parse(body, nullptr, false);
    const auto detail = problem.is_object() ? problem.find("detail") : problem.end();
    const bool published = problem.is_object() && detail != problem.end() && detail->is_string();
    return text_of(error_reply(refusal_of(status), published ? detail->get<std::string>()
                                                             : std::string("telemetry refuses")));
}

}  // namespace

// A state of 1,000 links is not read here, only to be written again: what telemetry has written as
// JSON stands on one line.
std::string shown(std::uint16_t status, std::string_view body) {
    if (status >= kFirstError) return refused(status, body);
    if (!body.starts_with('{')) return text_of({{"ok", true}, {"text", std::string(body)}});
    const std::string_view members = body.substr(1);
    return std::string(R"({"ok":true)") + (members.starts_with('}') ? "" : ",") +
           std::string(members);
}

void show_state(PendingRequests &requests, const Json &request, const Commands::Reply &reply) {
    const auto path = request.find("path");
    if (path == request.end() || !path->is_string() ||
        path->get_ref<const std::string &>().size() > kMostPathBytes)
        return reply(text_of(error_reply(
            Refusal::kMalformed,
            "`path` is missing: a path of the HTTP API, such as /api/v1/state, as text")));
    requests.ask_state(
        path->get_ref<const std::string &>(),
        [reply](const std::optional<bus::StateReply> &answer) {
            if (!answer)
                return reply(text_of(error_reply(Refusal::kUnavailable,
                                                 "telemetry does not answer; `status` tells "
                                                 "how the modules are")));
            reply(shown(answer->status, as_text(answer->body)));
        });
}

}  // namespace farlink::app
