// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/differences.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/amount.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/config/node/shown_config.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 60;
constexpr std::size_t kMostAuditedItems = 16;
constexpr std::size_t kMostAuditedBytes = 1024;

Json json_of(const Fallback &fallback) {
    if (const auto *number = std::get_if<std::uint64_t>(&fallback)) return *number;
    if (const auto *flag = std::get_if<bool>(&fallback)) return *flag;
    if (const auto *text = std::get_if<std::string_view>(&fallback)) return std::string(*text);
    return nullptr;
}

// Recursion follows the tables, whose depth is fixed.
Json normalised(const SectionInfo &section, const Json &given) {
    Json whole = Json::object();
    for (const auto &[key, value] : given.items()) whole[key] = value;
    for (const FieldInfo &field : section.fields) {
        const std::string key(field.key);
        if (!whole.contains(key)) {
            if (field.kind == FieldKind::kObject)
                whole[key] = Json::object();
            else if (Json value = json_of(field.fallback); !value.is_null())
                whole[key] = std::move(value);
            else
                continue;
        }
        Json &value = whole[key];
        if (field.section != nullptr && value.is_object())
            value = normalised(*field.section, value);
        else if (field.section != nullptr && value.is_array())
            for (Json &item : value) item = normalised(*field.section, item);
        else if (takes_suffix(field) && value.is_string())
            if (const auto amount = parse_amount(value.get_ref<const std::string &>()))
                value = *amount;
    }
    return whole;
}

/// A value for the operator.
std::string shown(const Json &value) {
    if (value.is_object()) return "an object";
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kLongestValue) text = text.substr(0, kLongestValue) + "...";
    return text;
}

/// Whether `GET /api/v1/config` shows the member.
bool is_shown(const std::string &key) {
    Json probe{{key, true}};
    strip_secrets(probe);
    return !probe.empty();
}

class Comparison {
public:
    void members(const Json &before, const Json &after, const std::string &path) {
        for (const auto &[key, value] : before.items()) {
            if (path.empty() && (key == list_of(false) || key == list_of(true))) continue;
            const std::string where = path.empty() ? key : member_path(path, key);
            const auto now = after.find(key);
            const bool open = is_shown(key);
            if (now == after.end())
                add(where, ChangeKind::kRemoved, open ? shown(value) + " before" : "",
                    open ? value : Json(), {});
            else
                compare(value, *now, where, open);
        }
        for (const auto &[key, value] : after.items()) {
            if (path.empty() && (key == list_of(false) || key == list_of(true))) continue;
            const bool open = is_shown(key);
            if (!before.contains(key))
                add(path.empty() ? key : member_path(path, key), ChangeKind::kAdded,
                    open ? shown(value) + " now" : "", {}, open ? value : Json());
        }
    }

    std::vector<SettingChange> changes;

private:
    void compare(const Json &before, const Json &after, const std::string &path, bool open) {
        if (before == after) return;
        if (before.is_object() && after.is_object()) return members(before, after, path);
        const bool lists = before.is_array() && after.is_array();
        if (lists && before.size() == after.size() && before.front().is_object()) {
            for (std::size_t i = 0; i < before.size(); ++i)
                compare(before[i], after[i], item_path(path, i), open);
            return;
        }
        std::string text;
        if (lists && before.size() != after.size())
            text = std::to_string(before.size()) + " entries before, " +
                   std::to_string(after.size()) + " now";
        else if (open)
            text = shown(before) + " before, " + shown(after) + " now";
        add(path, ChangeKind::kChanged, std::move(text), open ? before : Json(),
            open ? after : Json());
    }

    void add(const std::string &path, ChangeKind kind, std::string text, const Json &before,
             const Json &now) {
        changes.push_back({path, kind, applied_of(path, kind), std::move(text),
                           audited_value(before), audited_value(now)});
    }
};

const Json &links_of(const Json &file, bool outducts) {
    static const Json kNone = Json::array();
    const auto found = file.find(list_of(outducts));
    return found != file.end() && found->is_array() ? *found : kNone;
}

}  // namespace

Json normal_form(std::string_view file) {
    const Json document = Json::parse(file, nullptr, false);
    return normalised(node_table().info(), document.is_object() ? document : Json::object());
}

std::vector<SettingChange> setting_changes(const Json &before, const Json &after) {
    Comparison comparison;
    comparison.members(before, after, "");
    return std::move(comparison.changes);
}

std::string identity_of(const Json &link, bool outduct) {
    const auto found = link.find(outduct ? "nextHopNodeId" : "url");
    return found == link.end() ? std::string() : found->dump();
}

std::string differences_in(const Json &before, const Json &after) {
    Comparison comparison;
    comparison.members(before, after, "link");
    std::string text;
    for (const SettingChange &change : comparison.changes)
        text += (text.empty() ? "" : "; ") + change.path.substr(change.path.find('.') + 1) +
                (change.text.empty() ? "" : ": " + change.text);
    return text;
}

Json audited_value(Json value) {
    strip_secrets(value);
    if (value.is_array() && value.size() > kMostAuditedItems) return {{"count", value.size()}};
    const std::size_t bytes = value.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    return bytes > kMostAuditedBytes ? Json{{"bytes", bytes}} : value;
}

DifferingValues differing_values(const Json &before, const Json &after) {
    Comparison comparison;
    comparison.members(before, after, "link");
    DifferingValues values;
    for (const SettingChange &change : comparison.changes) {
        const std::string key = change.path.substr(change.path.find('.') + 1);
        if (!change.before.is_null()) values.before[key] = change.before;
        if (!change.now.is_null()) values.now[key] = change.now;
    }
    return {audited_value(std::move(values.before)), audited_value(std::move(values.now))};
}

std::vector<LinkPair> pair_links(const Json &before, const Json &after, bool outducts) {
    const Json &old_links = links_of(before, outducts);
    const Json &new_links = links_of(after, outducts);
    // Inducts may have the same URL where the system chooses the port: then the first pairs with
    // the first.
    std::multimap<std::string, std::size_t> waiting;
    for (std::size_t i = 0; i < old_links.size(); ++i)
        waiting.emplace(identity_of(old_links[i], outducts), i);
    std::vector<LinkPair> pairs;
    for (std::size_t i = 0; i < new_links.size(); ++i) {
        const auto found = waiting.lower_bound(identity_of(new_links[i], outducts));
        if (found == waiting.end() || found->first != identity_of(new_links[i], outducts)) {
            pairs.push_back({std::nullopt, i});
            continue;
        }
        const Json &old = old_links[found->second];
        pairs.push_back({found->second, i,
                         old == new_links[i] ? std::string() : differences_in(old, new_links[i])});
        waiting.erase(found);
    }
    for (const auto &[identity, place] : waiting) pairs.push_back({place, std::nullopt});
    return pairs;
}

}  // namespace farlink::config
