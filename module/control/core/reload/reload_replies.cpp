// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/reload_replies.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "module/control/core/json/replies.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

/// In a line of the log; the reply has all.
constexpr std::size_t kMostNamed = 10;
/// In a line of the audit; the values of further settings are replaced by their sizes.
constexpr std::size_t kMostAudited = 100;
constexpr std::size_t kMostAuditedBytes = 8 * 1024;

constexpr std::array<const char *, 3> kKinds{"added", "removed", "changed"};

Json changed_json(const SettingChanges &changed) {
    Json list = Json::array();
    for (const config::SettingChange &change : changed)
        list.push_back({{"path", change.path},
                        {"change", kKinds[static_cast<std::size_t>(change.kind)]},
                        {"text", change.text}});
    return list;
}

Json restart_json(const SettingChanges &needs_restart) {
    Json list = Json::array();
    for (const config::SettingChange &change : needs_restart)
        list.push_back({{"path", change.path}, {"text", change.text}});
    return list;
}

std::string to_text(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string names_of(const SettingChanges &changes) {
    std::string names;
    for (std::size_t i = 0; i < std::min(changes.size(), kMostNamed); ++i)
        names += (i == 0 ? "" : ", ") + changes[i].path;
    if (changes.size() > kMostNamed)
        names += " and " + std::to_string(changes.size() - kMostNamed) + " others";
    return names;
}

}  // namespace

Json changes_reply(const SettingChanges &changed, const SettingChanges &needs_restart) {
    Json reply{{"ok", true},
               {"changed", changed_json(changed)},
               {"needsRestart", restart_json(needs_restart)}};
    if (changed.empty()) reply["unchanged"] = true;
    return reply;
}

Json restart_reply(const std::string &file, const SettingChanges &needs_restart) {
    // The file of another node is refused as a whole.
    const bool of_another = std::ranges::find(needs_restart, "myNodeId",
                                              &config::SettingChange::path) != needs_restart.end();
    return {{"ok", false},
            {"reason", "needs-restart"},
            {"error", file + ": no change was applied; a restart is needed for " +
                          names_of(needs_restart) +
                          (of_another ? "" : "; `reload --partial` applies the other settings")},
            {"needsRestart", restart_json(needs_restart)}};
}

Json invalid_reply(config::ConfigErrors errors, const std::string &file) {
    errors.trim();
    std::string first;
    if (!errors.errors.empty()) first = errors.errors.front().to_string();
    return error_reply(errors, file + ": no change was applied: " + first);
}

std::string in_words(const SettingChanges &changed) {
    if (changed.empty()) return "no setting changed";
    return std::to_string(changed.size()) +
           (changed.size() == 1 ? " setting changed: " : " settings changed: ") + names_of(changed);
}

std::string values_json(const SettingChanges &changed) {
    Json list = Json::array();
    std::size_t all = 0;
    for (const config::SettingChange &change : changed | std::views::take(kMostAudited)) {
        Json &row = list.emplace_back(Json{{"path", change.path}});
        const auto add = [&](const char *key, const Json &value) {
            if (value.is_null()) return;
            const std::size_t bytes = to_text(value).size();
            all += bytes;
            row[key] = all > kMostAuditedBytes ? Json{{"bytes", bytes}} : value;
        };
        add("before", change.before);
        add("now", change.now);
    }
    Json values{{"changed", std::move(list)}};
    if (changed.size() > kMostAudited) values["others"] = changed.size() - kMostAudited;
    return to_text(values);
}

SettingChanges swapped(SettingChanges changes) {
    for (config::SettingChange &change : changes) std::swap(change.before, change.now);
    return changes;
}

}  // namespace farlink::control
