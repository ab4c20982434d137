// SPDX-License-Identifier: Apache-2.0
// Contacts of the running plan as JSON, in the words of a contact plan file.
// Plain functions on values, any thread.
// Times are written in UTC: the node has started, so seconds from its start are no use.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::control {

[[nodiscard]] nlohmann::ordered_json to_json(const config::PlanContact &contact);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<config::PlanContact> &contacts);

/// `contacts` is the list of a contact plan; seconds count from `now`. Checked as a whole.
[[nodiscard]] Result<std::vector<config::PlanContact>, config::ConfigErrors> contacts_from_json(
    const nlohmann::ordered_json &contacts, DtnTime now);
/// The same for the text of a plan in ION's commands, as the list of a contact plan.
[[nodiscard]] Result<nlohmann::ordered_json, config::ConfigErrors> contacts_from_ion(
    std::string_view text, DtnTime now);
/// A contact that does not repeat, for the other modules.
[[nodiscard]] bus::Contact bus_contact(const config::PlanContact &contact);

}  // namespace farlink::control
