// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/telemetry_agent.hpp"

#include <algorithm>
#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/config/reload/settings_change.hpp"
#include "common/runtime/clock.hpp"
#include "module/telemetry/alarms/alarm_desk.hpp"
#include "module/telemetry/api/paths/history_paths.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "module/telemetry/history/node_history.hpp"
#include "module/telemetry/http/api_server.hpp"
#include "module/telemetry/status_question.hpp"

namespace farlink::telemetry {
namespace {

/// Modules report at the begin of a second; counters are printed after this delay.
constexpr milliseconds kReportsArrive{50};
/// Time limit of the last reports of modules that have ended.
constexpr seconds kStopLimit{10};

bool serves(const TelemetryOptions &options) {
    return options.config != nullptr && options.config->api.wanted();
}

/// Modules whose events the view needs; none without a view.
std::vector<bus::AgentId> publishers(const TelemetryOptions &options) {
    if (options.config == nullptr) return {};
    return {bus::AgentId::kScheduler, bus::AgentId::kRouter};
}

Moment moment_now() {
    return {monotonic_now(), read_wall_clock().dtn_ms};
}

Bytes octets_of(const std::string &text) {
    const ByteView octets = as_bytes(text);
    return {octets.begin(), octets.end()};
}

/// The answer to `show` of a path that telemetry does not serve itself.
Answer elsewhere(const Outcome &outcome) {
    const auto *command = std::get_if<Command>(&outcome);
    if (command == nullptr) return problem(404, "no such path; docs/api/openapi.yaml lists them");
    const Json request = Json::parse(command->request, nullptr, false);
    return problem(400, "the control socket has a separate command for this path: `" +
                            request.value("command", std::string()) + '`');
}

/// Messages that the desk alone handles.
template <class Data>
constexpr bool kHandledByDesk =
    bus::kIsOneOf<Data, bus::ApiReply, bus::CommandReport, bus::ContactEnd, bus::ContactStart,
                  bus::LinkChange, bus::LinkDown, bus::LinkSnapshot, bus::LinkUp, bus::ModuleBack,
                  bus::ReloadReport, bus::RouteUpdate, bus::SettingsChange, bus::StateRequest>;

}  // namespace

/// The parts of a node with a configuration: its view, alarms, requests of the control socket, and
/// the HTTP server when it is configured.
struct TelemetryAgent::Desk {
    Desk(TelemetryAgent &agent, const TelemetryOptions &options)
        : view(*options.config, options.version, agent.core_, monotonic_now()),
          api(view, options.config->shown),
          alarms(agent.loop_.io(), *options.config, view),
          status(view, asking(agent)),
          link_context{options.config->node, options.config->buffer_bytes, {}},
          history(agent.loop_.io(), *options.config, view) {
        if (serves(options))
            http.emplace(
                agent.loop_.io(), *options.config, view, options.webui_folder, asking(agent),
                [this] { status.ask(); },
                [this](const HistoryQuery &query, const NodeHistory::Then &then) {
                    history.ask(query, moment_now(), then);
                });
    }

    static StatusQuestion::Ask asking(TelemetryAgent &agent) {
        return [&loop = agent.loop_](std::uint64_t id, const std::string &caller,
                                     const std::string &request) {
            loop.send(bus::AgentId::kSupervisor,
                      bus::ApiRequest{bus::RequestId{id}, octets_of(caller), octets_of(request)});
        };
    }

    void handle_second() {
        if (http) http->handle_second();
        status.ask();
    }
    /// The reports of the second are there.
    void look(const Moment &moment) {
        alarms.read(moment.now);
        view.handle_second(moment);
        history.handle_second(moment);
        alarms.publish();
    }

    /// The HTTP server, if it is configured and could be started.
    [[nodiscard]] ApiServer *server() { return http ? &*http : nullptr; }

