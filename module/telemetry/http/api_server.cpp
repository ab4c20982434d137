// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/api_server.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/config/operations/api_fields.hpp"
#include "common/runtime/clock.hpp"
#include "module/telemetry/api/paths/history_paths.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/http/http_connection.hpp"

namespace farlink::telemetry {
namespace {

namespace asio = boost::asio;

/// Longer than the time limits of the supervisor.
constexpr milliseconds kAcceptPause{100};
constexpr milliseconds kTurn{1000 / UpdateHub::kTurns};
constexpr unsigned kFirstError = 400;
constexpr const char *kNoSupervisor = "the supervisor of the node is not running; try again";

Moment moment_now() {
    return {monotonic_now(), read_wall_clock().dtn_ms};
}

Answer no_websocket() {
    Answer answer = problem(426, "expected a WebSocket client with the subprotocol farlink.v1");
    answer.headers.emplace_back("Upgrade", "websocket");
    return answer;
}

/// With the link as it is, if the command changes or removes it; as the supervisor does it.
std::string values_of(const std::string &request, const Command &command, const Json &links) {
    const bool changed =
        command.change.starts_with("link change") || command.change.starts_with("link remove");
    const auto row = links.find(std::to_string(command.link.value()));
    std::string plain = audit_values(request);
    if (!changed || row == links.end() || plain.empty()) return plain;
    auto values = nlohmann::ordered_json::parse(plain, nullptr, false);
    values["before"] = {{"direction", row->value("direction", "") == "in" ? "induct" : "outduct"},
                        {"url", text_of(*row, "layer") + "://" + text_of(*row, "address")}};
    if (row->contains("neighbour")) values["before"]["neighbour"] = (*row)["neighbour"];
    return values.dump();
}

std::string detail_of(const Answer &answer) {
    const Json body = Json::parse(answer.body, nullptr, false);
    return body.is_object() ? body.value("detail", std::string()) : std::string();
}

}  // namespace

ApiServer::ApiServer(asio::io_context &io, const config::NodeConfig &config, NodeView &view,
                     const std::string &webui_folder, Ask ask, std::function<void()> on_change,
                     ReadHistory read_history)
    : config_(config),
      view_(view),
      ask_(std::move(ask)),
      on_change_(std::move(on_change)),
      read_history_(std::move(read_history)),
      admission_(config.api),
      api_(view, config.shown),
      files_(config.api.webui_folder.empty() ? webui_folder : config.api.webui_folder),
      audit_(config.api.audit_file),
      hub_(view),
      watchers_(config.history.bundles_folder),
      gateway_(io, config.applications),
      acceptor_(io),
      pause_(io),
      turn_(io),
      look_(io) {}

ApiServer::~ApiServer() {
    for (const auto &[number, connection] : connections_) connection->close();
}

std::string ApiServer::open() {
    if (std::string wrong = admission_.open(); !wrong.empty()) return wrong;
    if (std::string wrong = audit_.open(); !wrong.empty()) return wrong;
    gateway_.set_secret(admission_.secret());
    const bool secure = admission_.header_checks().secure();
    if (secure)
        if (std::string wrong = tls_.load(config_.api.tls); !wrong.empty()) return wrong;
    const auto listen = config::parse_listen(config_.api.listen);
    boost::system::error_code error;
    const auto address = asio::ip::make_address(listen ? listen->address : std::string(), error);
    if (error) return config_.api.listen + ": " + error.message();
    const asio::ip::tcp::endpoint endpoint(address, listen->port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return config_.api.listen + ": " + error.message();
    log_.info(
        "the {} at {}://{}/", files_.has_page() ? "dashboard and the API are" : "API is",
        secure ? "https" : "http",
        to_string(config::ListenAddress{listen->address, acceptor_.local_endpoint(error).port()}));
    accept();
    return {};
}

void ApiServer::set_settings(const config::ApiConfig &changed) {
    config::ApiConfig now = config_.api;
    now.tokens_file = changed.tokens_file;
    now.allowed_hosts = changed.allowed_hosts;
    admission_.set_settings(now);
    if (!admission_.header_checks().secure() || changed.tls.certificate_file.empty()) return;
    if (const std::string wrong = tls_.load(changed.tls); !wrong.empty())
        log_.error(
            "cannot reload the certificate of the HTTP API; the previous one stays in use: {}",
            wrong);
}

void ApiServer::accept() {
    acceptor_.async_accept(
        [this](const boost::system::error_code &error, asio::ip::tcp::socket socket) {
            if (error == asio::error::operation_aborted) return;
            if (!error) {
                take(std::move(socket));
                return accept();
            }
            // For example, no free descriptor.
            pause_.expires_after(kAcceptPause);
            pause_.async_wait([this](const boost::system::error_code &cut) {
                if (!cut) accept();
            });
        });
}

void ApiServer::take(asio::ip::tcp::socket socket) {
    boost::system::error_code error;
    const auto peer = socket.remote_endpoint(error);
    if (error || !make_room(peer.address().to_string())) return;
    socket.set_option(asio::ip::tcp::no_delay(true), error);
    start_http_connection(*this, std::move(socket), peer.address().to_string(),
                          admission_.header_checks().secure() ? &tls_ : nullptr);
}

bool ApiServer::make_room(const std::string &address) {
    const ConnectionSeats::Answer answer = seats_.ask(
        address, [this](std::uint64_t number) { return connections_.at(number)->waits(); });
    if (!answer.leaves) return answer.admitted;
    const auto leaving = connections_.extract(*answer.leaves);
    seats_.leave(*answer.leaves);
    leaving.mapped()->close();
    return true;
}

void ApiServer::keep(const std::shared_ptr<Connection> &connection, const std::string &address) {
    connections_.emplace(++last_connection_, connection);
    seats_.enter(last_connection_, address);
}

void ApiServer::forget(const std::shared_ptr<Connection> &connection) {
    const auto kept =
        std::ranges::find(connections_, connection, [](const auto &entry) { return entry.second; });
    if (kept == connections_.end()) return;
    seats_.leave(kept->first);
    connections_.erase(kept);
}

// ---- requests
// ------------------------------------------------------------------------------------

std::optional<Answer> ApiServer::admit(Call &call, const Credentials &credentials) {
    return admission_.admit(call, credentials, monotonic_now());
}

std::shared_ptr<void> ApiServer::serve(Call call, std::function<void(Answer)> reply) {
    Outcome outcome = api_.handle(call, moment_now());
    if (const auto *receive = std::get_if<ReceiveRequest>(&outcome))
        return gateway_.receive(*receive, std::move(reply));
    if (auto *answer = std::get_if<Answer>(&outcome)) {
        reply(std::move(*answer));
    } else if (const auto *file = std::get_if<StaticFile>(&outcome)) {
        reply(files_.serve(file->path, call));
    } else if (const auto *query = std::get_if<HistoryQuery>(&outcome)) {
        read_history_(*query, [reply, query = *query](const HistoryReply &found) {
            reply(answer_of(query, found));
        });
    } else if (auto *send = std::get_if<SendRequest>(&outcome)) {
        gateway_.send(std::move(*send), std::move(call.body), std::move(reply));
    } else if (const auto *accept = std::get_if<AcceptRequest>(&outcome)) {
        reply(gateway_.accept(*accept));
    } else if (std::holds_alternative<MessagesRequest>(outcome) ||
               std::holds_alternative<WatchRequest>(outcome)) {
        reply(no_websocket());
    } else {
        run(std::move(call), std::move(std::get<Command>(outcome)), std::move(reply));
    }
    return nullptr;
}

std::shared_ptr<AppUpload> ApiServer::open(Call call, std::uint64_t bytes,
                                           std::function<void(Answer)> reply) {
    Outcome outcome = api_.handle(call, moment_now());
    if (auto *send = std::get_if<SendRequest>(&outcome))
        return gateway_.open(std::move(*send), bytes, std::move(reply));
    auto *answer = std::get_if<Answer>(&outcome);
    reply(answer != nullptr ? std::move(*answer) : problem(404, "no such path"));
    return nullptr;
}

WebSocketRequest ApiServer::open_websocket(const Call &call) {
    Outcome outcome = api_.handle(call, moment_now());
    if (auto *messages = std::get_if<MessagesRequest>(&outcome)) {
        if (gateway_.socket().empty()) return AppGateway::no_socket();
        return std::move(*messages);
    }
    if (auto *watch = std::get_if<WatchRequest>(&outcome)) {
        if (config_.history.bundles == 0)
            return problem(409, "this node keeps no bundle history (`history.bundles`)");
        return std::move(*watch);
    }
    auto *answer = std::get_if<Answer>(&outcome);
    return answer != nullptr ? std::move(*answer) : problem(404, "no such path");
}

void ApiServer::run(Call call, Command command, std::function<void(Answer)> reply) {
    call.body.clear();
    const TimePoint until = monotonic_now() + command.patience;
    Pending pending{std::move(command), std::move(call), std::move(reply), until};
    if (pending_.size() >= kMostCommands)
        return finish(std::move(pending),
                      problem(503, "too many commands at the same time; try again"));
    if (!supervised_) return finish(std::move(pending), problem(503, kNoSupervisor));
    const std::uint64_t id = ++last_id_;
    const std::string request = std::exchange(pending.command.request, {});
    if (!pending.command.change.empty())
        pending.values = values_of(request, pending.command, view_.state().links().json());
    const std::string caller = pending.call.caller;
    pending_.emplace(id, std::move(pending));
    ask_(id, caller, request);
}

void ApiServer::handle_reply(std::uint64_t id, std::string_view reply) {
    auto found = pending_.extract(id);
    if (found.empty()) return;
    Answer answer = Api::answer_of(found.mapped().command, reply);
    finish(std::move(found.mapped()), std::move(answer));
}

void ApiServer::finish(Pending pending, Answer answer) {
    if (!pending.command.change.empty()) {
        note_change(pending, answer);
        on_change_();
    }
    pending.reply(std::move(answer));
}

void ApiServer::note_change(const Pending &pending, const Answer &answer) {
    const Moment moment = moment_now();
    const bool done = answer.status < kFirstError;
    const std::string detail = done ? std::string() : detail_of(answer);
    audit_.write({.time = moment.wall,
                  .who = pending.call.caller,
                  .change = pending.command.change,
                  .values = pending.values,
                  .done = done,
                  .detail = detail,
                  .request = pending.call.method + ' ' + pending.call.target,
                  .status = answer.status});
    view_.note({done ? "info" : "warning", "telemetry", "command", pending.command.link,
                pending.command.change + " by " + pending.call.caller + (done ? "" : " refused") +
                    (detail.empty() ? "" : ": " + detail)},
               moment);
}

// Pending requests fail at once, not at their time limits.
void ApiServer::handle_supervisor(bool there) {
    supervised_ = there;
    if (!there)
        give_up([](const Pending &) { return true; },
                "the supervisor of the node has ended; the command may have been executed");
}

void ApiServer::handle_second() {
    const TimePoint now = monotonic_now();
    admission_.handle_second(now);
    gateway_.handle_second();
    give_up([now](const Pending &pending) { return pending.until <= now; },
            "no reply from the supervisor of the node; try again");
}

template <class Chosen>
void ApiServer::give_up(const Chosen &chosen, const char *why) {
    std::vector<std::uint64_t> ended;
    for (const auto &[id, pending] : pending_)
        if (chosen(pending)) ended.push_back(id);
    for (const std::uint64_t id : ended)
        finish(std::move(pending_.extract(id).mapped()), problem(503, why));
}

// ---- updates
// -------------------------------------------------------------------------------------

void ApiServer::subscribe(const std::shared_ptr<Subscriber> &subscriber, unsigned rate) {
    hub_.add(subscriber, rate, moment_now());
    if (!std::exchange(turning_, true)) {
        turn_.expires_after(kTurn);
        begin_turns();
    }
}

void ApiServer::unsubscribe(const std::shared_ptr<Subscriber> &subscriber) {
    hub_.remove(subscriber);
    watchers_.remove(subscriber);
}

bool ApiServer::watch(const std::shared_ptr<Subscriber> &subscriber,
                      const history::WatchRules &rules) {
    if (!watchers_.add(subscriber, rules)) return false;
    if (!std::exchange(looking_, true)) begin_looks();
    return true;
}

void ApiServer::begin_looks() {
    look_.expires_after(WatchHub::kLookEvery);
    look_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        watchers_.look(monotonic_now());
        looking_ = !watchers_.empty();
        if (looking_) begin_looks();
    });
}

void ApiServer::begin_turns() {
    turn_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        hub_.turn(moment_now());
        turning_ = !hub_.empty();
        if (!turning_) return;
        turn_.expires_after(kTurn);
        begin_turns();
    });
}

}  // namespace farlink::telemetry
