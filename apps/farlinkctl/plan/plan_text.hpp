// SPDX-License-Identifier: Apache-2.0
// Moments, rates and contacts of a plan as `farlinkctl plan` reads and writes them.
// Plain functions on values; the command's thread.
// A plan counts from its start or in UTC, and so does everything that is said about it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/plan/contact_plan.hpp"

namespace farlink::ctl {

/// "12.5 s" or "2026-01-02T03:04:05Z"
[[nodiscard]] std::string moment_text(const config::ContactPlan &plan, DtnTime moment);
/// A moment of this plan: "12.5", "+12.5"; or "2026-01-02T03:04:05Z", "now". Empty for another
/// spelling and for the form of time that the plan does not have.
[[nodiscard]] std::optional<DtnTime> read_moment(const config::ContactPlan &plan,
                                                 const std::string &text);
/// What read_moment() takes for this plan.
[[nodiscard]] std::string moments_of(const config::ContactPlan &plan);

/// "1 Mbit/s", "no limit"
[[nodiscard]] std::string rate_text(BitRate rate);
/// "1.28 s"
[[nodiscard]] std::string owlt_text(Duration owlt);

/// From a node to a node.
using Direction = std::pair<NodeNumber, NodeNumber>;

/// The contacts of each direction in order of time; `node`: only those from and to it, 0: all.
[[nodiscard]] std::map<Direction, std::vector<const config::PlanContact *>> by_direction(
    const config::ContactPlan &plan, std::uint64_t node);

/// Loads the plan, or prints what is wrong with it.
[[nodiscard]] std::optional<config::ContactPlan> open_plan(const std::string &file);

/// Writes `text` into the file, or to standard output when its name is empty; the exit code.
[[nodiscard]] int put_text(const std::string &file, const std::string &text);

}  // namespace farlink::ctl
