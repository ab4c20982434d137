// SPDX-License-Identifier: Apache-2.0
// Egress plans: those of bpadmin, and the shorter forms of ipnadmin and dtn2admin.
#include <algorithm>
#include <string>

#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_rules.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kNeighbour = "a neighbour: ipn:20.0 or dtn://name";
constexpr std::string_view kPatterns =
    "a plan for names with the same beginning; farlink has a link for each neighbour";
constexpr std::string_view kRate = "bytes per second, or 0";

/// The neighbour of a plan by its endpoint id; reports what is none.
std::optional<PlanDraft> neighbour_of(const IonReading &reading) {
    const std::string_view id = reading.words[2];
    PlanDraft plan{.command = reading.command};
    if (plan.node = ipn_node_of(id); plan.node) return plan;
    if (const auto name = dtn_name_of(id)) {
        plan.name = *name;
        return plan;
    }
    if (id.ends_with('*') || id.ends_with('~'))
        reading.refused(std::string(kPatterns));
    else
        reading.wrong(2, kNeighbour);
    return std::nullopt;
}

/// The same by the number of a node.
std::optional<PlanDraft> node_of(const IonReading &reading) {
    PlanDraft plan{.command = reading.command};
    if (plan.node = node_number_of(reading.words[2]); plan.node) return plan;
    reading.wrong(2, "the number of a node");
    return std::nullopt;
}

/// The same by the name of a node.
std::optional<PlanDraft> name_of(const IonReading &reading) {
    const std::string_view text = reading.words[2];
    const auto name =
        dtn_name_of(text.starts_with("dtn:") ? std::string(text) : "dtn://" + std::string(text));
    if (name) return PlanDraft{.command = reading.command, .name = *name};
    if (text.ends_with('*') || text.ends_with('~'))
        reading.refused(std::string(kPatterns));
    else
        reading.wrong(2, "the name of a node");
    return std::nullopt;
}

std::vector<PlanDraft>::iterator find_plan(NodeDraft &draft, const PlanDraft &like) {
    return std::ranges::find_if(draft.plans, [&](const PlanDraft &plan) {
        return plan.node == like.node && plan.name == like.name;
    });
}

bool read_rate(const IonReading &reading, std::size_t word, PlanDraft &plan) {
    if (reading.words.size() <= word) return true;
    const auto rate = whole_number_of(reading.words[word]);
    constexpr std::uint64_t kHighest = 1'000'000'000'000'000 / 8;
    if (!rate || *rate > kHighest) {
        reading.wrong(word, kRate);
        return false;
    }
    plan.rate_bytes = *rate;
    return true;
}

void put_plan(const IonReading &reading, PlanDraft plan) {
    const auto earlier = find_plan(reading.draft, plan);
    if (earlier != reading.draft.plans.end()) return reading.again(earlier->command);
    reading.draft.plans.push_back(std::move(plan));
}

/// "protocol/name[,destination]"
bool read_duct(const IonReading &reading, std::string_view text, PlanDraft &plan) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
        reading.refused("found " + in_quotes(text) + "; expected an outduct such as \"ltp/20\"");
        return false;
    }
    const std::string_view rest = text.substr(slash + 1);
    const std::size_t comma = rest.find(',');
    PlanDuct duct{.command = reading.command,
                  .protocol = std::string(text.substr(0, slash)),
                  .name = std::string(rest.substr(0, comma))};
    if (comma != std::string_view::npos) duct.destination = rest.substr(comma + 1);
    plan.ducts.push_back(std::move(duct));
    return true;
}

// ---- bpadmin

void add_plan(const IonReading &reading) {
    auto plan = neighbour_of(reading);
    if (plan && read_rate(reading, 3, *plan)) put_plan(reading, std::move(*plan));
}

/// The plan that the command is about; reports that there is none.
PlanDraft *plan_above(const IonReading &reading, const std::optional<PlanDraft> &like) {
    if (!like) return nullptr;
    const auto found = find_plan(reading.draft, *like);
    if (found != reading.draft.plans.end()) return &*found;
    reading.nothing_there("plan");
    return nullptr;
}

