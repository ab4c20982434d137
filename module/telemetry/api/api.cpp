// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/api.hpp"

#include <algorithm>
#include <optional>

#include "module/telemetry/api/problem.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::array<std::string_view, 2> kHistoryKeys{"seconds", "series"};
constexpr std::array<std::string_view, 2> kEventKeys{"after", "limit"};
constexpr std::array<std::string_view, 1> kPlanKeys{"dryRun"};
constexpr std::array<std::string_view, 3> kStoredKeys{"destination", "after", "limit"};
constexpr std::array<std::string_view, 3> kOctetKeys{"stripe", "offset", "limit"};
constexpr std::array<std::string_view, 1> kVerifyKeys{"rateBytesPerSec"};
constexpr std::array<std::string_view, 3> kDeleteKeys{"destination", "after", "force"};
constexpr std::array<std::string_view, 1> kForceKeys{"force"};
constexpr std::array<std::string_view, 8> kExplainKeys{
    "source",   "destination",     "service", "sizeBytes",
    "priority", "lifetimeSeconds", "sender",  "critical"};

/// Where a path of the request fits one of the table; the number in place of `*`.
std::optional<std::uint64_t> fit(std::string_view pattern, const std::vector<std::string> &path) {
    std::uint64_t number = 0;
    std::size_t place = 0;
    pattern.remove_prefix(1);
    for (;; ++place) {
        const std::size_t slash = pattern.find('/');
        const std::string_view part = pattern.substr(0, slash);
        if (place == path.size()) return std::nullopt;
        if (part == "*") {
            const auto found = parse_number(path[place], ~std::uint64_t{0});
            if (!found) return std::nullopt;
            number = *found;
        } else if (part != "?" && part != path[place]) {
            return std::nullopt;
        }
        if (slash == std::string_view::npos) break;
        pattern.remove_prefix(slash + 1);
    }
    if (place + 1 != path.size()) return std::nullopt;
    return number;
}

std::string listed(std::span<const std::string_view> keys) {
    std::string text;
    for (const std::string_view key : keys) text += (text.empty() ? "" : ", ") + std::string(key);
    return text;
}

/// The answer to somebody who may not; nothing: he may.
std::optional<Answer> not_allowed(Role needed, Role has) {
    if (has >= needed) return std::nullopt;
    if (has != Role::kNone && needed == Role::kOperate && has == Role::kRead)
        return problem(403,
                       "this changes the node, or shows a payload, and needs a token with the role "
                       "operate: "
                       "`farlinkctl tokens make --role operate`, then `Authorization: "
                       "Bearer TOKEN`");
    Answer answer = problem(401,
                            "a token is needed: `Authorization: Bearer TOKEN`; `farlinkctl "
                            "tokens make` makes one");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

bool is_api(const std::vector<std::string> &path) {
    return !path.empty() && (path[0] == "api" || path[0] == "ws");
}

}  // namespace

