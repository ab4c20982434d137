// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store/storage_reply.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store/store_print.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

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
        std::printf("%zu bundles shown, more follow: use --after %s, or --limit\n", rows.size() - 1,
                    text(reply, "next").c_str());
}

/// `storage show` with bundles.
void print_details(const Json &reply) {
    bool first = true;
    for (const Json &bundle : reply.at("bundles")) {
        if (!std::exchange(first, false)) std::puts("");
        print_fields(bundle);
    }
    if (first) std::puts("no bundles");
    if (is_true(reply, "more")) std::puts("\nmore bundles: `storage list` prints all");
}

}  // namespace

void print_deletion(const Json &reply) {
    std::printf("%s bundles deleted, %s bytes\n", text(reply, "deleted").c_str(),
                text(reply, "deletedBytes").c_str());
    if (reply.at("kept") != 0U)
        std::printf("%s kept: being written or sent; repeat the command later\n",
                    text(reply, "kept").c_str());
    if (reply.at("keptInCustody") != 0U)
        std::printf("%s kept: in custody of this node; --force deletes them\n",
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

void print_storage(const std::string &command, const Json &reply) {
    if (command == "storage list") return print_bundles(reply);
    if (command == "storage show") return print_details(reply);
    if (command == "storage delete") return print_deletion(reply);
    print_holds(reply);
}

}  // namespace farlink::ctl