void change_rate(const IonReading &reading, const std::optional<PlanDraft> &like) {
    PlanDraft *const plan = plan_above(reading, like);
    if (plan != nullptr && read_rate(reading, 3, *plan)) reading.mapped();
}

void delete_plan_of(const IonReading &reading, const std::optional<PlanDraft> &like) {
    const PlanDraft *const plan = plan_above(reading, like);
    if (plan == nullptr) return;
    reading.verdicts.noted(plan->command,
                           "deleted by " + reading.verdicts.place_of(reading.command));
    reading.draft.plans.erase(find_plan(reading.draft, *like));
    reading.mapped();
}

void change_plan(const IonReading &reading) {
    change_rate(reading, neighbour_of(reading));
}

void delete_plan(const IonReading &reading) {
    delete_plan_of(reading, neighbour_of(reading));
}

void attach_duct(const IonReading &reading) {
    PlanDraft *const plan = plan_above(reading, neighbour_of(reading));
    if (plan == nullptr) return;
    for (const PlanDuct &duct : plan->ducts)
        if (duct.protocol == reading.words[3] && duct.name == reading.words[4])
            return reading.again(duct.command);
    plan->ducts.push_back({reading.command, std::string(reading.words[3]),
                           std::string(reading.words[4]), std::string(reading.words[5])});
}

void detach_duct(const IonReading &reading) {
    for (PlanDraft &plan : reading.draft.plans) {
        const auto found = std::ranges::find_if(plan.ducts, [&](const PlanDuct &duct) {
            return duct.protocol == reading.words[2] && duct.name == reading.words[3];
        });
        if (found == plan.ducts.end()) continue;
        reading.verdicts.noted(found->command,
                               "deleted by " + reading.verdicts.place_of(reading.command));
        plan.ducts.erase(found);
        return reading.mapped();
    }
    reading.nothing_there("outduct to a plan");
}

void set_gateway(const IonReading &reading) {
    PlanDraft *const plan = plan_above(reading, neighbour_of(reading));
    if (plan == nullptr) return;
    plan->gateway.reset();
    if (reading.words[3].empty()) return reading.mapped();
    plan->gateway = reading.words[3];
    plan->gateway_command = reading.command;
}

void block_plan(const IonReading &reading) {
    if (plan_above(reading, neighbour_of(reading)) != nullptr)
        reading.refused(
            "nothing is sent to a blocked neighbour: start the node and type "
            "`farlinkctl link down`, or delete the plan");
}

constexpr IonRule kPlanRules[]{
    {"a", "plan", 3, 4, add_plan, {}, "`a plan`, neighbour and optionally bytes per second"},
    {"c", "plan", 3, 4, change_plan, {}, "`c plan`, neighbour and bytes per second"},
    {"d", "plan", 3, 3, delete_plan, {}, "`d plan` and a neighbour"},
    {"a", "planduct", 5, 6, attach_duct, {}, "`a planduct`, neighbour, protocol and outduct"},
    {"d", "planduct", 4, 4, detach_duct, {}, "`d planduct`, protocol and outduct"},
    {"g", "plan", 4, 4, set_gateway, {}, "`g plan`, neighbour and gateway"},
    {"b", "plan", 3, 3, block_plan, {}, "`b plan` and a neighbour"},
    {.verb = "u", .object = "plan", .least = 3, .most = 3, .text = "no plan is blocked"},
    {.verb = "s",
     .object = "plan",
     .least = 3,
     .most = 3,
     .text = "links start with the program `farlink`"},
    {"x", "plan", 3, 3, nullptr, ImportOutcome::kRefused,
     "ION would not run the command; delete what it stops instead"},
};

// ---- ipnadmin

