// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/plan/plan_text.hpp"
#include "apps/farlinkctl/plan/timeline_svg.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"

namespace farlink::ctl {
namespace {

int bad_usage(const std::string &problem) {
    std::fprintf(stderr, "farlinkctl: %s\n", problem.c_str());
    return kExitBadUsage;
}

}  // namespace

int draw_plan(const PlanOptions &options) {
    const auto plan = open_plan(options.file);
    if (!plan) return kExitFailed;
    TimelineView view;
    view.node = options.node;
    view.title = std::filesystem::path(options.file).filename().string();
    if (options.node != 0) view.title += ", node " + std::to_string(options.node);
    view.from = kDtnNever;
    for (const auto &[direction, contacts] : by_direction(*plan, options.node))
        for (const config::PlanContact *contact : contacts) {
            view.from = std::min(view.from, contact->start);
            view.to = std::max(view.to, contact->end);
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
    if (view.from >= view.to) return bad_usage("--from: not before --to");
    if (!fits_a_picture(*plan, view))
        return bad_usage("more than a picture can show (" + std::to_string(kMostTimelineRows) +
                         " rows, " + std::to_string(kMostTimelineBars) +
                         " contacts); select some by --node, --from and --to");
    return put_text(options.out, timeline_svg(*plan, view));
}

}  // namespace farlink::ctl
