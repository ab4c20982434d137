// SPDX-License-Identifier: Apache-2.0
#include "common/security/policy/rule_index.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace farlink::security {
namespace {

using NodeKey = std::optional<std::uint64_t>;

NodeKey key_of_ipn(std::uint64_t node) {
    return 2 * node + 1;
}

NodeKey key_of_dtn(std::string_view node) {
    if (node.empty()) return std::nullopt;
    return std::hash<std::string_view>{}(node) & ~std::uint64_t{1};
}

/// The node of an endpoint. Two nodes may have one key; their rules are compared in any case.
NodeKey key_of(const bp::EidView &endpoint) {
    if (endpoint.scheme == bp::EidScheme::kIpn) return key_of_ipn(endpoint.node);
    if (endpoint.scheme == bp::EidScheme::kDtn) return key_of_dtn(bp::dtn_node_of(endpoint.name));
    return std::nullopt;
}

/// The only node with endpoints that match.
NodeKey key_of(const std::optional<bp::EidPattern> &pattern) {
    if (!pattern) return std::nullopt;
    if (pattern->is_endpoint()) return key_of(pattern->endpoint());
    if (const auto node = pattern->ipn_node()) return key_of_ipn(node->value());
    if (const auto node = pattern->dtn_node()) return key_of_dtn(*node);
    return std::nullopt;
}

std::optional<bp::EidPattern> read_pattern(const std::string &text) {
    return text.empty() ? std::nullopt : bp::EidPattern::parse(text);
}

}  // namespace

RuleIndex::RuleIndex(std::span<const config::SecurityRule> rules) {
    rules_.reserve(rules.size());
    for (const config::SecurityRule &rule : rules) {
        const auto place = static_cast<std::uint32_t>(rules_.size());
        Conditions &made = rules_.emplace_back(
            Conditions{read_pattern(rule.bundle_source), read_pattern(rule.destination),
                       rule.link ? std::optional(LinkId{*rule.link}) : std::nullopt,
                       FoundRules::slot(rule.direction(), rule.context)});
        if (const NodeKey destination = key_of(made.destination))
            by_destination_[*destination].push_back(place);
        else if (const NodeKey source = key_of(made.source))
            by_source_[*source].push_back(place);
        else
            others_.push_back(place);
    }
}

FoundRules RuleIndex::find(const bp::EidView &source, const bp::EidView &destination,
                           LinkId link) const {
    FoundRules found;
    const auto search = [&](const Places &places) {
        for (const std::uint32_t place : places) {
            std::uint32_t &first = found.places_[rules_[place].slot];
            if (place < first && fits(rules_[place], source, destination, link)) first = place;
        }
    };
    const auto look_up = [&](const Index &index, const bp::EidView &endpoint) {
        if (index.empty()) return;
        const NodeKey key = key_of(endpoint);
        if (!key) return;
        if (const auto at = index.find(*key); at != index.end()) search(at->second);
    };
    look_up(by_destination_, destination);
    look_up(by_source_, source);
    search(others_);
    return found;
}

bool RuleIndex::fits(const Conditions &rule, const bp::EidView &source,
                     const bp::EidView &destination, LinkId link) const {
    if (rule.link && *rule.link != link) return false;
    if (rule.destination && !rule.destination->matches(destination)) return false;
    return !rule.source || rule.source->matches(source);
}

}  // namespace farlink::security
