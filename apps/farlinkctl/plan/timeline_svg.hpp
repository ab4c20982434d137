// SPDX-License-Identifier: Apache-2.0
// Draws a contact plan: a row for each direction between two nodes, a bar for each contact.
// A plain function on values; the command's thread.
// The picture is an SVG for light and dark screens; each bar has its contact as a tooltip.
#pragma once

#include <string>

#include "common/plan/contact_plan.hpp"

namespace farlink::ctl {

struct TimelineView {
    DtnTime from = 0;  ///< in the plan's own form of time; before `to`
    DtnTime to = 0;
    std::uint64_t node = 0;  ///< only contacts from and to it; 0: all
    std::string title;
};

/// Limits of a readable picture and of the size of its file.
inline constexpr std::size_t kMostTimelineRows = 400;
inline constexpr std::size_t kMostTimelineBars = 20'000;

/// The number of rows and bars of the view is within the limits.
[[nodiscard]] bool fits_a_picture(const config::ContactPlan &plan, const TimelineView &view);

[[nodiscard]] std::string timeline_svg(const config::ContactPlan &plan, const TimelineView &view);

}  // namespace farlink::ctl
