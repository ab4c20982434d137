// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/commands.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace farlink::cfdpd {
namespace {

using Json = nlohmann::ordered_json;

/// Of ended transactions.
constexpr std::uint64_t kMostEndedInReply = 1'000;
constexpr const char *kNoId = "`id`: expected a source entity and a number, such as 10/5";

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

Json texts_of(const std::vector<Bytes> &messages) {
    Json texts = Json::array();
    for (const Bytes &each : messages)
        if (!cfdp::reserved_message_type(each)) texts.push_back(std::string(as_text(each)));
    return texts;
}

Json responses_json(const std::vector<cfdp::FilestoreResponse> &responses) {
    Json all = Json::array();
    for (const cfdp::FilestoreResponse &each : responses) {
        Json json{{"action", name_of(each.request.action)}, {"first", each.request.first_name}};
        if (has_second_name(each.request.action)) json["second"] = each.request.second_name;
        json["result"] = name_of(each.result);
        all.push_back(std::move(json));
    }
    return all;
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
    if (Json texts = texts_of(report.messages); !texts.empty()) json["messages"] = texts;
    if (!report.outcome) return json;
    if (!report.outcome->responses.empty())
        json["requests"] = responses_json(report.outcome->responses);
    json["complete"] = report.outcome->ok();
    json["abandoned"] = report.outcome->abandoned;
    if (!report.outcome->name.empty()) json["file"] = report.outcome->name;
    return json;
}

Json counters_json(Daemon &daemon) {
    const cfdp::EntityCounters &counters = daemon.entity().counters();
    const cfdp::Shortage asked = cfdp::total_of(daemon.operations().shortages());
    Json malformed = Json::object();
    for (std::size_t i = 0; i < cfdp::kPduErrors; ++i)
        malformed[std::string(name_of(static_cast<cfdp::PduError>(i)))] = counters.malformed[i];
    return {{"receivedPdus", counters.received},
            {"sentPdus", counters.sent},
            {"malformed", malformed},
            {"notOurs", counters.not_ours},
            {"tooMany", counters.too_many},
            {"givenUp", counters.given_up},
            {"requestsRefused", asked.refused},
            {"requestsGivenUp", asked.given_up},
            {"ofEnded", counters.ended}};
}

const cfdp::RemoteSettings *settings_of(Daemon &daemon, cfdp::EntityId entity) {
    const auto found = daemon.entity().remotes().find(entity);
    return found == daemon.entity().remotes().end() ? nullptr : &found->second;
}

Json not_configured(cfdp::EntityId entity) {
    return refusal("entity " + std::to_string(entity) + " is not configured");
}

/// An empty text, or what is wrong.
std::string take_requests(const Json &list, cfdp::PutRequest &wanted) {
    for (const Json &each : list) {
        const auto action = cfdp::action_named(each.is_object() ? text_in(each, "action") : "");
        if (!action) return "`requests`: unknown action in a filestore request";
        const cfdp::FilestoreRequest request{*action, text_in(each, "first"),
                                             text_in(each, "second")};
        if (request.first_name.empty() ||
            request.second_name.empty() == cfdp::has_second_name(*action))
            return std::string(name_of(*action)) + (cfdp::has_second_name(*action)
                                                        ? ": expected two file names"
                                                        : ": expected one file name");
        auto value = cfdp::encode_filestore_request(request);
        if (!value) return "`requests`: the names of a filestore request are too long";
        wanted.options.push_back({cfdp::Tlv::kFilestoreRequest, std::move(*value)});
    }
    return {};
}

/// Reserved messages are made by their commands only.
std::string take_options(const Json &request, cfdp::PutRequest &wanted) {
    for (const Json &each : request.value("messages", Json::array())) {
        if (!each.is_string()) return "`messages`: expected texts";
        const auto text = each.get<std::string>();
        const ByteView octets = as_bytes(text);
        if (cfdp::reserved_message_type(octets))
            return "`messages`: a message must not begin with \"cfdp\"";
        wanted.options.push_back({cfdp::Tlv::kMessageToUser, {octets.begin(), octets.end()}});
    }
    return take_requests(request.value("requests", Json::array()), wanted);
}

Json put(Daemon &daemon, const Json &request) {
    const auto entity = number_in(request, "entity");
    if (!entity) return refusal("`entity`: expected the id of the destination entity");
    const cfdp::RemoteSettings *const settings = settings_of(daemon, *entity);
    if (settings == nullptr) return not_configured(*entity);
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
        if (!algorithm) return refusal("`checksum`: no such checksum: " + name);
        wanted.checksum = *algorithm;
    }
    if (std::string wrong = take_options(request, wanted); !wrong.empty())
        return refusal(std::move(wrong));
    const auto id = daemon.put(wanted);
    if (!id && daemon.entity().is_full())
        return {{"ok", false}, {"busy", true}, {"error", id.error()}};
    if (!id) return refusal(id.error());
    return {{"ok", true}, {"id", text_of(*id)}};
}

