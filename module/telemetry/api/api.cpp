// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/api.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "module/telemetry/api/paths/app_paths.hpp"
#include "module/telemetry/api/paths/config_paths.hpp"
#include "module/telemetry/api/paths/history_paths.hpp"
#include "module/telemetry/api/paths/link_paths.hpp"
#include "module/telemetry/api/paths/log_paths.hpp"
#include "module/telemetry/api/paths/plan_paths.hpp"
#include "module/telemetry/api/paths/storage_paths.hpp"
#include "module/telemetry/api/paths/view_paths.hpp"
#include "module/telemetry/api/paths/watch_paths.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::array<std::string_view, 6> kHistoryKeys{"seconds", "from",   "to",
                                                       "step",    "series", "format"};
constexpr std::array<std::string_view, 5> kEventKeys{"after", "limit", "from", "to", "format"};
constexpr std::array<std::string_view, 1> kPlanKeys{"dryRun"};
constexpr std::array<std::string_view, 1> kReloadKeys{"partial"};
constexpr std::array<std::string_view, 3> kStoredKeys{"destination", "after", "limit"};
constexpr std::array<std::string_view, 2> kFindKeys{"id", "limit"};
constexpr std::array<std::string_view, 6> kWatchKeys{"pattern", "source", "destination",
                                                     "outcome", "sample", "perSecond"};
constexpr std::array<std::string_view, 3> kOctetKeys{"stripe", "offset", "limit"};
constexpr std::array<std::string_view, 1> kVerifyKeys{"rateBytesPerSec"};
constexpr std::array<std::string_view, 3> kDeleteKeys{"destination", "after", "force"};
constexpr std::array<std::string_view, 1> kForceKeys{"force"};
constexpr std::array<std::string_view, 9> kSendKeys{"source",          "destination",  "reportTo",
                                                    "lifetimeSeconds", "priority",     "reports",
                                                    "hopLimit",        "creationTime", "sequence"};
constexpr std::array<std::string_view, 3> kReceiveKeys{"waitSeconds", "leaseSeconds",
                                                       "staySeconds"};
constexpr std::array<std::string_view, 2> kMessagesKeys{"window", "staySeconds"};
constexpr std::array<std::string_view, 8> kExplainKeys{
    "source",   "destination",     "service", "sizeBytes",
    "priority", "lifetimeSeconds", "sender",  "critical"};

/// The number in place of `*` when the path of the request matches the pattern; 0 without `*`.
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

/// The answer to a caller whose role is too low; nothing when it suffices.
std::optional<Answer> not_allowed(Role needed, Role has) {
    if (has >= needed) return std::nullopt;
    if (has == Role::kApplications)
        return problem(403, "the token can only be used to send and receive bundles");
    if (has != Role::kNone && needed == Role::kOperate && has == Role::kRead)
        return problem(
            403,
            "a request that changes the node or shows a payload requires a token with the role "
            "operate: `farlinkctl tokens make --role operate`, then `Authorization: Bearer TOKEN`");
    Answer answer = problem(
        401,
        "a token is required: `Authorization: Bearer TOKEN`; `farlinkctl tokens make` makes one");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

bool is_api(const std::vector<std::string> &path) {
    return !path.empty() && (path[0] == "api" || path[0] == "ws");
}

}  // namespace

