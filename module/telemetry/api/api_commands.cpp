// SPDX-License-Identifier: Apache-2.0
// The paths of the API that are commands of the node: docs/formats/control.md has the commands.
#include <algorithm>
#include <optional>

#include "module/telemetry/api/api.hpp"
#include "module/telemetry/api/problem.hpp"

namespace farlink::telemetry {
namespace {

Answer only_link(const Json &reply) {
    const auto link = reply.find("link");
    return link == reply.end() ? problem(503, "the supervisor told no link")
                               : json_answer({{"link", *link}});
}

/// An ask without further keys.
Command ask(const char *command) {
    return {to_text({{"command", command}}), {}, kNoLink};
}

std::optional<bool> parse_flag(const Target &target, const char *key) {
    const auto found = target.query.find(key);
    if (found == target.query.end() || found->second == "false") return false;
    if (found->second == "true") return true;
    return std::nullopt;
}

/// The body, an object, with what is said beside it put in front. Nobody reads it here: the
/// supervisor refuses what is no JSON, and a key that stands twice, so that a body cannot say
/// another command or another dryRun.
std::optional<std::string> with_command(std::string_view body, const Json &front) {
    const std::size_t open = body.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || body[open] != '{') return std::nullopt;
    const std::string_view rest = body.substr(open + 1);
    const std::size_t next = rest.find_first_not_of(" \t\r\n");
    std::string text = to_text(front);
    text.pop_back();
    if (next != std::string_view::npos && rest[next] != '}') text += ',';
    return text.append(rest);
}

Outcome plan_change(const char *command, const Call &call, const Target &target) {
    const auto dry_run = parse_flag(target, "dryRun");
    if (!dry_run) return problem(400, "`dryRun` is neither true nor false");
    if (!is_json(call.content_type))
        return problem(415, "expected a body with `Content-Type: application/json`");
    const auto request = with_command(call.body, {{"command", command}, {"dryRun", *dry_run}});
    if (!request) return problem(400, "the body is no JSON object; expected {\"contacts\": [...]}");
    return Command{*request, *dry_run ? std::string() : command, kNoLink};
}

Outcome link_command(const char *command, std::uint64_t number) {
    constexpr std::uint64_t kLargest = 0xffffffff;
    if (number > kLargest) return problem(404, "there is no such link; /api/v1/links lists them");
    return Command{to_text({{"command", command}, {"link", number}}),
                   std::string(command) + ' ' + std::to_string(number),
                   LinkId{static_cast<std::uint32_t>(number)}, only_link};
}

}  // namespace

Outcome Api::status(const Request &) {
    return ask("status");
}

Outcome Api::link_up(const Request &request) {
    return link_command("link up", request.number);
}

Outcome Api::link_down(const Request &request) {
    return link_command("link down", request.number);
}

Outcome Api::show_plan(const Request &) {
    return ask("plan show");
}

Outcome Api::plan_history(const Request &) {
    return ask("plan history");
}

Outcome Api::replace_plan(const Request &request) {
    return plan_change("plan replace", request.call, request.target);
}

Outcome Api::change_plan(const Request &request) {
    return plan_change("plan change", request.call, request.target);
}

Outcome Api::add_contacts(const Request &request) {
    return plan_change("plan add", request.call, request.target);
}

Outcome Api::remove_contact(const Request &request) {
    const auto dry_run = parse_flag(request.target, "dryRun");
    if (!dry_run) return problem(400, "`dryRun` is neither true nor false");
    return Command{to_text({{"command", "plan remove"},
                            {"dryRun", *dry_run},
                            {"contacts", Json::array({request.number})}}),
                   *dry_run ? std::string() : "plan remove " + std::to_string(request.number),
                   kNoLink};
}

Outcome Api::routes(const Request &) {
    return ask("routes");
}

Outcome Api::explain(const Request &request) {
    Json question{{"command", "routes explain"}};
    for (const auto &[key, value] : request.target.query) {
        if (key == "priority") {
            question[key] = value;
        } else if (key == "critical") {
            const auto flag = parse_flag(request.target, "critical");
            if (!flag) return problem(400, "`critical` is neither true nor false");
            question[key] = *flag;
        } else if (const auto number = parse_number(value, ~std::uint64_t{0})) {
            question[key] = *number;
        } else {
            return problem(400, '`' + key + "`: expected a whole number");
        }
    }
    for (const char *key : {"source", "destination"})
        if (!question.contains(key))
            return problem(400, '`' + std::string(key) + "` is missing: the number of a node");
    return Command{to_text(question), {}, kNoLink};
}

Outcome Api::confirm_clock(const Request &) {
    Command command = ask("clock confirm");
    command.change = "clock confirm";
    return command;
}

}  // namespace farlink::telemetry
