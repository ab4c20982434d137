// SPDX-License-Identifier: Apache-2.0
// Replies to `reload` and to the `config` commands.
// Plain functions on values; any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/reload/differences.hpp"

namespace farlink::control {

using SettingChanges = std::vector<config::SettingChange>;

/// What has changed, and what waits for a restart.
[[nodiscard]] nlohmann::ordered_json changes_reply(const SettingChanges &changed,
                                                   const SettingChanges &needs_restart);
/// Nothing has changed: these settings need a restart.
[[nodiscard]] nlohmann::ordered_json restart_reply(const std::string &file,
                                                   const SettingChanges &needs_restart);
/// Nothing has changed: the file has errors.
[[nodiscard]] nlohmann::ordered_json invalid_reply(config::ConfigErrors errors,
                                                   const std::string &file);

/// "2 settings changed: outductsConfig[1], logLevel", for the log and for events.
[[nodiscard]] std::string in_words(const SettingChanges &changed);
/// The paths with the values before and now as JSON of limited length, for the audit.
[[nodiscard]] std::string values_json(const SettingChanges &changed);
/// The same changes in the other direction.
[[nodiscard]] SettingChanges swapped(SettingChanges changes);

}  // namespace farlink::control