    NodeView view;
    Api api;
    AlarmDesk alarms;
    StatusQuestion status;
    config::LinkContext link_context;
    NodeHistory history;
    std::optional<ApiServer> http;
};

TelemetryAgent::TelemetryAgent(bus::BusContext &context, const TelemetryOptions &options)
    : print_counters_(options.print_counters),
      loop_(context, bus::AgentId::kTelemetry, publishers(options),
            {[this](bus::Message message) { handle(std::move(message)); }, [] {},
             [this] { on_timeout(); }, [this] { on_second(); }}),
      core_(options.labels) {
    if (options.config != nullptr) desk_ = std::make_unique<Desk>(*this, options);
    for (const bus::AgentId module :
         bus::modules_with(context.placement().instances(), context.placement().applications()))
        if (core_.names_of(module) != nullptr) reporting_.insert(module);
}

TelemetryAgent::~TelemetryAgent() = default;

void TelemetryAgent::run() {
    if (desk_) desk_->history.open(moment_now());
    failed_ = !open_server();
    publish_ready();
    loop_.run();
    if (desk_) desk_->history.close(moment_now());
    print();
}

bool TelemetryAgent::open_server() {
    ApiServer *server = desk_ ? desk_->server() : nullptr;
    if (server == nullptr) return true;
    const std::string wrong = server->open();
    if (wrong.empty()) return true;
    log_.error("cannot start the HTTP API: {}", wrong);
    desk_->http.reset();
    return false;
}

void TelemetryAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor,
               bus::ModuleReady{.module = bus::AgentId::kTelemetry, .failed = failed_});
}

// The view handles a message before the core, since it compares the message with the old state.
void TelemetryAgent::look(const bus::Message &message) {
    if (const auto *reply = std::get_if<bus::ApiReply>(&message)) {
        const std::string_view text = as_text(reply->reply);
        if (desk_->status.handle_reply(reply->id.value(), text, moment_now())) return;
        if (ApiServer *server = desk_->server()) server->handle_reply(reply->id.value(), text);
        return;
    }
    if (const auto *request = std::get_if<bus::StateRequest>(&message)) return answer(*request);
    if (const auto *change = std::get_if<bus::SettingsChange>(&message))
        return handle_settings(*change);
    if (const auto *report = std::get_if<bus::ReloadReport>(&message))
        return handle_reload(*report);
    if (const auto *change = std::get_if<bus::LinkChange>(&message)) handle_link(*change);
    if (desk_->view.handle(message, moment_now())) desk_->status.ask();
}

void TelemetryAgent::handle_settings(const bus::SettingsChange &change) {
    const auto settings = config::settings_from_json(as_text(change.settings));
    if (!settings)
        return log_.error(
            "cannot apply the reloaded settings; the previous ones stay in effect: {}",
            settings.error().to_string());
    if (ApiServer *server = desk_->server()) server->set_settings(settings->api);
    desk_->alarms.set_config(settings->alarms);
    desk_->alarms.certificates().set_api(settings->api.tls.certificate_file);
    desk_->view.set_store_bytes(settings->storage.capacity_bytes);
    desk_->view.alarm_inputs().set_routing(settings->routing);
}

// The module of the link has taken it; this one watches its certificates and its trust.
void TelemetryAgent::handle_link(const bus::LinkChange &change) {
    CertificateFiles &files = desk_->alarms.certificates();
    UncheckedPeers &unchecked = desk_->view.alarm_inputs().unchecked();
    if (change.verb == bus::LinkVerb::kRemove) {
        unchecked.remove_link(change.link);
        return files.remove_link(change.link);
    }
    if (change.config.empty()) {
        unchecked.restore_link(change.link);
        return files.restore_link(change.link);
    }
    const auto take = [&](auto link) {
        if (!link)
            return log_.error("link {}: cannot watch its certificates and peers for alarms: {}",
                              change.link.value(), link.error().to_string());
        link->id = change.link;
        files.set_link(*link);
        unchecked.set_link(*link);
    };
    const std::string_view json = as_text(change.config);
    if (change.outduct) return take(config::outduct_from_json(json, desk_->link_context));
    take(config::induct_from_json(json, desk_->link_context));
}

void TelemetryAgent::handle_reload(const bus::ReloadReport &report) {
    if (!report.shown.empty()) {
        desk_->api.set_config(std::string(as_text(report.shown)));
        if (ApiServer *server = desk_->server())
            server->set_config(std::string(as_text(report.shown)));
    }
    desk_->view.note({report.done ? "info" : "warning", "supervisor",
                      report.done ? "config-reloaded" : "config-refused", kNoLink,
                      std::string(as_text(report.text))},
                     moment_now());
    desk_->status.ask();
}

