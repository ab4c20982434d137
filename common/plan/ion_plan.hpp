// SPDX-License-Identifier: Apache-2.0
// Reads a contact plan from ION's commands: `a contact`, `a range` and what changes them.
// A plain function at load time; the result is the caller's. Any thread.
// Nothing is thrown, every error carries its line and column, and the list of them is bounded.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/result.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// Contacts are numbered in the order of the file. A contact that ranges divide becomes several
/// that touch. What is read without effect stands in the plan's notes. In a plan that has times in
/// UTC beside `+seconds`, those count from `start`.
[[nodiscard]] Result<ContactPlan, ConfigErrors> parse_ion_plan(
    std::string_view text, std::optional<DtnTime> start = std::nullopt);

}  // namespace farlink::config
