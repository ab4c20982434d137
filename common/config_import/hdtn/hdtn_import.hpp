// SPDX-License-Identifier: Apache-2.0
// Makes farlink's configuration and contact plan of HDTN's.
// A plain function on texts; any thread.
// Nothing is half imported: with a single refusal there is a report and no configuration.
#pragma once

#include <functional>
#include <string>

#include "common/config_import/import_report.hpp"

namespace farlink::config {

/// The names of the files that the result consists of.
inline constexpr const char *kImportedConfigFile = "farlink.json";
inline constexpr const char *kImportedPlanFile = "contact_plan.json";
inline constexpr const char *kImportReportFile = "import-report.txt";

struct HdtnFiles {
    std::string config_name;  ///< for the report
    std::string config;
    std::string plan_name{};  ///< empty: there is no contact plan
    std::string plan{};
};

struct HdtnChoices {
    bool unix_timestamps = false;  ///< times of the plan are Unix seconds
    bool trust_like_hdtn = false;  ///< peers are believed without a proof
    /// HDTN's relative file names count from its working folder; empty: names stay as they are.
    std::string working_folder{};
    /// Whether a file is there: of optional certificates. Empty: all are.
    std::function<bool(const std::string &)> exists{};
};

struct HdtnImport {
    std::string config{};  ///< empty: refused
    std::string plan{};    ///< empty: refused, or there is none
    ImportReport report{};
};

[[nodiscard]] HdtnImport import_hdtn(const HdtnFiles &files, const HdtnChoices &choices);

}  // namespace farlink::config
