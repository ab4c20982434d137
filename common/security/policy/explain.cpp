// SPDX-License-Identifier: Apache-2.0
#include "common/security/policy/explain.hpp"

#include <algorithm>

#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::security {
namespace {

using config::SecurityAction;
using config::SecurityContext;
using config::SecurityDirection;
using config::SecurityRole;
using config::SecurityRule;

bool matches(const std::string &pattern, const bp::EidView &endpoint) {
    if (pattern.empty()) return true;
    const auto read = bp::EidPattern::parse(pattern);
    return read && read->matches(endpoint);
}

/// The first condition that the bundle does not fulfil; empty: it fulfils all.
std::string unmet(const SecurityRule &rule, const Asked &asked) {
    if (rule.link && rule.link != asked.link)
        return "link " + std::to_string(*rule.link) + " does not match";
    if (!matches(rule.destination, asked.destination))
        return "destination " + rule.destination + " does not match";
    if (!matches(rule.bundle_source, asked.source))
        return "bundleSource " + rule.bundle_source + " does not match";
    return {};
}

std::string listed(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string_view to_string(SecurityAction action) {
    switch (action) {
        case SecurityAction::kKeep:
            return "keep";
        case SecurityAction::kStripOperation:
            return "stripOperation";
        case SecurityAction::kStripTarget:
            return "stripTarget";
        case SecurityAction::kHold:
            return "hold";
        default:
            return "dropBundle";
    }
}

std::string_view verb_of(const SecurityRule &rule) {
    const bool signs = rule.context == SecurityContext::kIntegrity;
    switch (rule.role) {
        case SecurityRole::kSource:
            return signs ? "signs" : "encrypts";
        case SecurityRole::kVerifier:
            return signs ? "verifies" : "authenticates";
        default:
            return signs ? "verifies and removes the signature of" : "decrypts";
    }
}

}  // namespace

std::vector<Explanation> explain(const config::SecurityConfig &security, const Asked &asked) {
    std::vector<Explanation> all;
    for (const auto direction : {SecurityDirection::kIn, SecurityDirection::kOut})
        for (const auto context :
             {SecurityContext::kConfidentiality, SecurityContext::kIntegrity}) {
            Explanation made{direction, context};
            bool any = false;
            for (std::size_t at = 0; at < security.rules.size() && !made.rule; ++at) {
                const SecurityRule &rule = security.rules[at];
                if (rule.direction() != direction || rule.context != context) continue;
                any = true;
                const std::string why = unmet(rule, asked);
                if (why.empty())
                    made.rule = at;
                else
                    made.passed_over.push_back("rules[" + std::to_string(at) + "] \"" + rule.name +
                                               "\": " + why);
            }
            if (any) all.push_back(std::move(made));
        }
    return all;
}

std::string in_words(const SecurityRule &rule) {
    std::string text =
        std::string(verb_of(rule)) + ' ' + listed(rule.targets) + " with " + listed(rule.keys);
    if (!rule.security_source.empty()) text += ", security source " + rule.security_source;
    text += rule.required ? "; required" : "; not required";
    return text + "; on failure: " + std::string(to_string(rule.on_failure));
}

std::string_view to_string(SecurityDirection direction) {
    return direction == SecurityDirection::kIn ? "in" : "out";
}

std::string_view to_string(SecurityContext context) {
    return context == SecurityContext::kIntegrity ? "bib-hmac-sha2" : "bcb-aes-gcm";
}

}  // namespace farlink::security