/// What another entity is asked to do: get, list, report, suspend, resume.
Json ask(Daemon &daemon, const std::string &command, cfdp::EntityId entity, const Json &request) {
    if (settings_of(daemon, entity) == nullptr) return not_configured(entity);
    cfdp::UserOperations &operations = daemon.operations();
    const auto about = id_in(request);
    const bool needs_id = command != "get" && command != "list";
    if (needs_id && !about) return refusal(kNoId);
    cfdp::UserOperations::Asked id;
    if (command == "get") {
        cfdp::UserOperations::Get wanted{entity, text_in(request, "source"),
                                         text_in(request, "destination"), std::nullopt};
        if (const auto service_class = number_in(request, "class"))
            wanted.acknowledged = *service_class == 2;
        id = operations.get(wanted);
    } else if (command == "list") {
        id = operations.list(entity, text_in(request, "folder"), text_in(request, "destination"));
    } else if (command == "report") {
        id = operations.report(entity, *about, text_in(request, "destination"));
    } else {
        id = operations.change(entity, *about, command == "resume");
    }
    if (!id) return refusal(id.error());
    return {{"ok", true}, {"id", text_of(*id)}};
}

Json operation(Daemon &daemon, const Json &request) {
    const auto id = id_in(request);
    const cfdp::Operation *const found = id ? daemon.operations().find(*id) : nullptr;
    if (found == nullptr) return refusal("no such operation");
    Json json{{"id", text_of(*id)},
              {"kind", found->kind},
              {"entity", found->remote},
              {"ended", found->ended},
              {"done", found->done},
              {"state", found->state},
              {"condition", name_of(found->condition)}};
    if (!found->file.empty()) {
        json["file"] = found->file;
        json["path"] = daemon.config().root + '/' + found->file;
    }
    return {{"ok", true}, {"operation", std::move(json)}};
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
                {"root", std::filesystem::absolute(daemon.config().root).string()},
                {"underWay", daemon.entity().active()},
                {"counters", counters_json(daemon)}};
    const auto id = id_in(request);
    const auto report = id ? daemon.entity().report(*id) : std::nullopt;
    if (!report || (!report->outcome && report->state.empty()))
        return refusal("no such transaction");
    return {{"ok", true}, {"transaction", json_of(*report)}};
}

/// Of those that have ended in this run, from number `after` on. `lost`: some are not kept.
Json ended(Daemon &daemon, const Json &request) {
    const cfdp::EndedTransactions &all = daemon.entity().ended();
    const std::uint64_t after = number_in(request, "after").value_or(all.count());
    const std::uint64_t begin = std::max(after, all.first());
    const std::uint64_t end = std::min(all.count(), begin + kMostEndedInReply);
    Json list = Json::array();
    for (std::uint64_t number = begin; number < end; ++number) {
        const cfdp::Report &report = all.report(number);
        list.push_back(Json::array({text_of(report.id), report.outcome->ok()}));
    }
    return {{"ok", true}, {"next", end}, {"lost", begin > after}, {"ended", std::move(list)}};
}

Json change(Daemon &daemon, const std::string &command, const Json &request) {
    const auto id = id_in(request);
    if (!id) return refusal(kNoId);
    if (const auto at = number_in(request, "at")) return ask(daemon, command, *at, request);
    const TimePoint now = monotonic_now();
    cfdp::Entity &entity = daemon.entity();
    const bool done = command == "cancel"    ? entity.cancel(*id, now)
                      : command == "suspend" ? entity.suspend(*id, now)
                                             : entity.resume(*id, now);
    if (!done) return refusal("no such transaction is in progress");
    return {{"ok", true}};
}

Json reply_json(Daemon &daemon, const Json &request) {
    const std::string command = text_in(request, "command");
    if (command == "put") return put(daemon, request);
    if (command == "ls") return list(daemon);
    if (command == "status") return status(daemon, request);
    if (command == "ended") return ended(daemon, request);
    if (command == "operation") return operation(daemon, request);
    if (command == "get" || command == "list" || command == "report") {
        const auto entity = number_in(request, "entity");
        return entity ? ask(daemon, command, *entity, request)
                      : refusal(command + " requires `entity`, the id of an entity");
    }
    if (command == "cancel" || command == "suspend" || command == "resume")
        return change(daemon, command, request);
    return refusal("no such command: \"" + command + '"');
}

// Names of others may be no UTF-8.
std::string text_of(const Json &reply) {
    return reply.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

Reply reply_to(Daemon &daemon, std::string_view line) {
    const Json request = Json::parse(line, nullptr, false);
    const Json reply = request.is_object() ? reply_json(daemon, request)
                                           : refusal("the request is not a JSON object");
    return {text_of(reply), id_in(reply)};
}

Reply unsaved_reply(const std::string &reason) {
    return {text_of(refusal("cannot write the request to the state folder: " + reason)), {}};
}

}  // namespace farlink::cfdpd
