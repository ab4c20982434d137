// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/commands.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/config/fields/json_document.hpp"
#include "common/config/node/node_config.hpp"
#include "common/json/moment.hpp"
#include "module/control/core/commands/state_commands.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/json/request_json.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

/// Of an entry.
constexpr bool kChanges = true;

/// Requests up to this size are read on the loop; only a contact plan is larger.
constexpr std::size_t kMostShortBytes = 64UL * 1024;

void send(const TakeReply &reply, const Json &body) {
    reply(written(body));
}

std::string text_of(const Json &body, const char *key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The error in the keys of a request, or nothing.
std::string wrong_key(const Json &body, std::string_view command,
                      std::vector<std::string_view> keys) {
    keys.insert(keys.begin(), "command");
    for (const auto &[key, value] : body.items())
        if (std::ranges::find(keys, std::string_view(key)) == keys.end())
            return '`' + std::string(command) + "` has no key " + config::in_quotes(key) +
                   "; it has " + config::alternatives(keys, false);
    const auto dry_run = body.find("dryRun");
    if (dry_run != body.end() && !dry_run->is_boolean()) return "`dryRun`: expected true or false";
    return {};
}

Json modules_json(const ModuleSupervision &modules, const config::NodeConfig &config) {
    Json states = Json::object();
    for (const bus::AgentId module :
         bus::modules_with(config.threads.instances, config.applications.wanted()))
        states[std::string(config::kModuleNames[static_cast<std::size_t>(module)])] =
            modules.state_of(module);
    return states;
}

}  // namespace

Commands::Commands(const config::NodeConfig &config, const CommandParts &parts, CommandHooks hooks,
                   const WallClock &now)
    : config_(config),
      requests_(parts.requests),
      drain_(parts.drain),
      modules_(parts.modules),
      long_replies_(parts.long_replies),
      hooks_(std::move(hooks)),
      links_(config, parts.requests, hooks_.log),
      plan_(parts.plan, parts.requests, parts.plan_changes, parts.long_replies, links_.links(),
            config.node),
      pings_(config, parts.requests),
      storage_(config, parts.requests, parts.holds, hooks_.write_held, parts.long_replies,
               hooks_.log),
      bundles_(config, parts.requests, parts.long_replies, hooks_.find_past),
      routes_(config,
              {.plan = parts.plan,
               .plan_commands = plan_,
               .links = links_,
               .requests = parts.requests,
               .modules = parts.modules,
               .long_replies = parts.long_replies},
              hooks_.config_in_force),
      plan_store_(parts.plan),
      remaining_(config.node),
      started_(now.at) {}

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
        {"bundle find", &Commands::find_bundle, {"id", "limit"}},
        {"storage list",
         &Commands::stored<&StorageCommands::list>,
         {"destination", "bundles", "after", "limit"}},
        {"storage sets",
         &Commands::stored<&StorageCommands::sets>,
         {"destination", "after", "limit"}},
        {"storage decode", &Commands::stored<&StorageCommands::decode>, {"bundle"}},
        {"storage export",
         &Commands::stored<&StorageCommands::read>,
         {"bundle", "stripe", "offset", "limit"}},
        {"storage verify", &Commands::store_task, {"rateBytesPerSec"}, kChanges},
        {"storage verify show", &Commands::store_task},
        {"storage verify cancel", &Commands::store_task, {}, kChanges},
        {"storage compact", &Commands::store_task, {}, kChanges},
        {"storage compact show", &Commands::store_task},
        {"storage compact cancel", &Commands::store_task, {}, kChanges},
        {"storage delete",
         &Commands::delete_stored,
         {"destination", "bundles", "after", "force"},
         kChanges},
        {"storage hold", &Commands::hold, {"destination"}, kChanges},
        {"storage release", &Commands::hold, {"destination"}, kChanges},
        {"storage holds", &Commands::holds},
        {"show", &Commands::show, {"path"}},
        {"log level", &Commands::log_level, {"logger", "level"}, kChanges},
        {"reload", &Commands::config, {"partial"}},
        {"config diff", &Commands::config},
        {"config revert", &Commands::config},
        {"config save", &Commands::config},
        {"plan show", &Commands::show_plan},
        {"plan history", &Commands::plan_history},
        {"plan replace", &Commands::change_plan, {"contacts", "ion", "dryRun"}, kChanges},
        {"plan add", &Commands::change_plan, change, kChanges},
        {"plan change", &Commands::change_plan, change, kChanges},
        {"plan remove", &Commands::change_plan, change, kChanges},
        {"plan rollback", &Commands::change_plan, {"version", "dryRun"}, kChanges}};
    return all;
}

const Commands::Entry *Commands::entry_of(const Json &body) {
    const auto entry = std::ranges::find(entries(), text_of(body, "command"), &Entry::name);
    return entry == entries().end() ? nullptr : &*entry;
}

