// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/state_commands.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "module/control/core/json/replies.hpp"

namespace farlink::control {
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

Json refused(std::uint16_t status, const Json &problem) {
    const auto detail = problem.is_object() ? problem.find("detail") : problem.end();
    const bool has_detail = problem.is_object() && detail != problem.end() && detail->is_string();
    return error_reply(refusal_of(status), has_detail
                                               ? detail->get<std::string>()
                                               : std::string("telemetry refused the request"));
}

}  // namespace

Json shown(std::uint16_t status, std::string_view body) {
    const Json answer = Json::parse(body, nullptr, false);
    if (status >= kFirstError) return refused(status, answer);
    Json reply{{"ok", true}};
    if (!answer.is_object()) {
        reply["text"] = std::string(body);
        return reply;
    }
    // As a vector: the object's own way to add a member searches all that are there.
    auto &members = reply.get_ref<Json::object_t &>();
    for (const auto &[key, value] : answer.items()) members.emplace_back(key, value);
    return reply;
}

void show_state(PendingRequests &requests, const Json &request, const Answer &answer,
                const WallClock &now) {
    const auto path = request.find("path");
    if (path == request.end() || !path->is_string() ||
        path->get_ref<const std::string &>().size() > kMostPathBytes)
        return answer(error_reply(
            Refusal::kMalformed,
            "`path`: expected a path of the HTTP API as text, such as \"/api/v1/state\""));
    requests.request_state(
        path->get_ref<const std::string &>(),
        [answer](const std::optional<bus::StateReply> &reply, const WallClock &) {
            if (!reply)
                return answer(error_reply(
                    Refusal::kUnavailable,
                    "telemetry does not reply; `status` lists the states of the modules"));
            answer(shown(reply->status, as_text(reply->body)));
        },
        now);
}

void request_condition(PendingRequests &requests, TakeCondition take, const WallClock &now) {
    requests.request_state(
        "/readyz",
        [take = std::move(take)](const std::optional<bus::StateReply> &reply,
                                 const WallClock &later) {
            const Json answer =
                reply ? Json::parse(as_text(reply->body), nullptr, false) : Json::object();
            Json condition = Json::object();
            if (answer.is_object())
                for (const char *member : {"degraded", "alarms"})
                    if (answer.contains(member)) condition[member] = answer[member];
            take(condition, later);
        },
        now);
}

}  // namespace farlink::control