std::span<const Api::Entry> Api::entries() {
    static const std::array<Entry, 47> all{{
        {"GET", "/healthz", Role::kNone, &Api::healthz},
        {"GET", "/readyz", Role::kNone, &Api::readyz},
        {"GET", "/metrics", Role::kRead, &Api::metrics},
        {"GET", "/api/v1/state", Role::kRead, &Api::state},
        {"GET", "/api/v1/session", Role::kNone, &Api::session},
        {"GET", "/api/v1/history", Role::kRead, &Api::history, kHistoryKeys},
        {"GET", "/api/v1/events", Role::kRead, &Api::events, kEventKeys},
        {"GET", "/api/v1/config", Role::kRead, &Api::config},
        {"GET", "/api/v1/links", Role::kRead, &Api::links},
        {"GET", "/api/v1/links/*", Role::kRead, &Api::link},
        {"POST", "/api/v1/links/*/up", Role::kOperate, &Api::link_up},
        {"POST", "/api/v1/links/*/down", Role::kOperate, &Api::link_down},
        {"POST", "/api/v1/links", Role::kOperate, &Api::add_link},
        {"PUT", "/api/v1/links/*", Role::kOperate, &Api::change_link},
        {"DELETE", "/api/v1/links/*", Role::kOperate, &Api::remove_link},
        {"PUT", "/api/v1/links/*/override", Role::kOperate, &Api::override_link},
        {"POST", "/api/v1/ping", Role::kOperate, &Api::ping},
        {"GET", "/api/v1/storage", Role::kRead, &Api::storage},
        {"GET", "/api/v1/custody", Role::kRead, &Api::custody},
        {"GET", "/api/v1/storage/bundles", Role::kRead, &Api::stored_bundles, kStoredKeys},
        {"GET", "/api/v1/storage/bundles/*", Role::kRead, &Api::stored_bundle},
        {"GET", "/api/v1/storage/bundles/*/octets", Role::kOperate, &Api::stored_octets,
         kOctetKeys},
        {"DELETE", "/api/v1/storage/bundles", Role::kOperate, &Api::delete_stored_bundles,
         kDeleteKeys},
        {"DELETE", "/api/v1/storage/bundles/*", Role::kOperate, &Api::delete_stored_bundle,
         kForceKeys},
        {"GET", "/api/v1/storage/verification", Role::kRead, &Api::verification},
        {"POST", "/api/v1/storage/verification", Role::kOperate, &Api::verify, kVerifyKeys},
        {"DELETE", "/api/v1/storage/verification", Role::kOperate, &Api::cancel_verification},
        {"GET", "/api/v1/storage/compaction", Role::kRead, &Api::compaction},
        {"POST", "/api/v1/storage/compaction", Role::kOperate, &Api::compact},
        {"DELETE", "/api/v1/storage/compaction", Role::kOperate, &Api::cancel_compaction},
        {"GET", "/api/v1/storage/holds", Role::kRead, &Api::holds},
        {"PUT", "/api/v1/storage/holds/*", Role::kOperate, &Api::hold},
        {"DELETE", "/api/v1/storage/holds/*", Role::kOperate, &Api::release},
        {"GET", "/api/v1/status", Role::kRead, &Api::status},
        {"GET", "/api/v1/contact-plan", Role::kRead, &Api::show_plan},
        {"PUT", "/api/v1/contact-plan", Role::kOperate, &Api::replace_plan, kPlanKeys},
        {"PATCH", "/api/v1/contact-plan", Role::kOperate, &Api::change_plan, kPlanKeys},
        {"GET", "/api/v1/contact-plan/history", Role::kRead, &Api::plan_history},
        {"POST", "/api/v1/contact-plan/contacts", Role::kOperate, &Api::add_contacts, kPlanKeys},
        {"DELETE", "/api/v1/contact-plan/contacts/*", Role::kOperate, &Api::remove_contact,
         kPlanKeys},
        {"GET", "/api/v1/routes", Role::kRead, &Api::routes},
        {"GET", "/api/v1/routes/explain", Role::kRead, &Api::explain, kExplainKeys},
        {"POST", "/api/v1/drain", Role::kOperate, &Api::drain},
        {"POST", "/api/v1/resume", Role::kOperate, &Api::resume},
        {"POST", "/api/v1/clock/confirm", Role::kOperate, &Api::confirm_clock},
        {"GET", "/api/v1/log", Role::kRead, &Api::log_levels},
        {"PUT", "/api/v1/log/?", Role::kOperate, &Api::set_log_level},
    }};
    return all;
}

Outcome Api::handle(const Call &call, const Moment &moment) {
    const auto target = parse_target(call.target);
    if (!target) return problem(400, target.error());
    const std::string_view method = call.method == "HEAD" ? "GET" : std::string_view(call.method);
    std::string allowed;
    for (const Entry &entry : entries()) {
        const auto number = fit(entry.path, target->path);
        if (!number) continue;
        if (entry.method == method) return run(entry, {call, *target, *number, moment});
        allowed += (allowed.empty() ? "" : ", ") + std::string(entry.method);
    }
    if (allowed.empty() && !is_api(target->path) && method == "GET")
        return StaticFile{target->path};
    if (allowed.empty() && is_api(target->path))
        return problem(404, "there is no such path; docs/api/openapi.yaml lists them");
    Answer answer = problem(405, "the path does not take this method");
    answer.headers.emplace_back("Allow", allowed.empty() ? "GET" : allowed);
    return answer;
}

Outcome Api::run(const Entry &entry, const Request &request) {
    if (auto answer = not_allowed(entry.role, request.call.role)) return std::move(*answer);
    for (const auto &[key, value] : request.target.query)
        if (std::ranges::find(entry.keys, key) == entry.keys.end())
            return problem(400, entry.keys.empty() ? std::string("the path takes no query")
                                                   : "the query has an unknown key; there are " +
                                                         listed(entry.keys));
    return (this->*entry.handler)(request);
}

