// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/storage_reply.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/base/counted.hpp"

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
        std::printf("%s shown; for more use --after %s, or --limit\n",
                    counted(rows.size() - 1, "bundle").c_str(), text(reply, "next").c_str());
}

/// "100-200, 300-400 and 3 more"
std::string missing_text(const Json &set) {
    std::string ranges;
    for (const Json &range : set.at("missing"))
        ranges += (ranges.empty() ? "" : ", ") + text(range, "from") + '-' + text(range, "to");
    const double more = number(set, "gaps") - static_cast<double>(set.at("missing").size());
    if (more > 0) ranges += " and " + std::to_string(static_cast<std::uint64_t>(more)) + " more";
    return ranges.empty() ? "-" : ranges;
}

void print_sets(const Json &reply) {
    std::vector<Row> rows{{"set", "state", "source", "created", "sequence", "destination", "bytes",
                           "of", "fragments", "missing", "expires"}};
    for (const Json &set : reply.at("sets"))
        rows.push_back({text(set, "set"), text(set, "state"), text(set, "source"),
                        text(set, "created"), text(set, "sequence"), text(set, "destination"),
                        text(set, "storedBytes"), text(set, "totalBytes"), text(set, "fragments"),
                        missing_text(set), text(set, "expires")});
    if (rows.size() == 1)
        std::puts("no fragment sets");
    else
        print_rows(rows);
    if (is_true(reply, "more"))
        std::printf("%zu sets shown; for more use --after %s, or --limit\n", rows.size() - 1,
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
    if (is_true(reply, "more"))
        std::puts("\nonly some of the bundles are shown: `storage list` prints all");
}

}  // namespace

void print_deletion(const Json &reply) {
    std::printf("%s deleted, %s\n", counted_text(reply, "deleted", "bundle").c_str(),
                counted_text(reply, "deletedBytes", "byte").c_str());
    if (reply.at("kept") != 0U)
        std::printf("%s kept, since they are being written or sent; repeat the command later\n",
                    counted_text(reply, "kept", "bundle").c_str());
    if (reply.at("keptInCustody") != 0U)
        std::printf("%s kept, since they are in custody of this node; --force deletes them\n",
                    counted_text(reply, "keptInCustody", "bundle").c_str());
}

void print_holds(const Json &reply) {
    if (reply.at("held").empty()) return (void)std::puts("no bundles are held");
    std::string nodes;
    for (const Json &node : reply.at("held"))
        nodes += (nodes.empty() ? "" : ", ") +
                 (node.is_string() ? node.get<std::string>() : node.dump());
    std::printf("bundles are held for node %s\n", nodes.c_str());
}

void print_storage(const std::string &command, const Json &reply) {
    if (command == "storage list") return print_bundles(reply);
    if (command == "storage sets") return print_sets(reply);
    if (command == "storage show") return print_details(reply);
    if (command == "storage delete") return print_deletion(reply);
    print_holds(reply);
}

}  // namespace farlink::ctl
