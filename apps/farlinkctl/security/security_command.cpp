// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/security/security_command.hpp"

#include <cstdio>

#include "apps/farlinkctl/shared/exit_code.hpp"
#if FARLINK_TLS
#include "apps/farlinkctl/security/key_files.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/security/policy/explain.hpp"
#endif

namespace farlink::ctl {
namespace {

#if FARLINK_TLS

const char *default_in_words(const config::SecurityConfig &rules) {
    return rules.fallback == config::SecurityDefault::kDrop ? "drop" : "pass";
}

void print(const security::Explanation &made, const config::SecurityConfig &rules) {
    std::printf("%s, %s: ", std::string(security::to_string(made.direction)).c_str(),
                std::string(security::to_string(made.context)).c_str());
    if (made.rule) {
        const config::SecurityRule &rule = rules.rules[*made.rule];
        std::printf("rules[%zu] \"%s\" %s\n", *made.rule, rule.name.c_str(),
                    security::in_words(rule).c_str());
    } else {
        std::printf("no matching rule\n");
    }
    for (const std::string &line : made.passed_over) std::printf("  not %s\n", line.c_str());
}

int explain_rules(const SecurityOptions &options) {
    const auto loaded = config::load_node_config(options.config);
    if (!loaded) {
        std::fputs(loaded.error().to_string().c_str(), stderr);
        return kExitFailed;
    }
    if (!loaded->security) {
        std::printf("no section `security`: all bundles pass without security processing\n");
        return kExitClean;
    }
    const config::SecurityConfig &rules = *loaded->security;
    const bp::Eid source = *bp::Eid::parse(options.source);
    const bp::Eid destination = *bp::Eid::parse(options.destination);
    bool any = false;
    for (const security::Explanation &made :
         security::explain(rules, {source.view(), destination.view(), options.link})) {
        any = any || made.rule;
        if (options.direction.empty() || options.direction == security::to_string(made.direction))
            print(made, rules);
    }
    if (!any) std::printf("no rule matches; default: %s\n", default_in_words(rules));
    return kExitClean;
}

#endif

}  // namespace

int run_security(const SecurityOptions &options) {
#if FARLINK_TLS
    switch (options.verb) {
        case SecurityVerb::kKeysMake:
            return make_key(options);
        case SecurityVerb::kKeysList:
            return list_keys(options);
        case SecurityVerb::kKeysRetire:
            return retire_key(options);
        case SecurityVerb::kExplain:
            return explain_rules(options);
        case SecurityVerb::kNone:
            break;
    }
    return kExitBadUsage;
#else
    (void)options;
    std::fputs("farlinkctl: this build has no OpenSSL and does not support BPSec\n", stderr);
    return kExitFailed;
#endif
}

}  // namespace farlink::ctl