/// `a plan 20 ltp/20 [rate]`
void add_ipn_plan(const IonReading &reading) {
    auto plan = node_of(reading);
    if (!plan || !read_rate(reading, 4, *plan)) return;
    const std::string_view way = reading.words[3];
    if (way.starts_with("ipn:") || way.starts_with("dtn:")) {
        plan->gateway = way;
        plan->gateway_command = reading.command;
    } else if (!read_duct(reading, way, *plan)) {
        return;
    }
    put_plan(reading, std::move(*plan));
}

void change_ipn_plan(const IonReading &reading) {
    change_rate(reading, node_of(reading));
}

void delete_ipn_plan(const IonReading &reading) {
    delete_plan_of(reading, node_of(reading));
}

// ---- dtn2admin

/// `a plan name x ltp/6 [rate]` or `a plan name f ipn:8.0 [rate]`
void add_dtn_plan(const IonReading &reading) {
    auto plan = name_of(reading);
    if (!plan) return;
    // The directive may stand in quotes: 'x ltp/6'.
    const IonWords quoted(reading.words[3]);
    const bool one_word = quoted.size() == 2;
    const std::string_view way = one_word ? quoted[1] : reading.words[4];
    const std::string_view kind = one_word ? quoted[0] : reading.words[3];
    if (!read_rate(reading, one_word ? 4 : 5, *plan)) return;
    if (kind == "f") {
        plan->gateway = way;
        plan->gateway_command = reading.command;
    } else if (kind != "x") {
        return reading.wrong(3, "x and an outduct, or f and an endpoint");
    } else if (!read_duct(reading, way, *plan)) {
        return;
    }
    put_plan(reading, std::move(*plan));
}

void delete_dtn_plan(const IonReading &reading) {
    delete_plan_of(reading, name_of(reading));
}

constexpr IonRule kDtn2Rules[]{
    {"a", "plan", 4, 6, add_dtn_plan, {}, "`a plan`, name, x or f, and an outduct or an endpoint"},
    {"c", "plan", 3, 6, nullptr, ImportOutcome::kRefused, "write one plan with the final values"},
    {"d", "plan", 3, 3, delete_dtn_plan, {}, "`d plan` and a name"},
    {.verb = "1", .most = 1, .text = "a node starts with the program `farlink`"},
};

// ---- exits and overrides

std::optional<ExitDraft> exit_of(const IonReading &reading) {
    const auto first = node_number_of(reading.words[2]);
    const auto last = node_number_of(reading.words[3]);
    if (!first) reading.wrong(2, "the number of a node");
    if (!last || (first && *last < *first)) {
        reading.wrong(3, "the number of a node, not below the first");
        return std::nullopt;
    }
    if (!first) return std::nullopt;
    return ExitDraft{reading.command, *first, *last, std::string(reading.words[4])};
}

std::vector<ExitDraft>::iterator find_exit(NodeDraft &draft, const ExitDraft &like) {
    return std::ranges::find_if(draft.exits, [&](const ExitDraft &each) {
        return each.first == like.first && each.last == like.last;
    });
}

/// `a exit` or `c exit`, also by its former name `group`
void read_exit(const IonReading &reading) {
    auto made = exit_of(reading);
    if (!made) return;
    const auto earlier = find_exit(reading.draft, *made);
    const bool adds = reading.words[0] == "a";
    const bool there = earlier != reading.draft.exits.end();
    if (adds && there) return reading.again(earlier->command);
    if (!adds && !there) return reading.nothing_there("exit");
    if (there)
        *earlier = std::move(*made);
    else
        reading.draft.exits.push_back(std::move(*made));
}

void delete_exit(const IonReading &reading) {
    const auto like = exit_of(reading);
    if (!like) return;
    const auto found = find_exit(reading.draft, *like);
    if (found == reading.draft.exits.end()) return reading.nothing_there("exit");
    reading.verdicts.noted(found->command,
                           "deleted by " + reading.verdicts.place_of(reading.command));
    reading.draft.exits.erase(found);
    reading.mapped();
}

