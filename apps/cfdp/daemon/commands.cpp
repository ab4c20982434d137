// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/commands.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace farlink::cfdpd {
namespace {

using Json = nlohmann::ordered_json;

Json refusal(std::string reason) {
    return {{"ok", false}, {"error", std::move(reason)}};
}

std::string text_in(const Json &request, const char *key) {
    const auto found = request.find(key);
    return found != request.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> number_in(const Json &request, const char *key) {
    const auto found = request.find(key);
    if (found == request.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
}

/// Of "10/5".
std::optional<cfdp::TransactionId> id_in(const Json &request) {
    const std::string text = text_in(request, "id");
    const char *const end = text.data() + text.size();
    cfdp::TransactionId id;
    const auto source = std::from_chars(text.data(), end, id.source);
    if (source.ec != std::errc() || source.ptr == end || *source.ptr != '/') return std::nullopt;
    const auto sequence = std::from_chars(source.ptr + 1, end, id.sequence);
    if (sequence.ec != std::errc() || sequence.ptr != end) return std::nullopt;
    return id;
}

Json json_of(const cfdp::Report &report) {
    Json json{{"id", text_of(report.id)},
              {"direction", report.sending ? "out" : "in"},
              {"entity", report.remote},
              {"class", report.acknowledged ? 2 : 1},
              {"state", report.suspended ? "suspended" : report.state},
              {"source", report.source_name},
              {"destination", report.destination_name},
              {"fileBytes", report.file_size},
              {"progressBytes", report.progress},
              {"repeatedBytes", report.repeated},
              {"condition", name_of(report.condition)},
              {"ended", report.outcome.has_value()}};
    if (!report.outcome) return json;
    json["complete"] = report.outcome->ok();
    json["abandoned"] = report.outcome->abandoned;
    if (!report.outcome->name.empty()) json["file"] = report.outcome->name;
    return json;
}

Json counters_json(const cfdp::EntityCounters &counters) {
    Json malformed = Json::object();
    for (std::size_t i = 0; i < cfdp::kPduErrors; ++i)
        malformed[std::string(name_of(static_cast<cfdp::PduError>(i)))] = counters.malformed[i];
    return {{"receivedPdus", counters.received},
            {"sentPdus", counters.sent},
            {"malformed", malformed},
            {"notOurs", counters.not_ours},
            {"tooMany", counters.too_many},
            {"ofEnded", counters.ended}};
}

const cfdp::RemoteSettings *settings_of(Daemon &daemon, cfdp::EntityId entity) {
    const auto found = daemon.entity().remotes().find(entity);
    return found == daemon.entity().remotes().end() ? nullptr : &found->second;
}

Json put(Daemon &daemon, const Json &request) {
    const auto entity = number_in(request, "entity");
    if (!entity) return refusal("put needs an entity");
    const cfdp::RemoteSettings *const settings = settings_of(daemon, *entity);
    if (settings == nullptr)
        return refusal("entity " + std::to_string(*entity) + " is not configured");
    cfdp::PutRequest wanted{.destination = *entity,
                            .source_name = text_in(request, "source"),
                            .destination_name = text_in(request, "destination"),
                            .acknowledged = settings->acknowledged,
                            .closure = settings->closure,
                            .checksum = settings->checksum};
    if (const auto service_class = number_in(request, "class"))
        wanted.acknowledged = *service_class == 2;
    if (const auto closure = request.find("closure");
        closure != request.end() && closure->is_boolean())
        wanted.closure = closure->get<bool>();
    if (const std::string name = text_in(request, "checksum"); !name.empty()) {
        const auto algorithm = cfdp::algorithm_named(name);
        if (!algorithm) return refusal("there is no checksum " + name);
        wanted.checksum = *algorithm;
    }
    const auto id = daemon.put(wanted);
    if (!id) return refusal(id.error());
    return {{"ok", true}, {"id", text_of(*id)}};
}

Json list(Daemon &daemon) {
    Json transactions = Json::array();
    for (const cfdp::Report &report : daemon.entity().reports())
        transactions.push_back(json_of(report));
    return {{"ok", true}, {"transactions", std::move(transactions)}};
}

Json status(Daemon &daemon, const Json &request) {
    if (!request.contains("id"))
        return {{"ok", true},
                {"entity", daemon.config().entity},
                {"underWay", daemon.entity().active()},
                {"counters", counters_json(daemon.entity().counters())}};
    const auto id = id_in(request);
    const auto report = id ? daemon.entity().report(*id) : std::nullopt;
    if (!report || (!report->outcome && report->state.empty()))
        return refusal("there is no such transaction");
    return {{"ok", true}, {"transaction", json_of(*report)}};
}

Json change(Daemon &daemon, const std::string &command, const Json &request) {
    const auto id = id_in(request);
    if (!id) return refusal("an id is a source entity and a number: 10/5");
    const TimePoint now = monotonic_now();
    cfdp::Entity &entity = daemon.entity();
    const bool done = command == "cancel"    ? entity.cancel(*id, now)
                      : command == "suspend" ? entity.suspend(*id, now)
                                             : entity.resume(*id, now);
    if (!done) return refusal("no such transaction is under way");
    return {{"ok", true}};
}

Json reply_json(Daemon &daemon, const Json &request) {
    const std::string command = text_in(request, "command");
    if (command == "put") return put(daemon, request);
    if (command == "ls") return list(daemon);
    if (command == "status") return status(daemon, request);
    if (command == "cancel" || command == "suspend" || command == "resume")
        return change(daemon, command, request);
    return refusal("there is no command \"" + command + '"');
}

}  // namespace

std::string reply_to(Daemon &daemon, std::string_view line) {
    const Json request = Json::parse(line, nullptr, false);
    const Json reply = request.is_object() ? reply_json(daemon, request)
                                           : refusal("a request is an object of JSON");
    daemon.pump();
    // Names of others may be no UTF-8.
    return reply.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace farlink::cfdpd
