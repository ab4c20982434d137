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
#include "common/routing/contact_changes.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kNoAnswer = "the modules of the node do not answer";
constexpr const char *kWrittenOnly =
    "the change is written, but the modules of the node do not answer: restart it";
constexpr const char *kDelivered = "it is for this node, and is delivered here";
constexpr const char *kNoPlan =
    "the node runs without a contact plan: begin one with `plan replace`";

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

/// A plan change on its way: what was proposed, and what is known of its consequences.
struct Commands::Proposal {
    PlanDifference changes;
    std::size_t contacts = 0;   ///< of the plan that comes of it
    std::uint64_t version = 0;  ///< of the plan when it is told
    Commands::Reply reply;
    bool dry_run = false;
    /// Of different modules, so in any order.
    std::optional<bus::LinkSnapshot> before;
    std::optional<bus::LinkSnapshot> after;
    std::optional<bus::RoutesPreview> preview;
    std::size_t awaited = 3;
};

Json Commands::outcome(const Proposal &proposal, std::uint64_t version) {
    // Where nothing changes the modules are not asked.
    const bool same = !proposal.preview;
    return {{"ok", true},
            {"dryRun", proposal.dry_run},
            {"nothingChanges", same},
            {"version", version},
            {"contacts", proposal.contacts},
            {"added", proposal.changes.added.size()},
            {"changed", proposal.changes.changed.size()},
            {"removed", proposal.changes.removed.size()},
            {"links", same ? Json::array() : link_differences(*proposal.before, *proposal.after)},
            {"routes", same ? Json::array() : route_differences(*proposal.preview)}};
}

Commands::Commands(boost::asio::io_context &io, const config::NodeConfig &config, PlanKeeper &plan,
                   Questions &questions, HoldKeeper &holds, NodeHooks hooks)
    : config_(config),
      plan_(plan),
      questions_(questions),
      hooks_(std::move(hooks)),
      links_(io, config, questions),
      pings_(io, config, questions),
      storage_(config, questions, holds),
      started_(monotonic_now()) {}

const std::vector<Commands::Entry> &Commands::entries() {
    const std::vector<std::string_view> change{"contacts", "dryRun"};
    static const std::vector<Entry> all{
        {"clock confirm", &Commands::confirm_clock},
        {"status", &Commands::status},
        {"drain", &Commands::drain},
        {"resume", &Commands::drain},
        {"link up", &Commands::link<&LinkCommands::enable>, {"link"}},
        {"link down", &Commands::link<&LinkCommands::enable>, {"link"}},
        {"link set", &Commands::link<&LinkCommands::set>, {"link", "rateBitsPerSec", "owlt"}},
        {"link add", &Commands::link<&LinkCommands::add>, {"direction", "config", "link"}},
        {"link change", &Commands::link<&LinkCommands::change>, {"link", "config"}},
        {"link remove", &Commands::link<&LinkCommands::remove>, {"link"}},
        {"ping", &Commands::ping, {"destination", "sizeBytes", "timeoutSeconds", "version"}},
        {"routes", &Commands::routes},
        {"routes explain",
         &Commands::explain_route,
         {"source", "destination", "service", "sizeBytes", "priority", "lifetimeSeconds", "sender",
          "critical"}},
        {"storage list", &Commands::list_stored, {"destination", "bundles", "after", "limit"}},
        {"storage delete", &Commands::delete_stored, {"destination", "bundles", "after", "force"}},
        {"storage hold", &Commands::hold, {"destination"}},
        {"storage release", &Commands::hold, {"destination"}},
        {"storage holds", &Commands::holds},
        {"show", &Commands::show, {"path"}},
        {"log level", &Commands::log_level, {"logger", "level"}},
        {"plan show", &Commands::show_plan},
        {"plan history", &Commands::show_history},
        {"plan replace", &Commands::change_plan, change},
        {"plan add", &Commands::change_plan, change},
        {"plan change", &Commands::change_plan, change},
        {"plan remove", &Commands::change_plan, change}};
    return all;
}

