// SPDX-License-Identifier: Apache-2.0
// Makes farlink's contact plan of HDTN's.
// A plain function, called by the importer.
// One thread. Contacts are read one by one: a long plan is not in memory as JSON.
#pragma once

#include <string_view>

#include "common/config_import/hdtn/hdtn_section.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// `unix_timestamps`: times are Unix seconds, and become times in UTC.
[[nodiscard]] ContactPlan import_hdtn_plan(std::string_view text, bool unix_timestamps,
                                           HdtnNotes &notes);

}  // namespace farlink::config
