// SPDX-License-Identifier: Apache-2.0
// Makes farlink's configuration and contact plan of HDTN's.
// A plain function on texts; any thread.
// Nothing is half imported: with a single refusal there is a report and no configuration.
#pragma once

#include <functional>
#include <string>

#include "common/config_import/imported.hpp"

namespace farlink::config {

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

[[nodiscard]] Imported import_hdtn(const HdtnFiles &files, const HdtnChoices &choices);

}  // namespace farlink::config
