// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "apps/farlinkctl/plan/plan_advice.hpp"
#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/plan/plan_text.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/plan/repeats.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

using nlohmann::ordered_json;

void print_json_line(const ordered_json &object) {
    const std::string line = object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    std::puts(line.c_str());
}

/// Errors go to standard error, warnings to standard output; as JSON both to standard output.
void print(const config::ConfigErrors &list, const char *type, bool json) {
    if (json) {
        for (const config::ConfigError &error : list.errors)
            print_json_line({{"type", type},
                             {"file", list.source},
                             {"place", error.path},
                             {"problem", error.problem},
                             {"expected", error.expected},
                             {"hint", error.hint}});
        return;
    }
    if (std::string_view(type) == "error") {
        std::fputs(list.to_string().c_str(), stderr);
        return;
    }
    for (const config::ConfigError &warning : list.errors)
        std::printf("%s: warning: %s\n", list.source.c_str(), warning.to_string().c_str());
    if (list.omitted > 0)
        std::printf("%s: warning: %zu further warnings\n", list.source.c_str(), list.omitted);
}

std::size_t count(const config::ConfigErrors &list) {
    return list.errors.size() + list.omitted;
}

/// "1 contact", "2 contacts"
std::string counted(std::size_t number, const char *what) {
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

int refuse(const config::ConfigErrors &errors, const PlanOptions &options) {
    print(errors, "error", options.json);
    if (options.json)
        print_json_line({{"type", "summary"}, {"ok", false}, {"errors", count(errors)}});
    else
        std::fprintf(stderr, "%s: refused: %s\n", errors.source.c_str(),
                     counted(count(errors), "error").c_str());
    return kExitFailed;
}

void print_summary(const config::ContactPlan &plan, std::size_t warnings,
                   const PlanOptions &options) {
    const auto directions = by_direction(plan, 0);
    std::set<NodeNumber> nodes;
    DtnTime first = kDtnNever;
    DtnTime last = 0;
    for (const config::PlanContact &contact : plan.contacts) {
        nodes.insert({contact.source, contact.destination});
        first = std::min(first, contact.start);
        last = std::max(last, config::last_end(contact));
    }
    const auto periodic = static_cast<std::size_t>(
        std::ranges::count_if(plan.contacts, &config::PlanContact::periodic));
    if (options.json) {
        print_json_line({{"type", "summary"},
                         {"ok", true},
                         {"contacts", plan.contacts.size()},
                         {"periodic", periodic},
                         {"nodes", nodes.size()},
                         {"directions", directions.size()},
                         {"warnings", warnings}});
        return;
    }
    std::string span;
    if (!plan.contacts.empty())
        span = ", " + moment_text(plan, first) +
               (last == kDtnNever ? " and on without end" : " to " + moment_text(plan, last));
    std::string contacts = counted(plan.contacts.size(), "contact");
    if (periodic > 0) contacts += " (" + std::to_string(periodic) + " periodic)";
    std::printf("%s: ok: %s in %s between %s%s; %s\n", options.file.c_str(), contacts.c_str(),
                counted(directions.size(), "direction").c_str(),
                counted(nodes.size(), "node").c_str(), span.c_str(),
                counted(warnings, "warning").c_str());
}

}  // namespace

int check_plan_file(const PlanOptions &options) {
    const auto loaded = load_plan(options);
    if (!loaded) return refuse(loaded.error(), options);
    const config::ContactPlan &plan = loaded->plan;
    config::ConfigErrors warnings = plan.notes;
    warn_of_plan(plan, read_wall_clock().dtn_ms, warnings);
    if (loaded->node) warn_of_node(plan, *loaded->node, warnings);
    print(warnings, "warning", options.json);
    print_summary(plan, count(warnings), options);
    return kExitClean;
}

int run_plan(const PlanOptions &options) {
    switch (options.verb) {
        case PlanVerb::kCheck:
            return check_plan_file(options);
        case PlanVerb::kShow:
            return show_plan(options);
        case PlanVerb::kTimeline:
            return draw_plan(options);
        case PlanVerb::kConvert:
            return convert_plan(options);
    }
    return kExitBadUsage;
}

}  // namespace farlink::ctl
