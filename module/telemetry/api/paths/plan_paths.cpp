// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/plan_paths.hpp"

#include <algorithm>
#include <optional>

#include "common/bp/eid/eid.hpp"
#include "module/telemetry/api/request/command_body.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

/// A request without further members.
Command ask(const char *command) {
    return {to_text({{"command", command}}), {}, kNoLink};
}

/// A request that changes the node.
Command change(const char *command) {
    Command made = ask(command);
    made.change = command;
    return made;
}

Outcome plan_change(const char *command, const Call &call, const Target &target) {
    const auto dry_run = parse_flag(target, "dryRun");
    if (!dry_run) return problem(400, "`dryRun`: expected true or false");
    auto request =
        command_of(call, {{"command", command}, {"dryRun", *dry_run}}, R"({"contacts": [...]})");
    if (!request) return std::move(request.error());
    return Command{std::move(*request), *dry_run ? std::string() : command, kNoLink};
}

/// The null endpoint is none: no bundle is for it.
bool is_endpoint(const std::string &text) {
    return bp::Eid::parse(text).has_value();
}

}  // namespace

Outcome status(const Request &) {
    return ask("status");
}

Outcome show_plan(const Request &) {
    return ask("plan show");
}

Outcome plan_history(const Request &) {
    return ask("plan history");
}

Outcome replace_plan(const Request &request) {
    if (!is_plain_text(request.call.content_type))
        return plan_change("plan replace", request.call, request.target);
    const auto dry_run = parse_flag(request.target, "dryRun");
    if (!dry_run) return problem(400, "`dryRun`: expected true or false");
    return Command{
        to_text({{"command", "plan replace"}, {"dryRun", *dry_run}, {"ion", request.call.body}}),
        *dry_run ? std::string() : "plan replace", kNoLink};
}

Outcome change_plan(const Request &request) {
    return plan_change("plan change", request.call, request.target);
}

Outcome add_contacts(const Request &request) {
    return plan_change("plan add", request.call, request.target);
}

Outcome remove_contact(const Request &request) {
    const auto dry_run = parse_flag(request.target, "dryRun");
    if (!dry_run) return problem(400, "`dryRun`: expected true or false");
    return Command{to_text({{"command", "plan remove"},
                            {"dryRun", *dry_run},
                            {"contacts", Json::array({request.number})}}),
                   *dry_run ? std::string() : "plan remove " + std::to_string(request.number),
                   kNoLink};
}

Outcome routes(const Request &) {
    return ask("routes");
}

Outcome explain(const Request &request) {
    Json question{{"command", "routes explain"}};
    for (const auto &[key, value] : request.target.query) {
        if (key == "priority") {
            question[key] = value;
        } else if (key == "critical") {
            const auto flag = parse_flag(request.target, "critical");
            if (!flag) return problem(400, "`critical`: expected true or false");
            question[key] = *flag;
        } else if (const auto number = parse_number(value, ~std::uint64_t{0})) {
            question[key] = *number;
        } else if (key != "destination") {
            return problem(400, '`' + key + "`: expected a whole number");
        } else if (is_endpoint(value)) {
            question[key] = value;
        } else {
            return problem(400, "`destination`: expected the number of a node or an endpoint");
        }
    }
    for (const char *key : {"source", "destination"})
        if (!question.contains(key))
            return problem(400, '`' + std::string(key) + "` is missing: the number of a node");
    return Command{to_text(question), {}, kNoLink};
}

Outcome drain(const Request &) {
    return change("drain");
}

Outcome resume(const Request &) {
    return change("resume");
}

Outcome confirm_clock(const Request &) {
    return change("clock confirm");
}

}  // namespace farlink::telemetry::paths