std::uint64_t Api::body_limit(std::string_view method, std::string_view target) {
    const bool plan = (method == "PUT" || method == "PATCH" || method == "POST") &&
                      target.starts_with("/api/v1/contact-plan");
    return plan ? kMostPlanBytes : kMostBodyBytes;
}

Answer Api::answer_of(const Command &command, std::string_view reply) {
    // A whole plan is not read here, only to be written again.
    constexpr std::string_view kDone = R"({"ok":true,)";
    if (command.render == nullptr && reply.starts_with(kDone))
        return {200, "application/json", '{' + std::string(reply.substr(kDone.size()))};
    const Json body = Json::parse(reply, nullptr, false);
    const auto ok = body.is_object() ? body.find("ok") : body.end();
    if (!body.is_object() || ok == body.end())
        return problem(503, "the node's supervisor does not answer");
    if (*ok != true) return problem_of(body);
    return command.render == nullptr ? json_answer(Json::object()) : command.render(body);
}

// ---- what the server knows itself ---------------------------------------------------------------

Outcome Api::healthz(const Request &) {
    return Answer{200, "text/plain; charset=utf-8", "ok\n"};
}

Outcome Api::readyz(const Request &) {
    const Json missing = view_.state().not_ready();
    return json_answer(
        {{"ready", missing.empty()}, {"notReady", missing}, {"degraded", view_.state().degraded()}},
        missing.empty() ? 200 : 503);
}

Outcome Api::metrics(const Request &) {
    return Answer{200, "text/plain; version=0.0.4; charset=utf-8", view_.metrics()};
}

Outcome Api::state(const Request &request) {
    return json_answer(view_.document(request.moment));
}

Outcome Api::session(const Request &request) {
    return json_answer({{"role", to_string(request.call.role)}});
}

Outcome Api::history(const Request &request) {
    std::uint64_t seconds = History::kMostPoints;
    const auto &query = request.target.query;
    if (const auto wanted = query.find("seconds"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, History::kMostPoints);
        if (!number || *number == 0)
            return problem(400, "`seconds`: expected a whole number from 1 to 3600");
        seconds = *number;
    }
    std::vector<std::string> names;
    if (const auto wanted = query.find("series"); wanted != query.end()) {
        std::string_view rest = wanted->second;
        for (;;) {
            const std::size_t comma = rest.find(',');
            names.emplace_back(rest.substr(0, comma));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    return Answer{200, "application/json",
                  view_.history().to_json(static_cast<std::size_t>(seconds), names)};
}

Outcome Api::events(const Request &request) {
    std::uint64_t limit = 200;
    const EventLog &events = view_.events();
    const auto &query = request.target.query;
    if (const auto wanted = query.find("limit"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, EventLog::kMostEvents);
        if (!number || *number == 0)
            return problem(400, "`limit`: expected a whole number from 1 to 1000");
        limit = *number;
    }
    std::uint64_t after = events.last() - std::min(events.last(), limit);
    if (const auto wanted = query.find("after"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, ~std::uint64_t{0});
        if (!number) return problem(400, "`after`: expected the number of an event");
        after = *number;
    }
    return json_answer({{"events", events.after(after, static_cast<std::size_t>(limit))}});
}

Outcome Api::config(const Request &) {
    return Answer{200, "application/json", config_};
}

Outcome Api::links(const Request &request) {
    Json list = Json::array();
    for (const Json &link : view_.document(request.moment)["links"]) list.push_back(link);
    return json_answer({{"links", std::move(list)}});
}

Outcome Api::link(const Request &request) {
    const Json &links = view_.document(request.moment)["links"];
    const auto found = links.find(std::to_string(request.number));
    if (found == links.end())
        return problem(404, "there is no such link; /api/v1/links lists them");
    return json_answer({{"link", *found}});
}

Outcome Api::storage(const Request &request) {
    const Json &document = view_.document(request.moment);
    Json pending = Json::array();
    for (const Json &each : document["pending"]) pending.push_back(each);
    return json_answer({{"storage", document["storage"]}, {"pending", std::move(pending)}});
}

Outcome Api::custody(const Request &request) {
    return json_answer(view_.custody(request.moment));
}

}  // namespace farlink::telemetry
