// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/control_commands.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/farlinkctl/bundle/bundle_print.hpp"
#include "apps/farlinkctl/node/control_print.hpp"
#include "apps/farlinkctl/node/link_options.hpp"
#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_tables.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/store_files/storage_request.hpp"
#include "apps/shared/control/control_client.hpp"
#include "apps/shared/control/ping_run.hpp"
#include "common/plan/contact_plan.hpp"
#include "common/plan/write_plan.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// A number is seconds from now ("+60" too); any other text is sent to the node unchanged.
Json time_of(const std::string &text) {
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() && *end == '\0') return number;
    return text;
}

/// The contact that the command line describes; options that were not given are left out.
Json contact_of(const ControlOptions &options) {
    Json contact{{"contact", options.contacts.front()}};
    if (options.source) contact["source"] = *options.source;
    if (options.destination) contact["dest"] = *options.destination;
    if (!options.start.empty()) contact["startTime"] = time_of(options.start);
    if (!options.end.empty()) contact["endTime"] = time_of(options.end);
    if (options.rate_bits_per_s) contact["rateBitsPerSec"] = *options.rate_bits_per_s;
    if (options.owlt_s) contact["owlt"] = *options.owlt_s;
    if (options.repeat_s) contact["repeatSeconds"] = *options.repeat_s;
    if (!options.until.empty()) contact["until"] = time_of(options.until);
    return contact;
}

/// The reply of a node to a plan with these errors.
Json refusal_of(const config::ConfigErrors &errors) {
    Json list = Json::array();
    for (const config::ConfigError &error : errors.errors)
        list.push_back({{"path", error.path},
                        {"problem", error.problem},
                        {"expected", error.expected},
                        {"hint", error.hint}});
    return {{"ok", false},
            {"error", errors.source + ": plan refused; nothing has changed"},
            {"errors", list}};
}

/// The contacts of a plan in JSON or in ION's commands, as the text of a list; an error has the
/// form of a reply.
Result<std::string, Json> contacts_of_file(const std::string &file) {
    const auto plan = config::load_contact_plan(file, read_wall_clock().dtn_ms);
    if (!plan) return fail(refusal_of(plan.error()));
    std::fputs(plan->notes.to_string().c_str(), stderr);
    return config::write_json_contacts(*plan);
}

Json question_of(const ControlOptions &options) {
    // The node number 0 is that of no node: an anonymous source, or an endpoint of the dtn scheme.
    const auto from = endpoint_of(options.from).value_or(EndpointNumbers{});
    const auto to = endpoint_of(options.to).value_or(EndpointNumbers{});
    Json question{{"command", options.command},
                  {"source", from.node},
                  {"destination", to.node},
                  {"service", to.service},
                  {"sizeBytes", options.size_bytes}};
    if (is_dtn_endpoint(options.to)) question["destination"] = options.to;
    if (!options.priority.empty()) question["priority"] = options.priority;
    if (options.lifetime_s) question["lifetimeSeconds"] = *options.lifetime_s;
    if (options.sender) question["sender"] = *options.sender;
    if (options.critical) question["critical"] = true;
    return question;
}

Result<Json, Json> request_of(const ControlOptions &options) {
    if (options.command == "routes explain") return question_of(options);
    if (options.command == "bundle find")
        return Json{
            {"command", options.command}, {"id", options.bundle_id}, {"limit", options.limit}};
    if (options.command.starts_with("link ")) {
        auto request = link_request(options);
        if (!request) return fail(Json{{"ok", false}, {"error", request.error()}});
        return std::move(*request);
    }
    if (options.command.starts_with("storage "))
        return storage_request_of(options.command, options.storage);
    Json request{{"command", options.command}};
    if (options.dry_run) request["dryRun"] = true;
    if (options.partial) request["partial"] = true;
    if (!options.file.empty()) return request;  // text_of() adds its contacts
    if (options.command == "plan add" || options.command == "plan change") {
        request["contacts"] = Json::array({contact_of(options)});
    } else if (options.command == "plan remove") {
        request["contacts"] = options.contacts;
    } else if (options.command == "plan rollback") {
        request["version"] = options.version;
    }
    return request;
}

/// The request as it is sent. A plan of many contacts is written as text at once.
Result<std::string, Json> text_of(const ControlOptions &options, const Json &request) {
    std::string text = request.dump();
    if (options.file.empty() || !options.command.starts_with("plan ")) return text;
    const auto contacts = contacts_of_file(options.file);
    if (!contacts) return fail(contacts.error());
    text.pop_back();  // the brace
    return text.append(",\"contacts\":").append(*contacts).append("}");
}

int publish(const ControlOptions &options, const Json &reply) {
    const bool good = reply.at("ok") == true;
    if (options.json)
        std::puts(reply.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    else if (good)
        print_reply(options.command, reply);
    else
        print_refusal(reply);
    if (options.command == "bundle find" && good && !has_found(reply)) return kExitFailed;
    return good ? kExitClean : kExitFailed;
}

/// Telemetry has the reasons of links that are down; without it they are not shown.
void ask_for_reasons(const std::string &socket, Json &status) {
    const Json links = status.value("links", Json::array());
    const bool all_up =
        std::ranges::all_of(links, [](const Json &link) { return link.value("connected", false); });
    const Json modules = status.value("modules", Json::object());
    if (all_up || modules.value("telemetry", std::string()) != "ready") return;
    const auto shown = StateClient(socket).show("/api/v1/links");
    if (shown) add_reasons(status, shown->value("links", Json::array()));
}

}  // namespace

int command_node(const ControlOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    if (options.command == "ping")
        return ping_by(*socket, options.ping, options.json, "farlinkctl");
    const auto request = request_of(options);
    if (!request) return publish(options, request.error());
    const bool deletes = options.command == "storage delete";
    auto text = deletes ? Result<std::string, Json>() : text_of(options, *request);
    if (!text) return publish(options, text.error());
    auto reply =
        deletes ? delete_all(*socket, *request) : ask_node_in_text(*socket, std::move(*text));
    if (!reply) return failed(reply.error());
    if (options.command == "status" && reply->at("ok") == true) ask_for_reasons(*socket, *reply);
    return publish(options, *reply);
}

}  // namespace farlink::ctl
