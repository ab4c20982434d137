// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store/storage_commands.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "apps/control/control_client.hpp"
#include "apps/farlinkctl/node/control_commands.hpp"
#include "apps/farlinkctl/node/state_commands.hpp"
#include "apps/farlinkctl/options.hpp"
#include "apps/farlinkctl/reply_table.hpp"
#include "apps/farlinkctl/store/node_bundles.hpp"
#include "apps/farlinkctl/store/store_change.hpp"
#include "apps/farlinkctl/store/store_holds.hpp"
#include "apps/farlinkctl/store/store_look.hpp"
#include "apps/farlinkctl/store/store_print.hpp"
#include "apps/farlinkctl/store/store_task.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// All destinations.
constexpr const char *kEverything = "*:**";

void print_bundles(const Json &reply) {
    std::vector<Row> rows{{"bundle", "state", "source", "created", "sequence", "destination",
                           "priority", "custody", "bytes", "expires", "disk"}};
    for (const Json &bundle : reply.at("bundles"))
        rows.push_back({text(bundle, "bundle"), text(bundle, "state"), text(bundle, "source"),
                        text(bundle, "created"), text(bundle, "sequence"),
                        text(bundle, "destination"), text(bundle, "priority"),
                        is_true(bundle, "custody") ? "yes" : "no", text(bundle, "bytes"),
                        text(bundle, "expires"), text(bundle, "disk")});
    if (rows.size() == 1)
        std::puts("no bundles");
    else
        print_rows(rows);
    if (is_true(reply, "more"))
        std::printf("there are more: --after %s\n", text(reply, "next").c_str());
}

/// `storage show` with bundles.
void print_details(const Json &reply) {
    bool first = true;
    for (const Json &bundle : reply.at("bundles")) {
        if (!std::exchange(first, false)) std::puts("");
        print_fields(bundle);
    }
    if (first) std::puts("no bundles");
    if (is_true(reply, "more")) std::puts("\nthere are more: `storage list` tells all");
}

/// As the node calls it.
const char *request_name(StorageVerb verb) {
    switch (verb) {
        case StorageVerb::kShow:
            return "storage show";
        case StorageVerb::kDelete:
            return "storage delete";
        case StorageVerb::kHold:
            return "storage hold";
        case StorageVerb::kRelease:
            return "storage release";
        case StorageVerb::kHolds:
            return "storage holds";
        default:
            return "storage list";
    }
}

int ask_running(const StorageOptions &options) {
    if (options.verb == StorageVerb::kExport) return export_kept(options);
    if (options.decoded) return show_decoded(options);
    if (options.verb == StorageVerb::kVerify || options.verb == StorageVerb::kCompact)
        return run_task(options);
    const bool overview = options.verb == StorageVerb::kShow && options.bundles.empty() &&
                          options.destination.empty() && !options.all;
    if (overview) {
        StateOptions state;
        state.verb = StateVerb::kStorage;
        state.node = options.node;
        state.json = options.json;
        return look_at_node(state);
    }
    ControlOptions control;
    control.command = request_name(options.verb);
    control.node = options.node;
    control.json = options.json;
    control.storage = options;
    return command_node(control);
}

int look_at_files(const StorageOptions &options) {
    switch (options.verb) {
        case StorageVerb::kList:
            return list_store(options);
        case StorageVerb::kShow:
            return show_stored(options);
        case StorageVerb::kExport:
            return export_stored(options);
        case StorageVerb::kVerify:
            return verify_store(options);
        case StorageVerb::kDelete:
            return delete_stored(options);
        case StorageVerb::kCompact:
            return compact_store(options);
        case StorageVerb::kHold:
        case StorageVerb::kRelease:
        case StorageVerb::kHolds:
            return change_holds(options);
        case StorageVerb::kNone:
            break;
    }
    return kExitBadUsage;
}

}  // namespace

int run_storage(const StorageOptions &options) {
    return options.directory.empty() ? ask_running(options) : look_at_files(options);
}

void print_deletion(const Json &reply) {
    std::printf("%s bundles deleted, %s bytes\n", text(reply, "deleted").c_str(),
                text(reply, "deletedBytes").c_str());
    if (reply.at("kept") != 0U)
        std::printf("%s kept: they are being written or sent just now\n",
                    text(reply, "kept").c_str());
    if (reply.at("keptInCustody") != 0U)
        std::printf("%s kept: this node is their custodian; --force deletes them all the same\n",
                    text(reply, "keptInCustody").c_str());
}

Json storage_request_of(const ControlOptions &options) {
    const StorageOptions &storage = options.storage;
    const bool shows = storage.verb == StorageVerb::kShow;
    Json request{{"command", shows ? "storage list" : options.command}};
    if (storage.held) request["destination"] = *storage.held;
    if (!storage.destination.empty()) request["destination"] = storage.destination;
    if (storage.all && !shows) request["destination"] = kEverything;
    // Numbers as text, as the node wants them, so that no program in between rounds them.
    if (!storage.bundles.empty()) request["bundles"] = storage.bundles;
    if (!storage.after.empty()) request["after"] = storage.after;
    if (storage.limit) request["limit"] = *storage.limit;
    if (storage.force) request["force"] = true;
    return request;
}

Result<Json, std::string> delete_all(const std::string &socket, Json request) {
    Json sum;
    for (;;) {
        auto reply = ask_node(socket, request);
        if (!reply || reply->at("ok") != true) return reply;
        if (!sum.is_null())
            for (const char *key : {"deleted", "deletedBytes", "kept", "keptInCustody"})
                (*reply)[key] = reply->at(key).get<std::uint64_t>() + sum[key].get<std::uint64_t>();
        sum = std::move(*reply);
        if (!is_true(sum, "more")) return sum;
        request["after"] = sum.at("next");
    }
}

void print_holds(const Json &reply) {
    if (reply.at("held").empty()) return (void)std::puts("no node is held");
    std::string nodes;
    for (const Json &node : reply.at("held"))
        nodes += (nodes.empty() ? "" : ", ") +
                 (node.is_string() ? node.get<std::string>() : node.dump());
    std::printf("held: bundles for node %s\n", nodes.c_str());
}

void print_storage(const std::string &command, const Json &reply) {
    if (command == "storage list") return print_bundles(reply);
    if (command == "storage show") return print_details(reply);
    if (command == "storage delete") return print_deletion(reply);
    print_holds(reply);
}

}  // namespace farlink::ctl