// A user of the control socket may read everything. Paths that need the supervisor have commands of
// their own there.
void TelemetryAgent::answer(const bus::StateRequest &request) {
    Call call;
    call.method = "GET";
    call.target = as_text(request.target);
    call.role = Role::kRead;
    Outcome outcome = desk_->api.handle(call, moment_now());
    const auto reply = [this, id = request.id](const Answer &answer) {
        loop_.send(
            bus::AgentId::kSupervisor,
            bus::StateReply{id, static_cast<std::uint16_t>(answer.status), octets_of(answer.body)});
    };
    if (const auto *query = std::get_if<HistoryQuery>(&outcome))
        return desk_->history.ask(
            *query, moment_now(),
            [reply, query = *query](const HistoryReply &found) { reply(answer_of(query, found)); });
    const auto *known = std::get_if<Answer>(&outcome);
    reply(known != nullptr ? *known : elsewhere(outcome));
}

void TelemetryAgent::handle(bus::Message message) {
    if (bus::is_back(message, bus::AgentId::kSupervisor)) handle_supervisor(true);
    if (desk_) look(message);
    static_assert(bus::kListsHandlersOf<bus::TelemetryMessages, TelemetryCore>);
    bus::dispatch<bus::TelemetryMessages>(message, [this](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::CounterReport>)
            handle_report(std::move(data));
        else if constexpr (std::is_same_v<Data, bus::ModuleReady>)
            node_ready_ = true;
        else if constexpr (std::is_same_v<Data, bus::ModuleLost>)
            handle_lost(data.module);
        else if constexpr (std::is_same_v<Data, bus::Stop>)
            handle_stop(data);
        else if constexpr (!kHandledByDesk<Data>)
            core_.handle(std::move(data));
    });
}

void TelemetryAgent::handle_supervisor(bool there) {
    if (there) publish_ready();
    if (!desk_) return;
    if (there) desk_->status.ask_anew();
    if (ApiServer *server = desk_->server()) server->handle_supervisor(there);
}

// A module that ends in order says so in its last report.
void TelemetryAgent::handle_lost(bus::AgentId module) {
    if (module == bus::AgentId::kSupervisor) handle_supervisor(false);
    if (reporting_.erase(module) == 0) return;
    core_.handle_death(module);
    if (stop_deadline_ != kNever && reporting_.empty()) loop_.stop();
}

void TelemetryAgent::handle_report(bus::CounterReport report) {
    if (report.last)
        reporting_.erase(report.module);
    else
        reporting_.insert(report.module);
    core_.handle(std::move(report));
    if (stop_deadline_ != kNever && reporting_.empty()) loop_.stop();
}

// With `drain` the node begins to stop, which the view has taken. Before the second one the other
// modules have ended; their last reports may arrive after it.
void TelemetryAgent::handle_stop(const bus::Stop &stop) {
    if (stop.drain) return;
    stop_deadline_ = monotonic_now() + kStopLimit;
    loop_.arm(stop_deadline_);
    if (reporting_.empty()) loop_.stop();
}

void TelemetryAgent::on_second() {
    if (const auto report = bus::report_process(bus::AgentId::kTelemetry)) core_.handle(*report);
    if (desk_ && stop_deadline_ == kNever) desk_->handle_second();
    if (stop_deadline_ == kNever) loop_.arm(monotonic_now() + kReportsArrive);
}

// Modules without a final report count as died.
void TelemetryAgent::give_up() {
    for (const bus::AgentId module : reporting_) core_.handle_death(module);
    loop_.stop();
}

void TelemetryAgent::on_timeout() {
    if (monotonic_now() >= stop_deadline_) return give_up();
    // Each second has the same number of reports.
    if (desk_ && stop_deadline_ == kNever) desk_->look(moment_now());
    print();
}

void TelemetryAgent::print() {
    if (!print_counters_ || !node_ready_) return;
    const std::string line = core_.to_json_line() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

}  // namespace farlink::telemetry
