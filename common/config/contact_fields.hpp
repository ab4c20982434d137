// SPDX-License-Identifier: Apache-2.0
// The field table of a contact plan, and the rows it fills.
// Constant, made on first use; any thread.
// Rows are what stands in the file; contact_plan.cpp compares them with each other.
#pragma once

#include <optional>
#include <vector>

#include "common/config/contact_plan.hpp"
#include "common/config/field_table.hpp"

namespace farlink::config {

/// A contact as written; a time that was wrong is empty, a number that was wrong is 0.
struct ContactRow {
    PlanContact contact;
    bool has_id = false;
    std::optional<Instant> start;
    std::optional<Instant> end;
};

struct ContactRows {
    std::vector<ContactRow> contacts;
};

[[nodiscard]] const Table<ContactRows> &contact_plan_table();

}  // namespace farlink::config