Json Commands::no_such_command(const Json &body) {
    std::vector<std::string_view> names;
    for (const Entry &each : entries()) names.push_back(each.name);
    return error_reply(Refusal::kMalformed,
                       "no such command: " + config::in_quotes(text_of(body, "command")) +
                           "; expected one of " + config::alternatives(names, false));
}

void Commands::handle(const Caller &caller, std::string request, const Reply &reply,
                      const WallClock &now) {
    const TakeReply take = [reply](WrittenReply made) { reply(std::move(made.text)); };
    if (request.size() > kMostShortBytes) return handle_long(caller, std::move(request), take, now);
    auto body = parse_request(request);
    if (!body) return send(take, error_reply(Refusal::kMalformed, body.error()));
    Request parsed{std::move(*body), caller, take};
    const Entry *entry = entry_of(parsed.body);
    if (entry == nullptr) return send(take, no_such_command(parsed.body));
    if (auto change = audited_change(*entry, parsed.body, caller, request.size()))
        parsed.reply = [this, take, change = std::move(*change)](WrittenReply made) {
            audit(change, made);
            take(std::move(made));
        };
    const std::string wrong = wrong_key(parsed.body, entry->name, entry->keys);
    if (!wrong.empty()) return send(parsed.reply, error_reply(Refusal::kMalformed, wrong));
    (this->*entry->handler)(parsed, now);
}

// Parsed beside the loop; the command, and with it the audited change, is known after that.
void Commands::handle_long(const Caller &caller, std::string request, const TakeReply &reply,
                           const WallClock &now) {
    const std::size_t bytes = request.size();
    const auto change = std::make_shared<std::optional<AuditedChange>>();
    auto read = [this, caller, change,
                 text = std::move(request)](const std::stop_token &stop) -> Result<Json, Json> {
        auto body = parse_request(text, stop);
        if (!body) return fail(error_reply(Refusal::kMalformed, body.error()));
        const Entry *entry = entry_of(*body);
        if (entry == nullptr) return fail(no_such_command(*body));
        *change = audited_change(*entry, *body, caller, text.size());
        std::string wrong = wrong_key(*body, entry->name, entry->keys);
        if (entry->handler != &Commands::change_plan)
            wrong = '`' + std::string(entry->name) + "` accepts a request of at most " +
                    std::to_string(kMostShortBytes) + " bytes";
        if (!wrong.empty()) return fail(error_reply(Refusal::kMalformed, wrong));
        return std::move(*body);
    };
    const auto take = [this, change, reply](WrittenReply made) {
        if (*change) audit(**change, made);
        reply(std::move(made));
    };
    plan_.change(std::move(read), bytes, caller, take, now);
}

// A request that only shows, or tries a change, leaves no line.
std::optional<AuditedChange> Commands::audited_change(const Entry &entry, const Json &body,
                                                      const Caller &caller,
                                                      std::size_t bytes) const {
    const bool looks = body.value("dryRun", Json(false)) == true ||
                       (entry.name == "log level" && !body.contains("level"));
    if (!entry.changes || caller.audited || looks) return std::nullopt;
    // Of a long request, which is another command, this may be another thread.
    Json values = body;
    if (bytes <= kMostShortBytes && (entry.name == "link remove" || entry.name == "link change"))
        if (Json before = links_.as_audited(body); !before.is_null())
            values["before"] = std::move(before);
    return AuditedChange{.who = "user " + caller.name + " by the control socket",
                         .command = std::string(entry.name),
                         .values = hooks_.audit_values(values, bytes)};
}

void Commands::audit(AuditedChange change, const WrittenReply &reply) const {
    change.done = reply.done;
    change.error = reply.error;
    hooks_.audit(change);
}

void Commands::handle_ready(const bus::ModuleReady &ready, const WallClock &now) {
    if (ready.module == bus::AgentId::kRouter) storage_.publish_to_router();
    links_.handle_ports(ready.ports);
    links_.handle_ready(ready.module, now);
}

void Commands::handle_lost(bus::AgentId module) {
    links_.handle_lost(module);
    pings_.handle_lost(module);
}

TimePoint Commands::next_timeout() const {
    return std::min(links_.next_timeout(), pings_.next_timeout());
}

void Commands::handle_timeout(const WallClock &now) {
    links_.handle_timeout(now.at);
    pings_.handle_timeout(now.at);
}

void Commands::confirm_clock(const Request &request, const WallClock &) {
    hooks_.log.info("clock confirmed by " + request.caller.name);
    hooks_.confirm_clock();
    send(request.reply, {{"ok", true}});
}

void Commands::drain(const Request &request, const WallClock &) {
    const bool on = text_of(request.body, "command") == "drain";
    if (on != drain_.on())
        hooks_.log.info(
            on ? "drain mode on, by " + request.caller.name +
                     ": new bundles for other nodes are not accepted until `farlinkctl resume`"
               : "drain mode off, by " + request.caller.name);
    using Kind = bus::CommandKind;
    if (on != drain_.on())
        requests_.send(bus::AgentId::kTelemetry,
                       bus::CommandReport{.kind = on ? Kind::kDrain : Kind::kResume});
    drain_.set(on);
    send(request.reply, {{"ok", true}, {"drained", on}});
}

