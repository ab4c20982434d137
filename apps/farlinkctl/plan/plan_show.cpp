// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/plan/plan_text.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/plan/repeats.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

using config::ContactPlan;
using config::PlanContact;
using nlohmann::ordered_json;

/// A direction at a moment: its open contact and its next one.
struct Outlook {
    Direction direction;
    std::optional<PlanContact> open{};  ///< without repeats, as the next one
    std::optional<PlanContact> next{};
};

Outlook outlook(const Direction &direction, const std::vector<const PlanContact *> &contacts,
                DtnTime at) {
    Outlook found{direction};
    for (const PlanContact *contact : contacts) {
        std::uint64_t place = config::repeats_ended_at(*contact, at);
        const std::uint64_t count = config::repeat_count(*contact);
        if (place < count && contact->start + place * contact->repeat <= at)
            found.open = config::repeat_of(*contact, place++);
        if (place == count) continue;
        const PlanContact next = config::repeat_of(*contact, place);
        if (!found.next || next.start < found.next->start) found.next = next;
    }
    return found;
}

ordered_json to_json(const ContactPlan &plan, const std::optional<PlanContact> &contact) {
    if (!contact) return nullptr;
    const auto time = [&plan](DtnTime moment) -> ordered_json {
        if (plan.absolute) return moment_text(plan, moment);
        return static_cast<double>(moment) / 1000;
    };
    return {{"contact", contact->id},
            {"startTime", time(contact->start)},
            {"endTime", time(contact->end)},
            {"rateBitsPerSec", contact->rate.value()},
            {"owlt", static_cast<double>(contact->owlt.count()) / 1e9}};
}

using DirectionRow = std::array<std::string, 7>;

DirectionRow row_of(const ContactPlan &plan, const Outlook &look) {
    DirectionRow row{std::to_string(look.direction.first.value()),
                     std::to_string(look.direction.second.value()),
                     "closed",
                     "",
                     "",
                     "",
                     "none"};
    if (look.open) {
        row[2] = "open";
        row[3] = moment_text(plan, look.open->end);
        row[4] = rate_text(look.open->rate);
        row[5] = owlt_text(look.open->owlt);
    }
    if (look.next)
        row[6] = moment_text(plan, look.next->start) + " to " + moment_text(plan, look.next->end);
    return row;
}

void print_table(const std::vector<DirectionRow> &rows) {
    std::array<std::size_t, 7> widths{};
    for (const DirectionRow &row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const DirectionRow &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        std::puts(line.c_str());
    }
}

void print_json(const ContactPlan &plan, const std::vector<Outlook> &looks) {
    for (const Outlook &look : looks) {
        const ordered_json line = {{"type", "direction"},
                                   {"source", look.direction.first.value()},
                                   {"dest", look.direction.second.value()},
                                   {"open", look.open.has_value()},
                                   {"now", to_json(plan, look.open)},
                                   {"next", to_json(plan, look.next)}};
        std::puts(line.dump().c_str());
    }
}

}  // namespace

int show_plan(const PlanOptions &options) {
    const auto plan = open_plan(options);
    if (!plan) return kExitFailed;
    std::optional<DtnTime> at = plan->absolute ? read_wall_clock().dtn_ms : 0;
    if (!options.at.empty()) at = read_moment(*plan, options.at);
    if (!at) {
        std::fprintf(stderr, "farlinkctl: --at: not a time of this plan; expected %s\n",
                     moments_of(*plan).c_str());
        return kExitBadUsage;
    }
    std::vector<Outlook> looks;
    for (const auto &[direction, contacts] : by_direction(*plan, options.node))
        looks.push_back(outlook(direction, contacts, *at));
    if (looks.empty() && options.node != 0) {
        std::fprintf(stderr, "%s: node %llu has no contact\n", options.file.c_str(),
                     static_cast<unsigned long long>(options.node));
        return kExitFailed;
    }
    if (options.json) {
        print_json(*plan, looks);
        return kExitClean;
    }
    DtnTime change = kDtnNever;
    std::size_t open = 0;
    std::vector<DirectionRow> rows{
        {"from", "to", "now", "until", "rate", "light time", "next contact"}};
    for (const Outlook &look : looks) {
        open += look.open ? 1 : 0;
        if (look.open) change = std::min(change, look.open->end);
        if (look.next) change = std::min(change, look.next->start);
        rows.push_back(row_of(*plan, look));
    }
    print_table(rows);
    std::printf("at %s: %zu of %zu open; %s%s\n", moment_text(*plan, *at).c_str(), open,
                looks.size(), change == kDtnNever ? "no further change" : "next change at ",
                change == kDtnNever ? "" : moment_text(*plan, change).c_str());
    return kExitClean;
}

}  // namespace farlink::ctl
