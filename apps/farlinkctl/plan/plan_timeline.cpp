// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/plan/plan_text.hpp"
#include "apps/farlinkctl/plan/timeline_svg.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/plan/repeats.hpp"

namespace farlink::ctl {
namespace {

/// What is drawn of a contact that repeats without end, unless `--to` is given.
constexpr DtnTime kDrawnOfEndless = 86'400'000;

int bad_usage(const std::string &problem) {
    std::fprintf(stderr, "farlinkctl: %s\n", problem.c_str());
    return kExitBadUsage;
}

/// Repeats become contacts of their own; false if there are too many.
bool expand(config::ContactPlan &plan, const TimelineView &view) {
    std::erase_if(plan.contacts, [&view](const config::PlanContact &contact) {
        return view.node != 0 && contact.source.value() != view.node &&
               contact.destination.value() != view.node;
    });
    const std::uint64_t drawn = config::expanded_count(plan.contacts, view.from, view.to);
    if (drawn > plan.contacts.size() + kMostTimelineBars) return false;
    plan.contacts = config::expanded(plan.contacts, view.from, view.to);
    return true;
}

}  // namespace

int draw_plan(const PlanOptions &options) {
    auto plan = open_plan(options);
    if (!plan) return kExitFailed;
    TimelineView view;
    view.node = options.node;
    view.title = std::filesystem::path(options.file).filename().string();
    if (options.node != 0) view.title += ", node " + std::to_string(options.node);
    view.from = kDtnNever;
    for (const auto &[direction, contacts] : by_direction(*plan, options.node))
        for (const config::PlanContact *contact : contacts) {
            view.from = std::min(view.from, contact->start);
            const DtnTime last = config::last_end(*contact);
            view.to = std::max(view.to, last == kDtnNever ? contact->end + kDrawnOfEndless : last);
        }
    if (view.from >= view.to) {
        std::fprintf(stderr, "%s: no contact to draw\n", options.file.c_str());
        return kExitFailed;
    }
    for (const auto &[name, text, moment] : {std::tuple("--from", &options.from, &view.from),
                                             std::tuple("--to", &options.to, &view.to)}) {
        if (text->empty()) continue;
        const auto found = read_moment(*plan, *text);
        if (!found)
            return bad_usage(std::string(name) + ": not a time of this plan; expected " +
                             moments_of(*plan));
        *moment = *found;
    }
    if (view.from >= view.to)
        return bad_usage("--from: found a time that is not before --to; expected an earlier time");
    if (!expand(*plan, view) || !fits_a_picture(*plan, view))
        return bad_usage("too many contacts for a picture (at most " +
                         std::to_string(kMostTimelineRows) + " rows, " +
                         std::to_string(kMostTimelineBars) +
                         " contacts); select some by --node, --from and --to");
    return put_text(options.out, timeline_svg(*plan, view));
}

}  // namespace farlink::ctl