/// Destination and source of an override; 0 is any.
std::optional<OverrideDraft> override_of(const IonReading &reading) {
    const auto label = whole_number_of(reading.words[2]);
    const auto node = [&](std::size_t word) -> std::optional<std::uint64_t> {
        if (reading.words[word] == "0") return 0;
        return node_number_of(reading.words[word]);
    };
    const auto destination = node(3);
    const auto source = node(4);
    if (!label) reading.wrong(2, "a data label, or 0");
    if (!destination) reading.wrong(3, "the number of a node, or 0");
    if (!source) reading.wrong(4, "the number of a node, or 0");
    if (!label || !destination || !source) return std::nullopt;
    if (*label == 0)
        return OverrideDraft{
            .command = reading.command, .destination = *destination, .source = *source};
    reading.refused("farlink selects no bundles by a data label");
    return std::nullopt;
}

void route_override(const IonReading &reading) {
    auto made = override_of(reading);
    const auto neighbour = node_number_of(reading.words[5]);
    if (!neighbour) return reading.wrong(5, "the number of a neighbour");
    if (!made) return;
    made->neighbour = *neighbour;
    if (reading.words.size() > 6)
        reading.changed(
            "the only outduct of the neighbour is used; the outduct given here is ignored");
    reading.draft.overrides.push_back(*made);
}

void priority_override(const IonReading &reading) {
    auto made = override_of(reading);
    const auto priority = whole_number_of(reading.words[5]);
    if (!priority || *priority > 2) return reading.wrong(5, "a priority from 0 to 2");
    const bool flagged = reading.words.size() > 7 && reading.words[7] != "0";
    if (flagged) return reading.refused("farlink has no flags for the quality of service");
    if (!made) return;
    made->priority = *priority;
    if (!reading.words[6].empty() && reading.words[6] != "0")
        reading.changed("expedited bundles are ordered only by age");
    reading.draft.overrides.push_back(*made);
}

constexpr std::string_view kExit = "`a exit`, first node, last node and gateway";
constexpr std::string_view kOnce = "write one override with the final values";

constexpr IonRule kIpnRules[]{
    {"a",
     "plan",
     4,
     5,
     add_ipn_plan,
     {},
     "`a plan`, node, outduct and optionally bytes per second"},
    {"c", "plan", 4, 4, change_ipn_plan, {}, "`c plan`, node and bytes per second"},
    {"d", "plan", 3, 3, delete_ipn_plan, {}, "`d plan` and a node"},
    {"a", "exit", 5, 5, read_exit, {}, kExit},
    {"a", "group", 5, 5, read_exit, {}, kExit},
    {"c", "exit", 5, 5, read_exit, {}, kExit},
    {"c", "group", 5, 5, read_exit, {}, kExit},
    {"d", "exit", 4, 4, delete_exit, {}, "`d exit`, first node and last node"},
    {"d", "group", 4, 4, delete_exit, {}, "`d group`, first node and last node"},
    {"a",
     "rtovrd",
     6,
     7,
     route_override,
     {},
     "`a rtovrd`, data label, destination, source, neighbour and optionally an outduct"},
    {"a",
     "cosovrd",
     7,
     8,
     priority_override,
     {},
     "`a cosovrd`, data label, destination, source, priority, ordinal and optionally flags"},
    {"c", "rtovrd", 6, 7, nullptr, ImportOutcome::kRefused, kOnce},
    {"c", "cosovrd", 7, 8, nullptr, ImportOutcome::kRefused, kOnce},
    {"d", "ovrd", 5, 5, nullptr, ImportOutcome::kRefused, kOnce},
    {"a", "planrule", 3, kAnyNumber, nullptr, ImportOutcome::kRefused,
     "a rule of ION 3 for one plan: write a policy (`routing.policies`)"},
    {.verb = "1", .most = 1, .text = "a node starts with the program `farlink`"},
};

}  // namespace

std::span<const IonRule> plan_rules() {
    return kPlanRules;
}

std::span<const IonRule> ipn_rules() {
    return kIpnRules;
}

std::span<const IonRule> dtn2_rules() {
    return kDtn2Rules;
}

}  // namespace farlink::config
