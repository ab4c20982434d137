// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/bundle/bundle_print.hpp"

#include <cstdio>
#include <string>

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Json &reply, const char *key) {
    const auto found = reply.find(key);
    return found != reply.end() && found->is_array() ? *found : Json::array();
}

void print_held(const Json &held) {
    std::vector<Row> rows{{"held", "state", "destination", "bytes", "expires"}};
    for (const Json &bundle : held)
        rows.push_back({text(bundle, "bundle"), text(bundle, "state"), cell(bundle, "destination"),
                        text(bundle, "bytes"), text(bundle, "expires")});
    print_rows(rows);
}

void print_past(const Json &past) {
    std::vector<Row> rows{
        {"time", "outcome", "reason", "link", "from node", "bundle", "destination", "bytes"}};
    for (const Json &bundle : past)
        rows.push_back({text(bundle, "time"), text(bundle, "outcome"), text(bundle, "reason"),
                        text(bundle, "link"), text(bundle, "previousNode"), cell(bundle, "id"),
                        cell(bundle, "destination"), text(bundle, "bytes")});
    print_rows(rows);
}

void print_limits(const Json &reply) {
    if (is_true(reply, "more")) std::puts("\nfurther records: `--limit` prints more");
    if (is_true(reply, "heldMore"))
        std::printf("\nsearched the first %s stored bundles; `storage list` prints all\n",
                    text(reply, "heldSearched").c_str());
    if (reply.contains("heldError"))
        std::printf("\nno reply about stored bundles: %s\n", cell(reply, "heldError").c_str());
    const Json history = reply.value("history", Json::object());
    if (number(history, "files") == 0)
        std::puts("\nthis node keeps no bundle history (`history.bundles`)");
    else if (number(history, "unrecorded") > 0)
        std::printf("\nbundles that ended without a record: %s\n",
                    text(history, "unrecorded").c_str());
}

}  // namespace

bool has_found(const Json &reply) {
    return !list_of(reply, "held").empty() || !list_of(reply, "past").empty();
}

void print_found(const Json &reply) {
    const Json held = list_of(reply, "held");
    const Json past = list_of(reply, "past");
    if (!held.empty()) print_held(held);
    if (!held.empty() && !past.empty()) std::puts("");
    if (!past.empty()) print_past(past);
    if (held.empty() && past.empty())
        std::printf(
            "%s: not stored at this node, and not in the bundle history, which begins at %s\n",
            cell(reply, "id").c_str(),
            text(reply.value("history", Json::object()), "oldest").c_str());
    print_limits(reply);
}

}  // namespace farlink::ctl
