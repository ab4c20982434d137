// SPDX-License-Identifier: Apache-2.0
// Contacts of the running plan as JSON, in the words of a contact plan file.
// Plain functions on values, any thread.
// Times are written in UTC, since seconds from the start mean nothing to a node that runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::app {

[[nodiscard]] nlohmann::ordered_json to_json(const bus::Contact &contact);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<bus::Contact> &contacts);

/// `contacts` is the list of a contact plan; seconds count from `now`. Checked as a whole.
[[nodiscard]] Result<std::vector<bus::Contact>, config::ConfigErrors> contacts_from_json(
    const nlohmann::ordered_json &contacts, DtnTime now);
[[nodiscard]] std::vector<bus::Contact> contacts_of(const config::ContactPlan &plan, DtnTime now);

/// Never, or a moment that no calendar shows: null.
[[nodiscard]] nlohmann::ordered_json moment(DtnTime time);

}  // namespace farlink::app
