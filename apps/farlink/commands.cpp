// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/commands.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "apps/farlink/log_commands.hpp"
#include "apps/farlink/replies.hpp"
#include "apps/farlink/request_json.hpp"
#include "apps/farlink/route_replies.hpp"
#include "apps/farlink/state_commands.hpp"
#include "common/bus/wire_hello.hpp"
#include "common/config/json_document.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

/// Of an entry.
constexpr bool kChanges = true;

constexpr const char *kNoAnswer = "the modules of the node do not answer";
constexpr const char *kDelivered = "it is for this node, and is delivered here";

void send(const Commands::Reply &reply, const Json &body) {
    // Whatever a client has sent comes back as something that is JSON.
    reply(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::function<void(const Json &)> answer_to(const Commands::Reply &reply) {
    return [reply](const Json &body) { send(reply, body); };
}

std::string text_of(const Json &body, const char *key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What is wrong with the keys of a request, or nothing.
std::string wrong_key(const Json &body, std::string_view command,
                      std::vector<std::string_view> keys) {
    keys.insert(keys.begin(), "command");
    for (const auto &[key, value] : body.items())
        if (std::ranges::find(keys, std::string_view(key)) == keys.end())
            return '`' + std::string(command) + "` has no key " + config::in_quotes(key) +
                   "; it has " + config::alternatives(keys, false);
    const auto dry_run = body.find("dryRun");
    if (dry_run != body.end() && !dry_run->is_boolean())
        return "`dryRun` is neither true nor false";
    return {};
}

}  // namespace

Commands::Commands(boost::asio::io_context &io, const config::NodeConfig &config, PlanKeeper &plan,
                   Questions &questions, HoldKeeper &holds, NodeHooks hooks)
    : config_(config),
      questions_(questions),
      hooks_(std::move(hooks)),
      plan_(plan, questions),
      links_(io, config, questions),
      pings_(io, config, questions),
      storage_(config, questions, holds),
      started_(monotonic_now()) {}

const std::vector<Commands::Entry> &Commands::entries() {
    const std::vector<std::string_view> change{"contacts", "dryRun"};
    static const std::vector<Entry> all{
        {"clock confirm", &Commands::confirm_clock, {}, kChanges},
        {"status", &Commands::status},
        {"drain", &Commands::drain, {}, kChanges},
        {"resume", &Commands::drain, {}, kChanges},
        {"link up", &Commands::link<&LinkCommands::enable>, {"link"}, kChanges},
        {"link down", &Commands::link<&LinkCommands::enable>, {"link"}, kChanges},
        {"link set",
         &Commands::link<&LinkCommands::set>,
         {"link", "rateBitsPerSec", "owlt"},
         kChanges},
        {"link add",
         &Commands::link<&LinkCommands::add>,
         {"direction", "config", "link"},
         kChanges},
        {"link change", &Commands::link<&LinkCommands::change>, {"link", "config"}, kChanges},
        {"link remove", &Commands::link<&LinkCommands::remove>, {"link"}, kChanges},
        {"ping", &Commands::ping, {"destination", "sizeBytes", "timeoutSeconds", "version"}},
        {"routes", &Commands::routes},
        {"routes explain",
         &Commands::explain_route,
         {"source", "destination", "service", "sizeBytes", "priority", "lifetimeSeconds", "sender",
          "critical"}},
        {"storage list", &Commands::list_stored, {"destination", "bundles", "after", "limit"}},
        {"storage delete",
         &Commands::delete_stored,
         {"destination", "bundles", "after", "force"},
         kChanges},
        {"storage hold", &Commands::hold, {"destination"}, kChanges},
        {"storage release", &Commands::hold, {"destination"}, kChanges},
        {"storage holds", &Commands::holds},
        {"show", &Commands::show, {"path"}},
        {"log level", &Commands::log_level, {"logger", "level"}, kChanges},
        {"plan show", &Commands::plan<&PlanCommands::show>},
        {"plan history", &Commands::plan<&PlanCommands::history>},
        {"plan replace", &Commands::plan<&PlanCommands::change>, change, kChanges},
        {"plan add", &Commands::plan<&PlanCommands::change>, change, kChanges},
        {"plan change", &Commands::plan<&PlanCommands::change>, change, kChanges},
        {"plan remove", &Commands::plan<&PlanCommands::change>, change, kChanges}};
    return all;
}

void Commands::handle(const Caller &caller, const std::string &request, const Reply &reply) {
    auto body = parse_request(request);
    if (!body) return send(reply, error_reply(Refusal::kMalformed, body.error()));
    Request parsed{std::move(*body), caller, reply};
    const std::string name = text_of(parsed.body, "command");
    const auto entry = std::ranges::find(entries(), name, &Entry::name);
    if (entry != entries().end()) {
        const std::string wrong = wrong_key(parsed.body, name, entry->keys);
        if (entry->changes) parsed.reply = audited(*entry, parsed, request.size());
        if (!wrong.empty()) return send(parsed.reply, error_reply(Refusal::kMalformed, wrong));
        return (this->*entry->handler)(parsed);
    }
    std::vector<std::string_view> names;
    for (const Entry &each : entries()) names.push_back(each.name);
    send(reply,
         error_reply(Refusal::kMalformed, "no such command: " + config::in_quotes(name) +
                                              "; there are " + config::alternatives(names, false)));
}

// What only looks at the node, or at what a change would do, leaves no line.
Commands::Reply Commands::audited(const Entry &entry, const Request &request,
                                  std::size_t bytes) const {
    const bool looks = request.body.value("dryRun", Json(false)) == true ||
                       (entry.name == "log level" && !request.body.contains("level"));
    if (request.caller.audited || looks) return request.reply;
    AuditEntry line{.who = "user " + request.caller.name + " by the control socket",
                    .change = std::string(entry.name),
                    .values = audit_values(request.body, bytes)};
    return [audit = hooks_.audit, line, reply = request.reply](const std::string &answer) mutable {
        line.time = read_wall_clock().dtn_ms;
        const Json told = Json::parse(answer, nullptr, false);
        line.done = told.is_object() && told.value("ok", false);
        if (!line.done && told.is_object()) line.detail = told.value("error", std::string());
        audit(line);
        reply(answer);
    };
}

void Commands::handle_ready(const bus::ModuleReady &ready) {
    links_.handle_ports(ready.ports);
    links_.handle_ready(ready.module);
}

void Commands::handle_lost(bus::AgentId module) {
    links_.handle_lost(module);
    pings_.handle_lost(module);
}

void Commands::confirm_clock(const Request &request) {
    log_.info("the clock is confirmed by {}", request.caller.name);
    hooks_.confirm_clock();
    send(request.reply, {{"ok", true}});
}

void Commands::drain(const Request &request) {
    const bool on = text_of(request.body, "command") == "drain";
    if (on != hooks_.drained())
        log_.info("{} by {}: {}", on ? "drained" : "resumed", request.caller.name,
                  on ? "nothing new is taken" : "new bundles are taken again");
    hooks_.drain(on);
    send(request.reply, {{"ok", true}, {"drained", on}});
}

Json Commands::modules_json() const {
    Json states = Json::object();
    for (const bus::AgentId module : bus::modules_with(config_.threads.instances))
        states[std::string(bus::name_of(module))] = hooks_.module_state(module);
    return states;
}

void Commands::status(const Request &request) {
    questions_.ask_links([this, reply = request.reply](const auto &links) {
        if (!links) return send(reply, error_reply(Refusal::kUnavailable, kNoAnswer));
        const auto up = std::chrono::duration_cast<seconds>(monotonic_now() - started_);
        send(reply, {{"ok", true},
                     {"node", config_.node.value()},
                     {"time", moment(read_wall_clock().dtn_ms)},
                     {"uptimeSeconds", up.count()},
                     {"drained", hooks_.drained()},
                     {"modules", modules_json()},
                     {"plan", plan_.to_json()},
                     {"links", links_json(*links)},
                     {"inducts", links_.inducts()}});
    });
}

template <auto Change>
void Commands::plan(const Request &request) {
    (plan_.*Change)(request.body, request.caller, answer_to(request.reply));
}

template <auto Steer>
void Commands::link(const Request &request) {
    (links_.*Steer)(request.body, request.caller, answer_to(request.reply));
}

void Commands::ping(const Request &request) {
    pings_.ping(request.body, answer_to(request.reply));
}

void Commands::ask_links_and_routes(const Reply &reply, const LinksAndRoutes &handler) {
    questions_.ask_links([=, this](const auto &links) {
        if (!links) return send(reply, error_reply(Refusal::kUnavailable, kNoAnswer));
        questions_.ask_routes([reply, handler, known = links->links](const auto &routes) {
            if (!routes) return send(reply, error_reply(Refusal::kUnavailable, kNoAnswer));
            handler(known, *routes);
        });
    });
}

void Commands::routes(const Request &request) {
    ask_links_and_routes(request.reply, [=, this](const auto &links, const auto &routes) {
        Json rules{{"ok", true}};
        rules.update(rules_json(config_.routing, routes, links));
        send(request.reply, rules);
    });
}

// As ingress would decide now, with the same table.
void Commands::explain_route(const Request &request) {
    ask_links_and_routes(request.reply, [=, this](const auto &links, const auto &routes) {
        const DtnTime now = read_wall_clock().dtn_ms;
        routing::ForwardingTable table(config_.routing);
        table.handle(routes);
        const auto bundle = facts_of(request.body, table, now);
        if (!bundle) return send(request.reply, error_reply(Refusal::kInvalid, bundle.error()));
        const auto critical = asks_critical(request.body, *bundle, table);
        if (!critical) return send(request.reply, error_reply(Refusal::kInvalid, critical.error()));
        if (bundle->destination == config_.node)
            return send(request.reply,
                        {{"ok", true}, {"ways", Json::array()}, {"outcome", kDelivered}});
        const auto takes = [&](const routing::NextHop &hop) {
            const auto link = std::ranges::find(links, hop.link, &bus::LinkEntry::link);
            const bool open = link != links.end() && link->planned && link->connected;
            return !open || bundle->size_bytes <= link->max_bundle_bytes;
        };
        // Critical bundles, and all where the configuration says so, pass what waits.
        const bool passes = *critical || config_.storage.overtake;
        const std::uint64_t waiting =
            passes ? 0 : questions_.waiting_bytes(bundle->destination, bundle->priority);
        send(request.reply, explanation_json(*bundle,
                                             *critical ? table.explain_all(*bundle, now)
                                                       : table.explain(*bundle, now, takes),
                                             {links, waiting}));
    });
}

// ---- what is stored
// ------------------------------------------------------------------------------

void Commands::list_stored(const Request &request) {
    storage_.list(request.body, [reply = request.reply](const Json &told) { send(reply, told); });
}

void Commands::delete_stored(const Request &request) {
    storage_.remove(request.body, request.caller,
                    [reply = request.reply](const Json &told) { send(reply, told); });
}

void Commands::hold(const Request &request) {
    const bool held = text_of(request.body, "command") == "storage hold";
    storage_.hold(request.body, held, request.caller,
                  [reply = request.reply](const Json &told) { send(reply, told); });
}

void Commands::holds(const Request &request) {
    send(request.reply, storage_.holds());
}

void Commands::show(const Request &request) {
    if (hooks_.module_state(bus::AgentId::kTelemetry) == "lost")
        return send(request.reply, error_reply(Refusal::kUnavailable, "telemetry is lost"));
    show_state(questions_, request.body, request.reply);
}

void Commands::log_level(const Request &request) {
    send(request.reply, log_level_reply(request.body, request.caller, hooks_.change_log));
}

}  // namespace farlink::app
