// SPDX-License-Identifier: Apache-2.0
// What a reload changes: all differences of two files, each with the way it is applied, or the
// settings that need a restart. All or nothing, unless a part was asked for.
// Plain functions on values; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"
#include "module/control/core/reload/link_changes.hpp"

namespace farlink::control {

/// A file that was read and checked.
struct CheckedFile {
    std::string text;
    ComparedFile json;
    config::NodeConfig config;
};
/// `folder`: of the file, absolute.
[[nodiscard]] Result<CheckedFile, config::ConfigErrors> check_file(std::string text,
                                                                   const std::string &folder);

struct SettingsPlan {
    std::vector<config::SettingChange> changes;        ///< that are applied
    std::vector<config::SettingChange> needs_restart;  ///< that are not

    [[nodiscard]] bool has(config::Applied applied) const;
};
/// Without the links.
[[nodiscard]] SettingsPlan find_setting_changes(const ComparedFile &before,
                                                const ComparedFile &after);

/// The newer file with the settings of the older one where a change needs a restart, as a text.
[[nodiscard]] std::string without_restart(const ComparedFile &before, const ComparedFile &after,
                                          const std::vector<config::SettingChange> &needs_restart);

/// Contacts of the first plan that the second one lacks.
[[nodiscard]] std::vector<config::PlanContact> contacts_missing_in(
    const std::vector<config::PlanContact> &from, const std::vector<config::PlanContact> &other);

/// "api.tokensFile: no such file" as an error with its path.
[[nodiscard]] config::ConfigError error_in_line(const std::string &line);

}  // namespace farlink::control
