// SPDX-License-Identifier: Apache-2.0
#include "module/control/commands.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/bus/wire/wire_hello.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/core/replies.hpp"
#include "module/control/core/request_json.hpp"
#include "module/control/core/route_replies.hpp"
#include "module/control/log_commands.hpp"
#include "module/control/state_commands.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

/// Of an entry.
constexpr bool kChanges = true;

constexpr const char *kDelivered = "it is for this node, and is delivered here";

/// What is read on the loop; only a contact plan is longer.
constexpr std::size_t kMostShortBytes = 64UL * 1024;

void send(const TakeReply &reply, const Json &body) {
    reply(written(body));
}

std::function<void(const Json &)> answer_to(const TakeReply &reply) {
    return [reply](const Json &body) { send(reply, body); };
}

std::string text_of(const Json &body, const char *key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// In storage, for a node with that priority.
std::uint64_t waiting_bytes(const std::vector<bus::WaitingBytes> &waiting, NodeNumber destination,
                            Priority priority) {
    for (const bus::WaitingBytes &entry : waiting)
        if (entry.node == destination && entry.priority == priority) return entry.bytes;
    return 0;
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

Commands::Commands(boost::asio::io_context &io, const config::NodeConfig &config,
                   ContactPlanStore &plan, PendingRequests &requests, HeldDestinations &holds,
                   NodeHooks hooks)
    : config_(config),
      requests_(requests),
      hooks_(std::move(hooks)),
      plan_(plan, requests, plan_changes_, long_replies_),
      links_(io, config, requests),
      pings_(io, config, requests),
      storage_(config, requests, holds, long_replies_),
      started_(monotonic_now()),
      plan_changes_(io),
      long_replies_(io) {}

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
        {"storage decode", &Commands::decode_stored, {"bundle"}},
        {"storage export", &Commands::read_stored, {"bundle", "stripe", "offset", "limit"}},
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
        {"plan show", &Commands::show_plan},
        {"plan history", &Commands::plan_history},
        {"plan replace", &Commands::change_plan, change, kChanges},
        {"plan add", &Commands::change_plan, change, kChanges},
        {"plan change", &Commands::change_plan, change, kChanges},
        {"plan remove", &Commands::change_plan, change, kChanges}};
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
                           "; there are " + config::alternatives(names, false));
}

void Commands::handle(const Caller &caller, std::string request, const Reply &reply) {
    const TakeReply take = [reply](WrittenReply made) { reply(std::move(made.text)); };
    if (request.size() > kMostShortBytes) return handle_long(caller, std::move(request), take);
    auto body = parse_request(request);
    if (!body) return send(take, error_reply(Refusal::kMalformed, body.error()));
    Request parsed{std::move(*body), caller, take};
    const Entry *entry = entry_of(parsed.body);
    if (entry == nullptr) return send(take, no_such_command(parsed.body));
    if (auto line = audit_entry(*entry, parsed.body, caller, request.size()))
        parsed.reply = [this, take, line = std::move(*line)](WrittenReply made) {
            audit(line, made);
            take(std::move(made));
        };
    const std::string wrong = wrong_key(parsed.body, entry->name, entry->keys);
    if (!wrong.empty()) return send(parsed.reply, error_reply(Refusal::kMalformed, wrong));
    (this->*entry->handler)(parsed);
}

// Parsed by the thread of long work; the command, and with it the audit entry, is known after that.
void Commands::handle_long(const Caller &caller, std::string request, const TakeReply &reply) {
    const std::size_t bytes = request.size();
    const auto line = std::make_shared<std::optional<AuditEntry>>();
    auto read = [caller, line,
                 text = std::move(request)](const std::stop_token &stop) -> Result<Json, Json> {
        auto body = parse_request(text, stop);
        if (!body) return fail(error_reply(Refusal::kMalformed, body.error()));
        const Entry *entry = entry_of(*body);
        if (entry == nullptr) return fail(no_such_command(*body));
        *line = audit_entry(*entry, *body, caller, text.size());
        std::string wrong = wrong_key(*body, entry->name, entry->keys);
        if (entry->handler != &Commands::change_plan)
            wrong = '`' + std::string(entry->name) + "` takes a request of at most " +
                    std::to_string(kMostShortBytes) + " octets";
        if (!wrong.empty()) return fail(error_reply(Refusal::kMalformed, wrong));
        return std::move(*body);
    };
    plan_.change(std::move(read), bytes, caller, [this, line, reply](WrittenReply made) {
        if (*line) audit(**line, made);
        reply(std::move(made));
    });
}

// What only looks at the node, or at what a change would do, leaves no line.
std::optional<AuditEntry> Commands::audit_entry(const Entry &entry, const Json &body,
                                                const Caller &caller, std::size_t bytes) {
    const bool looks = body.value("dryRun", Json(false)) == true ||
                       (entry.name == "log level" && !body.contains("level"));
    if (!entry.changes || caller.audited || looks) return std::nullopt;
    return AuditEntry{.who = "user " + caller.name + " by the control socket",
                      .change = std::string(entry.name),
                      .values = audit_values(body, bytes)};
}

void Commands::audit(AuditEntry line, const WrittenReply &reply) const {
    line.time = read_wall_clock().dtn_ms;
    line.done = reply.done;
    line.detail = reply.error;
    hooks_.audit(line);
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
    requests_.ask_links([this, reply = request.reply](const auto &links) {
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
                     {"inducts", links_.inducts()},
                     {"carriedOutducts", links_.carried()}});
    });
}

void Commands::show_plan(const Request &request) {
    plan_.show(request.reply);
}

void Commands::plan_history(const Request &request) {
    plan_.history(request.reply);
}

