// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/storage_commands.hpp"

#include <cstdio>
#include <vector>

#include "apps/control/control_client.hpp"
#include "apps/farlinkctl/reply_table.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// As the node wants them: text, so that no program in between rounds them.
Json names_of(const std::vector<std::uint64_t> &bundles) {
    Json names = Json::array();
    for (const std::uint64_t bundle : bundles) names.push_back(std::to_string(bundle));
    return names;
}

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

void print_holds(const Json &reply) {
    if (reply.at("held").empty()) return (void)std::puts("no node is held");
    std::string nodes;
    for (const Json &node : reply.at("held"))
        nodes += (nodes.empty() ? "" : ", ") +
                 (node.is_string() ? node.get<std::string>() : node.dump());
    std::printf("held: bundles for node %s\n", nodes.c_str());
}

}  // namespace

Json storage_request_of(const ControlOptions &options) {
    Json request{{"command", options.command}};
    const StorageOptions &storage = options.storage;
    if (storage.node) request["destination"] = *storage.node;
    if (!storage.destination.empty()) request["destination"] = storage.destination;
    if (!storage.bundles.empty()) request["bundles"] = names_of(storage.bundles);
    if (storage.after) request["after"] = std::to_string(*storage.after);
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

void print_storage(const std::string &command, const Json &reply) {
    if (command == "storage list") return print_bundles(reply);
    if (command == "storage delete") return print_deletion(reply);
    print_holds(reply);
}

}  // namespace farlink::ctl
