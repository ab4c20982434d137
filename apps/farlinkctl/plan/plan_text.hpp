// SPDX-License-Identifier: Apache-2.0
// Moments, rates and contacts of a plan as `farlinkctl plan` reads and writes them.
// Plain functions on values; the command's thread.
// Moments of a plan are seconds from its start or times in UTC; the two forms are not mixed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/farlinkctl/plan/plan_options.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::ctl {

/// "12.5 s" or "2026-01-02T03:04:05Z"
[[nodiscard]] std::string moment_text(const config::ContactPlan &plan, DtnTime moment);
/// A moment of this plan: "12.5", "+12.5"; or "2026-01-02T03:04:05Z", "now". Nothing for other text
/// and for the form of time that the plan does not use.
[[nodiscard]] std::optional<DtnTime> read_moment(const config::ContactPlan &plan,
                                                 const std::string &text);
/// Describes the text that read_moment() accepts for this plan.
[[nodiscard]] std::string moments_of(const config::ContactPlan &plan);

/// "1 Mbit/s", "no limit"
[[nodiscard]] std::string rate_text(BitRate rate);
/// "1.28 s"
[[nodiscard]] std::string owlt_text(Duration owlt);

/// From a node to a node.
using Direction = std::pair<NodeNumber, NodeNumber>;

/// The contacts of each direction, sorted by start; `node`: only those from and to it, 0: all.
[[nodiscard]] std::map<Direction, std::vector<const config::PlanContact *>> by_direction(
    const config::ContactPlan &plan, std::uint64_t node);

struct LoadedPlan {
    config::ContactPlan plan;
    std::optional<config::NodeConfig> node{};  ///< of `config`, if that is named
};

[[nodiscard]] Result<LoadedPlan, config::ConfigErrors> load_plan(const PlanOptions &options);
/// Loads the plan; prints its errors and returns nothing when it is not valid.
[[nodiscard]] std::optional<config::ContactPlan> open_plan(const PlanOptions &options);

/// Writes `text` to the file, or to standard output when its name is empty; returns the exit code.
[[nodiscard]] int put_text(const std::string &file, const std::string &text);

}  // namespace farlink::ctl