void Commands::handle(const Caller &caller, const std::string &request, const Reply &reply) {
    auto body = parse_request(request);
    if (!body) return send(reply, error_reply(Refusal::kMalformed, body.error()));
    const Request parsed{std::move(*body), caller, reply};
    const std::string name = text_of(parsed.body, "command");
    const auto entry = std::ranges::find(entries(), name, &Entry::name);
    if (entry != entries().end()) {
        const std::string wrong = wrong_key(parsed.body, name, entry->keys);
        if (!wrong.empty()) return send(reply, error_reply(Refusal::kMalformed, wrong));
        return (this->*entry->handler)(parsed);
    }
    std::vector<std::string_view> names;
    for (const Entry &each : entries()) names.push_back(each.name);
    send(reply,
         error_reply(Refusal::kMalformed, "no such command: " + config::in_quotes(name) +
                                              "; there are " + config::alternatives(names, false)));
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

Json Commands::plan_json() const {
    return {{"version", plan_.version()},
            {"configured", plan_.plan().has_value()},
            {"changedByCommand", plan_.changed_by_command()},
            {"contacts", plan_.plan() ? plan_.plan()->size() : 0}};
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
                     {"plan", plan_json()},
                     {"links", links_json(*links)},
                     {"inducts", links_.inducts()}});
    });
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

// ---- the plan
// ------------------------------------------------------------------------------------

void Commands::show_plan(const Request &request) {
    Json reply{{"ok", true}, {"plan", plan_json()}, {"contacts", Json::array()}};
    if (plan_.plan()) reply["contacts"] = to_json(*plan_.plan());
    send(request.reply, reply);
}

void Commands::show_history(const Request &request) {
    Json changes = Json::array();
    for (const Json &change : plan_.history()) changes.push_back(change);
    send(request.reply, {{"ok", true}, {"version", plan_.version()}, {"changes", changes}});
}

// Checked as a whole first; then written, and then put in force, or only tried.
void Commands::change_plan(const Request &request) {
    const auto contacts = request.body.find("contacts");
    if (contacts == request.body.end())
        return send(request.reply, error_reply(Refusal::kMalformed, "`contacts` is missing"));
    const std::string command = text_of(request.body, "command");
    if (!plan_.plan() && command != "plan replace")
        return send(request.reply, error_reply(Refusal::kConflict, kNoPlan));
    const DtnTime now = read_wall_clock().dtn_ms;
    static const Contacts kNone;
    const Contacts &running = plan_.plan() ? *plan_.plan() : kNone;
    auto edited = command == "plan replace"  ? replace_contacts(running, *contacts, now)
                  : command == "plan add"    ? add_contacts(running, *contacts, now)
                  : command == "plan change" ? change_contacts(running, *contacts, now)
                                             : remove_contacts(running, *contacts);
    if (!edited) return send(request.reply, error_reply(edited.error()));
    const auto proposal = std::make_shared<Proposal>();
    proposal->changes = std::move(*edited);
    proposal->contacts =
        running.size() - proposal->changes.removed.size() + proposal->changes.added.size();
    proposal->reply = request.reply;
    const auto dry_run = request.body.find("dryRun");
    proposal->dry_run = dry_run != request.body.end() && *dry_run == true;
    if (plan_.plan() && proposal->changes.empty())
        return send(request.reply, outcome(*proposal, plan_.version()));

    const auto take = [this, proposal](auto Proposal::*place) {
        return [this, proposal, place](const auto &answer) {
            (*proposal).*place = answer;
            if (--proposal->awaited == 0) tell(*proposal);
        };
    };
    const auto links = take(&Proposal::after);
    const auto routes = take(&Proposal::preview);
    proposal->version = plan_.version();
    if (proposal->dry_run) {
        Contacts trial = running;
        routing::change_contacts(trial, proposal->changes.gone(), proposal->changes.come());
        questions_.ask_links(take(&Proposal::before));
        return questions_.try_plan(std::move(trial), links, routes);
    }
    const bool planned = plan_.plan().has_value();
    const std::string wrong = plan_.commit(proposal->changes, command, request.caller, now);
    if (!wrong.empty()) return send(request.reply, error_reply(Refusal::kUnavailable, wrong));
    proposal->version = plan_.version();
    questions_.ask_links(take(&Proposal::before));
    if (planned)
        questions_.change_plan(bus::PlanChange{proposal->changes.gone(), proposal->changes.come()},
                               links, routes);
    else
        questions_.change_plan(bus::PlanReplace{false, *plan_.plan()}, links, routes);
}

void Commands::tell(const Proposal &proposal) const {
    if (proposal.before && proposal.after && proposal.preview)
        return send(proposal.reply, outcome(proposal, proposal.version));
    send(proposal.reply,
         error_reply(Refusal::kUnavailable, proposal.dry_run ? kNoAnswer : kWrittenOnly));
}

}  // namespace farlink::app