Json Commands::status_json(const bus::LinkSnapshot &links, const Json &condition,
                           const WallClock &now) {
    const auto up = std::chrono::duration_cast<seconds>(now.at - started_);
    Json reply{{"ok", true},
               {"node", config_.node.value()},
               {"time", moment(now.dtn_ms)},
               {"uptimeSeconds", up.count()},
               {"drained", drain_.on()}};
    reply.update(condition);
    reply["modules"] = modules_json(modules_, config_);
    reply["plan"] = plan_.to_json();
    reply["remainingContacts"] = remaining_.to_json(plan_store_.plan(), now.dtn_ms);
    reply["links"] = links_json(links);
    for (std::size_t at = 0; at < links.links.size(); ++at)
        if (std::string words = modules_.silence_on(links.links[at].link, placement_);
            !words.empty())
            reply["links"][at]["silent"] = std::move(words);
    reply["inducts"] = links_.inducts();
    reply["carriedOutducts"] = links_.carried();
    return reply;
}

void Commands::status(const Request &request, const WallClock &now) {
    const auto handle = [this, reply = request.reply](const auto &links, const WallClock &later) {
        if (!links) return send(reply, error_reply(Refusal::kUnavailable, kNoScheduler));
        // A lost or silent telemetry does not delay the reply.
        if (modules_.state_of(bus::AgentId::kTelemetry) != "ready")
            return send(reply, status_json(*links, Json::object(), later));
        const auto finish = [this, reply, links](const Json &condition, const WallClock &last) {
            send(reply, status_json(*links, condition, last));
        };
        request_condition(requests_, finish, later);
    };
    requests_.request_links(handle, now);
}

void Commands::show_plan(const Request &request, const WallClock &) {
    plan_.show(request.reply);
}

void Commands::plan_history(const Request &request, const WallClock &) {
    plan_.history(request.reply);
}

// Behind larger changes that came before it.
void Commands::change_plan(const Request &request, const WallClock &now) {
    plan_.change(
        [body = request.body](const std::stop_token &) -> Result<Json, Json> { return body; },
        kMostShortBytes, request.caller, request.reply, now);
}

template <auto kCommand>
void Commands::link(const Request &request, const WallClock &now) {
    (links_.*kCommand)(request.body, request.caller, answer_to(request.reply), now);
}

void Commands::ping(const Request &request, const WallClock &now) {
    const auto answer = [this, give = answer_to(request.reply)](Json reply) {
        const std::string silence = reply.contains("why") ? modules_.silence() : std::string();
        if (!silence.empty())
            reply["why"] = reply["why"].get<std::string>() + "; " + silence + ": see `alarms`";
        give(std::move(reply));
    };
    pings_.ping(request.body, answer, now);
}

void Commands::routes(const Request &request, const WallClock &now) {
    routes_.show(request.reply, now);
}

void Commands::explain_route(const Request &request, const WallClock &now) {
    routes_.explain(request.body, request.reply, now);
}

// ---- stored bundles
// -------------------------------------------------------------------------------

template <auto kCommand>
void Commands::stored(const Request &request, const WallClock &now) {
    (storage_.*kCommand)(request.body, answer_to(request.reply), now);
}

void Commands::find_bundle(const Request &request, const WallClock &now) {
    bundles_.find(request.body, answer_to(request.reply), now);
}

void Commands::store_task(const Request &request, const WallClock &now) {
    storage_.task(request.body, request.caller, answer_to(request.reply), now);
}

void Commands::delete_stored(const Request &request, const WallClock &now) {
    storage_.remove(request.body, request.caller, answer_to(request.reply), now);
}

void Commands::hold(const Request &request, const WallClock &) {
    const bool held = text_of(request.body, "command") == "storage hold";
    storage_.hold(request.body, held, request.caller, answer_to(request.reply));
}

void Commands::holds(const Request &request, const WallClock &) {
    send(request.reply, storage_.holds());
}

void Commands::show(const Request &request, const WallClock &now) {
    if (modules_.is_lost(bus::AgentId::kTelemetry))
        return send(request.reply,
                    error_reply(Refusal::kUnavailable, "module telemetry is not running"));
    show_state(requests_, request.body, answer_to(request.reply), now);
}

// It writes its own lines of the audit, which name what has changed.
void Commands::config(const Request &request, const WallClock &now) {
    hooks_.config(request.body, request.caller, request.reply, now);
}

void Commands::log_level(const Request &request, const WallClock &) {
    send(request.reply, hooks_.log_level(request.body, request.caller));
}

}  // namespace farlink::control
