// SPDX-License-Identifier: Apache-2.0
// What an importer makes: the texts of the files, and the report.
// A value; any thread.
// Nothing is half imported: with a single refusal there is a report and no configuration.
#pragma once

#include <string>

#include "common/config_import/import_report.hpp"

namespace farlink::config {

/// The names of the files that the result consists of.
inline constexpr const char *kImportedConfigFile = "farlink.json";
inline constexpr const char *kImportedPlanFile = "contact_plan.json";
inline constexpr const char *kImportReportFile = "import-report.txt";

struct Imported {
    std::string config{};  ///< JSON; empty: refused
    std::string plan{};    ///< JSON; empty: refused, or there is none
    ImportReport report{};
};

}  // namespace farlink::config