std::span<const Api::Entry> Api::entries() {
    static const std::array<Entry, 60> all{{
        {"GET", "/healthz", Role::kNone, &paths::healthz},
        {"GET", "/readyz", Role::kNone, &paths::readyz},
        {"GET", "/metrics", Role::kRead, &paths::metrics},
        {"GET", "/api/v1/state", Role::kRead, &paths::state},
        {"GET", "/api/v1/session", Role::kNone, &paths::session},
        {"GET", "/api/v1/history", Role::kRead, &paths::history, kHistoryKeys},
        {"GET", "/api/v1/events", Role::kRead, &paths::events, kEventKeys},
        {"GET", "/api/v1/alarms", Role::kRead, &paths::alarms},
        {"GET", "/api/v1/config", Role::kRead, &paths::config},
        {"POST", "/api/v1/config/reload", Role::kOperate, &paths::reload_config, kReloadKeys},
        {"GET", "/api/v1/config/diff", Role::kRead, &paths::config_diff},
        {"POST", "/api/v1/config/revert", Role::kOperate, &paths::revert_config},
        {"POST", "/api/v1/config/save", Role::kOperate, &paths::save_config},
        {"GET", "/api/v1/links", Role::kRead, &paths::links},
        {"GET", "/api/v1/links/*", Role::kRead, &paths::link},
        {"POST", "/api/v1/links/*/up", Role::kOperate, &paths::link_up},
        {"POST", "/api/v1/links/*/down", Role::kOperate, &paths::link_down},
        {"POST", "/api/v1/links", Role::kOperate, &paths::add_link},
        {"PUT", "/api/v1/links/*", Role::kOperate, &paths::change_link},
        {"DELETE", "/api/v1/links/*", Role::kOperate, &paths::remove_link},
        {"PUT", "/api/v1/links/*/override", Role::kOperate, &paths::override_link},
        {"POST", "/api/v1/ping", Role::kOperate, &paths::ping},
        {"GET", "/api/v1/storage", Role::kRead, &paths::storage},
        {"GET", "/api/v1/custody", Role::kRead, &paths::custody},
        {"GET", "/api/v1/endpoints", Role::kRead, &paths::endpoints},
        {"GET", "/api/v1/bundles", Role::kRead, &paths::find_bundle, kFindKeys},
        {"GET", kWatchPath, Role::kRead, &paths::watch_bundles, kWatchKeys},
        {"GET", "/api/v1/storage/bundles", Role::kRead, &paths::stored_bundles, kStoredKeys},
        {"GET", "/api/v1/storage/bundles/*", Role::kRead, &paths::stored_bundle},
        {"GET", "/api/v1/storage/bundles/*/octets", Role::kOperate, &paths::stored_octets,
         kOctetKeys},
        {"DELETE", "/api/v1/storage/bundles", Role::kOperate, &paths::delete_stored_bundles,
         kDeleteKeys},
        {"DELETE", "/api/v1/storage/bundles/*", Role::kOperate, &paths::delete_stored_bundle,
         kForceKeys},
        {"GET", "/api/v1/storage/sets", Role::kRead, &paths::fragment_sets, kStoredKeys},
        {"GET", "/api/v1/storage/verification", Role::kRead, &paths::verification},
        {"POST", "/api/v1/storage/verification", Role::kOperate, &paths::verify, kVerifyKeys},
        {"DELETE", "/api/v1/storage/verification", Role::kOperate, &paths::cancel_verification},
        {"GET", "/api/v1/storage/compaction", Role::kRead, &paths::compaction},
        {"POST", "/api/v1/storage/compaction", Role::kOperate, &paths::compact},
        {"DELETE", "/api/v1/storage/compaction", Role::kOperate, &paths::cancel_compaction},
        {"GET", "/api/v1/storage/holds", Role::kRead, &paths::holds},
        {"PUT", "/api/v1/storage/holds/*", Role::kOperate, &paths::hold},
        {"DELETE", "/api/v1/storage/holds/*", Role::kOperate, &paths::release},
        {"GET", "/api/v1/status", Role::kRead, &paths::status},
        {"GET", "/api/v1/contact-plan", Role::kRead, &paths::show_plan},
        {"PUT", "/api/v1/contact-plan", Role::kOperate, &paths::replace_plan, kPlanKeys},
        {"PATCH", "/api/v1/contact-plan", Role::kOperate, &paths::change_plan, kPlanKeys},
        {"GET", "/api/v1/contact-plan/history", Role::kRead, &paths::plan_history},
        {"POST", "/api/v1/contact-plan/contacts", Role::kOperate, &paths::add_contacts, kPlanKeys},
        {"DELETE", "/api/v1/contact-plan/contacts/*", Role::kOperate, &paths::remove_contact,
         kPlanKeys},
        {"GET", "/api/v1/routes", Role::kRead, &paths::routes},
        {"GET", "/api/v1/routes/explain", Role::kRead, &paths::explain, kExplainKeys},
        {"POST", "/api/v1/drain", Role::kOperate, &paths::drain},
        {"POST", "/api/v1/resume", Role::kOperate, &paths::resume},
        {"POST", "/api/v1/clock/confirm", Role::kOperate, &paths::confirm_clock},
        {"GET", "/api/v1/log", Role::kRead, &paths::log_levels},
        {"PUT", "/api/v1/log/?", Role::kOperate, &paths::set_log_level},
        // These depend on the endpoints of the token.
        {"POST", kBundlesPath, Role::kNone, &paths::send_bundle, kSendKeys},
        {"POST", "/api/v1/endpoints/?/receive", Role::kNone, &paths::receive_bundle, kReceiveKeys},
        {"GET", "/api/v1/endpoints/?/messages", Role::kNone, &paths::messages, kMessagesKeys},
        {"DELETE", "/api/v1/leases/?", Role::kNone, &paths::accept_bundle},
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
        if (entry.method == method)
            return run(entry, {call, *target, *number, moment, view_, config_});
        allowed += (allowed.empty() ? "" : ", ") + std::string(entry.method);
    }
    if (allowed.empty() && !is_api(target->path) && method == "GET")
        return StaticFile{target->path};
    if (allowed.empty() && is_api(target->path))
        return problem(404, "no such path; docs/api/openapi.yaml lists them");
    Answer answer = problem(405, "the method is not allowed for this path");
    answer.headers.emplace_back("Allow", allowed.empty() ? "GET" : allowed);
    return answer;
}

Outcome Api::run(const Entry &entry, const Request &request) {
    if (auto answer = not_allowed(entry.role, request.call.role)) return std::move(*answer);
    for (const auto &[key, value] : request.target.query)
        if (std::ranges::find(entry.keys, key) == entry.keys.end())
            return problem(
                400, entry.keys.empty()
                         ? std::string("the path accepts no query")
                         : "the query has an unknown key; expected one of " + listed(entry.keys));
    return entry.handler(request);
}

bool Api::takes_payload(std::string_view method, std::string_view target) {
    return method == "POST" && target.substr(0, target.find('?')) == kBundlesPath;
}

bool Api::is_of_applications(std::string_view target) {
    const std::string_view path = target.substr(0, target.find('?'));
    return path == kBundlesPath || path.starts_with("/api/v1/leases/") ||
           path.starts_with("/api/v1/endpoints/");
}

bool Api::wants_websocket(std::string_view target) {
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == kWatchPath) return true;
    return path.starts_with("/api/v1/endpoints/") && path.ends_with("/messages");
}

std::uint64_t Api::body_limit(std::string_view method, std::string_view target) {
    const bool plan = (method == "PUT" || method == "PATCH" || method == "POST") &&
                      target.starts_with("/api/v1/contact-plan");
    return plan ? kMostPlanBytes : kMostBodyBytes;
}

Answer Api::answer_of(const Command &command, std::string_view reply) {
    // The reply is passed on as text, since parsing a large plan costs more than the rest.
    constexpr std::string_view kDone = R"({"ok":true,)";
    if (command.render == nullptr && reply.starts_with(kDone))
        return {200, "application/json", '{' + std::string(reply.substr(kDone.size()))};
    const Json body = Json::parse(reply, nullptr, false);
    const auto ok = body.is_object() ? body.find("ok") : body.end();
    if (!body.is_object() || ok == body.end())
        return problem(503, "no reply from the supervisor of the node; try again");
    if (*ok != true) return problem_of(body);
    return command.render == nullptr ? json_answer(Json::object()) : command.render(body);
}

}  // namespace farlink::telemetry