// Behind longer ones that came before it.
void Commands::change_plan(const Request &request) {
    plan_.change(
        [body = request.body](const std::stop_token &) -> Result<Json, Json> { return body; },
        kMostShortBytes, request.caller, request.reply);
}

template <auto Steer>
void Commands::link(const Request &request) {
    (links_.*Steer)(request.body, request.caller, answer_to(request.reply));
}

void Commands::ping(const Request &request) {
    pings_.ping(request.body, answer_to(request.reply));
}

void Commands::ask_ways(const TakeReply &reply, const TakeWays &then) {
    requests_.ask_links([=, this](auto links) {
        if (!links) return send(reply, error_reply(Refusal::kUnavailable, kNoAnswer));
        const auto ways = std::make_shared<Ways>();
        ways->links = std::move(links->links);
        requests_.ask_routes([=, this](auto routes) {
            if (!routes) return send(reply, error_reply(Refusal::kUnavailable, kNoAnswer));
            ways->routes = std::move(*routes);
            ways->waiting = requests_.waiting();
            then(ways);
        });
    });
}

void Commands::routes(const Request &request) {
    ask_ways(request.reply, [this, reply = request.reply](const auto &ways) {
        const auto make = [this, ways] {
            Json rules{{"ok", true}};
            rules.update(rules_json(config_.routing, ways->routes, ways->links));
            return rules;
        };
        reply_later(long_replies_, make, reply);
    });
}

// Where no link leads to a next hop, sessions of peers that nothing proves are part of the answer.
void Commands::explain_route(const Request &request) {
    ask_ways(request.reply, [this, body = request.body, reply = request.reply](const auto &ways) {
        const auto explained = std::make_shared<Explained>(Explained{body, ways});
        const bool begun = long_replies_.add(
            [this, explained](const std::stop_token &stop) {
                if (!stop.stop_requested()) explain(*explained);
            },
            [this, explained, reply] {
                const bool asks = explained->bundle && lacks_link(explained->published) &&
                                  hooks_.module_state(bus::AgentId::kTelemetry) != "lost";
                if (!asks) return send(reply, explained->published);
                requests_.ask_state("/api/v1/links", [=, this](const auto &answer) {
                    if (!answer) return send(reply, explained->published);
                    explained->ways->shown_links = as_text(answer->body);
                    explained->ways->planned = plan_.neighbours(config_.node);
                    reply_later(
                        long_replies_, [explained] { return explanation_of(*explained); }, reply);
                });
            });
        if (!begun) send(reply, too_many_long_replies());
    });
}

// As ingress would decide now, with the same table.
void Commands::explain(Explained &explained) const {
    const Json &request = explained.request;
    const Ways &ways = *explained.ways;
    const DtnTime now = read_wall_clock().dtn_ms;
    routing::ForwardingTable table(config_.routing);
    table.handle(ways.routes);
    const auto bundle = facts_of(request, table, now);
    if (!bundle) {
        explained.published = error_reply(Refusal::kInvalid, bundle.error());
        return;
    }
    const auto critical = asks_critical(request, *bundle, table);
    if (!critical) {
        explained.published = error_reply(Refusal::kInvalid, critical.error());
        return;
    }
    if (bundle->destination == config_.node) {
        explained.published = {{"ok", true}, {"ways", Json::array()}, {"outcome", kDelivered}};
        return;
    }
    const auto takes = [&](const routing::NextHop &hop) {
        const auto link = std::ranges::find(ways.links, hop.link, &bus::LinkEntry::link);
        const bool open = link != ways.links.end() && link->planned && link->connected;
        return !open || bundle->size_bytes <= link->max_bundle_bytes;
    };
    // Critical bundles, and all where the configuration says so, pass what waits.
    const bool passes = *critical || config_.storage.overtake;
    explained.bundle = *bundle;
    explained.waiting_bytes =
        passes ? 0 : waiting_bytes(*ways.waiting, bundle->destination, bundle->priority);
    explained.explanation = *critical ? routing::explain_all(table, *bundle, now)
                                      : routing::explain(table, *bundle, now, takes);
    explained.published = explanation_of(explained);
}

Commands::Json Commands::explanation_of(const Explained &explained) {
    const Ways &ways = *explained.ways;
    return explanation_json(
        *explained.bundle, explained.explanation,
        {ways.links, explained.waiting_bytes, unproved_peers(ways.shown_links), ways.planned});
}

// ---- what is stored
// ------------------------------------------------------------------------------

void Commands::list_stored(const Request &request) {
    storage_.list(request.body, answer_to(request.reply));
}

void Commands::decode_stored(const Request &request) {
    storage_.decode(request.body, answer_to(request.reply));
}

void Commands::read_stored(const Request &request) {
    storage_.read(request.body, answer_to(request.reply));
}

void Commands::store_task(const Request &request) {
    storage_.task(request.body, request.caller, answer_to(request.reply));
}

void Commands::delete_stored(const Request &request) {
    storage_.remove(request.body, request.caller, answer_to(request.reply));
}

void Commands::hold(const Request &request) {
    const bool held = text_of(request.body, "command") == "storage hold";
    storage_.hold(request.body, held, request.caller, answer_to(request.reply));
}

void Commands::holds(const Request &request) {
    send(request.reply, storage_.holds());
}

void Commands::show(const Request &request) {
    if (hooks_.module_state(bus::AgentId::kTelemetry) == "lost")
        return send(request.reply, error_reply(Refusal::kUnavailable, "telemetry is lost"));
    show_state(requests_, request.body,
               [reply = request.reply](std::string text) { reply({.text = std::move(text)}); });
}

void Commands::log_level(const Request &request) {
    send(request.reply, log_level_reply(request.body, request.caller, hooks_.change_log));
}

}  // namespace farlink::app
