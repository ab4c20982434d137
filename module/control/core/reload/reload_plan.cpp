// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/reload_plan.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control {

using config::SettingChange;
using Json = nlohmann::ordered_json;

Result<CheckedFile, config::ConfigErrors> check_file(std::string text, const std::string &folder) {
    auto config = config::parse_node_config(text, folder);
    if (!config) return fail(std::move(config.error()));
    CheckedFile file;
    file.config = std::move(*config);
    file.json = {Json::parse(text, nullptr, false), config::normal_form(text)};
    file.text = std::move(text);
    return file;
}

bool SettingsPlan::has(config::Applied applied) const {
    return std::ranges::find(changes, applied, &SettingChange::applied) != changes.end();
}

SettingsPlan find_setting_changes(const ComparedFile &before, const ComparedFile &after) {
    SettingsPlan plan;
    for (SettingChange &change : config::setting_changes(before.normal, after.normal))
        (change.applied == config::Applied::kRestart ? plan.needs_restart : plan.changes)
            .push_back(std::move(change));
    return plan;
}

// By top-level key, or by member of a top-level object: where a part of it needs a restart, all of
// that part stays.
std::string without_restart(const ComparedFile &before, const ComparedFile &after,
                            const std::vector<SettingChange> &needs_restart) {
    Json merged = after.document;
    for (const SettingChange &change : needs_restart) {
        const std::string top = change.path.substr(0, change.path.find_first_of(".["));
        const std::string rest = top.size() < change.path.size() && change.path[top.size()] == '.'
                                     ? change.path.substr(top.size() + 1)
                                     : std::string();
        const std::string member = rest.substr(0, rest.find_first_of(".["));
        const auto old = before.document.find(top);
        const bool had = old != before.document.end();
        if (member.empty()) {
            if (had)
                merged[top] = *old;
            else
                merged.erase(top);
            continue;
        }
        if (!merged.contains(top)) merged[top] = Json::object();
        if (had && old->contains(member))
            merged[top][member] = (*old)[member];
        else
            merged[top].erase(member);
    }
    return merged.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::vector<config::PlanContact> contacts_missing_in(
    const std::vector<config::PlanContact> &from, const std::vector<config::PlanContact> &other) {
    const auto order = [](const config::PlanContact &contact) {
        return std::tuple(contact.id, contact.source.value(), contact.destination.value(),
                          contact.start, contact.end, contact.rate.value(), contact.owlt.count(),
                          contact.repeat, contact.until);
    };
    std::set<decltype(order(from.front()))> known;
    for (const config::PlanContact &contact : other) known.insert(order(contact));
    std::vector<config::PlanContact> missing;
    for (const config::PlanContact &contact : from)
        if (!known.contains(order(contact))) missing.push_back(contact);
    return missing;
}

config::ConfigError error_in_line(const std::string &line) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) return {"", line, "", ""};
    return {line.substr(0, colon), line.substr(colon + 2), "", ""};
}

}  // namespace farlink::control
