// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/route_print.hpp"

#include <cstdio>

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// "30 by link 2", "30 by link 2 (down)", "30 by link 2 (down by operator)", "30 (no link)"
std::string hop_words(const Json &hop) {
    if (text(hop, "link") == "-") return text(hop, "nextHop") + " (no link)";
    const bool down = hop.contains("up") && !is_true(hop, "up");
    const bool disabled = hop.contains("enabled") && !is_true(hop, "enabled");
    return text(hop, "nextHop") + " by link " + text(hop, "link") +
           (disabled ? " (down by operator)"
            : down   ? " (down)"
                     : "");
}

/// The bundles to which a policy applies.
std::string bundles_of(const Json &policy) {
    std::string words;
    for (const auto &[key, word] :
         {std::pair("source", "from node "), std::pair("destination", "to "),
          std::pair("service", "to service "), std::pair("priority", "")})
        if (policy.contains(key)) words += (words.empty() ? "" : ", ") + (word + text(policy, key));
    return words.empty() ? "all" : words;
}

std::string effect_of(const Json &policy) {
    std::string words;
    for (const Json &path : policy.value("paths", Json::array())) {
        words += (words.empty() ? "" : ", ") + hop_words(path);
        if (path.contains("weight")) words += " weight " + text(path, "weight");
    }
    if (policy.contains("assignPriority"))
        words += (words.empty() ? "" : "; ") + ("become " + text(policy, "assignPriority"));
    if (is_true(policy, "critical"))
        words += (words.empty() ? "" : "; ") + std::string("all next hops");
    return words;
}

void print_policies(const Json &policies) {
    if (policies.empty()) return;
    std::vector<Row> rows{{"policy", "bundles", "next hops, best first"}};
    for (const Json &policy : policies)
        rows.push_back({std::to_string(rows.size()), bundles_of(policy), effect_of(policy)});
    print_rows(rows);
    std::puts("");
}

}  // namespace

std::string next_hops(const Json &candidates) {
    std::string words;
    for (const Json &candidate : candidates)
        words += (words.empty() ? "" : ", ") + hop_words(candidate);
    return words.empty() ? "none" : words;
}

void print_routes(const Json &reply) {
    print_policies(reply.value("policies", Json::array()));
    std::vector<Row> rows{{"destination", "by", "earliest arrival", "next hops, best first"}};
    for (const Json &route : reply.value("routes", Json::array())) {
        const Json candidates = route.value("candidates", Json::array());
        rows.push_back({text(route, "destination"), "plan",
                        candidates.empty() ? "-" : text(candidates[0], "arrival"),
                        next_hops(candidates)});
    }
    for (const Json &route : reply.value("staticRoutes", Json::array()))
        rows.push_back({text(route, "destination"), "static route", "-", hop_words(route)});
    if (const Json gateway = reply.value("defaultGateway", Json()); gateway.is_object())
        rows.push_back({"any other", "default gateway", "-", hop_words(gateway)});
    print_rows(rows);
}

std::string explained_bundle(const Json &reply) {
    const std::string node = text(reply, "destination");
    std::string to = "node " + node;
    if (reply.contains("destinationEndpoint"))
        to = cell(reply, "destinationEndpoint") + (node == "0" ? "" : " (" + to + ")");
    const std::string source = text(reply, "source");
    const std::string from = source == "0" ? "a source without a node number, which matches no "
                                             "`sourceNodeId`,"
                                           : "node " + source;
    return "bundle from " + from + " to " + to + ": " + text(reply, "sizeBytes") +
           " bytes, priority " + text(reply, "priority") +
           (is_true(reply, "critical") ? ", critical" : "") + ", expiry " + text(reply, "expiry");
}

void print_explanation(const Json &reply) {
    const Json ways = reply.value("ways", Json::array());
    if (!ways.empty()) std::puts(explained_bundle(reply).c_str());
    std::vector<Row> rows{{"rule", "next hop", "arrival", "residual volume", "why"}};
    for (const Json &way : ways) {
        std::string rule = text(way, "rule");
        if (way.contains("policy")) rule += ' ' + text(way, "policy");
        rows.push_back(
            {rule, hop_words(way), text(way, "arrival"), text(way, "roomBytes"), text(way, "why")});
    }
    if (rows.size() > 1) print_rows(rows);
    std::puts(text(reply, "outcome").c_str());
}

}  // namespace farlink::ctl
