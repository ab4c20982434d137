// SPDX-License-Identifier: Apache-2.0
// The contact plan of ION's commands, from all files together.
// Plain functions on values; any thread.
// Each error and note of the plan becomes a verdict about its command.
#pragma once

#include <optional>

#include "common/config_import/ion/command_verdicts.hpp"
#include "common/config_import/ion/node_draft.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// The plan; without contacts if there are none or one of them is refused. `now`: from when
/// `+seconds` count in a plan that has times in UTC as well.
[[nodiscard]] ContactPlan import_contacts(const IonSource &source, const NodeDraft &draft,
                                          std::optional<DtnTime> now, CommandVerdicts &verdicts,
                                          ImportReport &report);

[[nodiscard]] bool has_contact(const ContactPlan &plan, NodeNumber from, NodeNumber to);

/// Adds a contact that does not end: for a neighbour that ION sends to without one.
void add_lasting_contact(ContactPlan &plan, NodeNumber from, NodeNumber to, BitRate rate);

}  // namespace farlink::config
