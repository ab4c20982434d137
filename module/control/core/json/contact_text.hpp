// SPDX-License-Identifier: Apache-2.0
// Contacts of the running plan as the text of a JSON list, for files of many contacts.
// A plain function on values; any thread.
// The text is that of to_json() in contact_json.hpp, made without a tree of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/plan/contact_plan.hpp"

namespace farlink::control {

/// The form of the text: in one line, or as a member of the outermost object of a file, with one
/// value in each line and one space a level.
enum class TextForm : std::uint8_t { kOneLine, kLines };

[[nodiscard]] std::string contacts_text(const std::vector<config::PlanContact> &contacts,
                                        TextForm form);

}  // namespace farlink::control
