// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_section.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/config/fields/suggestion.hpp"

namespace farlink::config {
namespace {

using Kind = JsonValue::Kind;

bool is_set(const JsonValue &value) {
    return value.kind == Kind::kBoolean ? value.boolean : value.integer != 0;
}

ImportedJson value_of(const JsonValue &json) {
    if (json.kind == Kind::kBoolean) return json.boolean;
    if (json.kind == Kind::kInteger) return json.integer;
    return json.text;
}

}  // namespace

std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::kNull:
            return "null";
        case Kind::kBoolean:
            return "true or false";
        case Kind::kInteger:
            return "an integer";
        case Kind::kNumber:
            return "a number";
        case Kind::kText:
            return "a text";
        case Kind::kList:
            return "a list";
        case Kind::kObject:
            return "an object";
    }
    return {};
}

HdtnSection::HdtnSection(const JsonValue &json, std::string path, std::span<const HdtnKey> keys,
                         HdtnNotes &notes, unsigned layer)
    : path_(std::move(path)), keys_(keys), notes_(notes), layer_(layer) {
    if (json.kind != Kind::kObject) {
        notes_.refuse(path_, "found " + json.describe() + "; expected an object");
        return;
    }
    std::set<std::string_view> seen;
    for (const JsonMember &member : json.members) {
        if (seen.insert(member.key).second)
            take(member);
        else
            notes_.refuse(place(member.key), "found twice");
    }
}

void HdtnSection::take(const JsonMember &member) {
    const HdtnKey *known = nullptr;
    for (const HdtnKey &key : keys_)
        if (key.key == member.key && (known == nullptr || (key.layers & layer_) != 0)) known = &key;
    if (known == nullptr) return report_unknown(member.key);
    if (known->kind != member.value.kind)
        return notes_.refuse(place(member.key), "found " + member.value.describe() + "; expected " +
                                                    std::string(name_of(known->kind)));
    if ((known->layers & layer_) == 0)
        return notes_.note(place(member.key), "not a key of this convergence layer");
    found_.push_back({known, &member.value});
}

void HdtnSection::report_unknown(const std::string &key) {
    std::vector<std::string_view> words;
    for (const HdtnKey &each : keys_) words.push_back(each.key);
    const std::string_view near = nearest(key, words);
    notes_.refuse(place(key),
                  "unknown key" + (near.empty() ? std::string()
                                                : "; did you mean \"" + std::string(near) + "\"?"));
}

void HdtnSection::apply(ImportedJson &out, const std::string &out_path) {
    for (const Found &found : found_) {
        const std::string at = place(found.key->key);
        switch (found.key->rule) {
            case HdtnRule::kRead:
                break;
            case HdtnRule::kNote:
                notes_.note(at, std::string(found.key->text));
                break;
            case HdtnRule::kRefuseIfSet:
                if (is_set(*found.value))
                    notes_.refuse(at, "found " + found.value->describe() + ": " +
                                          std::string(found.key->text));
                else
                    notes_.note(at, "not set");
                break;
            case HdtnRule::kCopy:
            case HdtnRule::kCopyExactly:
                copy(found, out, out_path);
                break;
        }
    }
}

void HdtnSection::copy(const Found &found, ImportedJson &out, const std::string &out_path) {
    const std::string_view name = found.key->target.empty() ? found.key->key : found.key->target;
    const std::string target = member_path(out_path, name);
    if (found.value->kind == Kind::kInteger) return copy_integer(found, out, target);
    out[std::string(name)] = value_of(*found.value);
    notes_.map(place(found.key->key), target + ": " + found.value->describe());
}

void HdtnSection::copy_integer(const Found &found, ImportedJson &out, const std::string &target) {
    const HdtnKey &key = *found.key;
    const std::string at = place(key.key);
    const std::uint64_t value = found.value->integer;
    const std::uint64_t kept = std::clamp(value, key.minimum, key.maximum);
    if (kept != value && key.rule == HdtnRule::kCopyExactly)
        return notes_.refuse(at, "found " + std::to_string(value) + "; expected an integer from " +
                                     std::to_string(key.minimum) + " to " +
                                     std::to_string(key.maximum));
    out[std::string(key.target.empty() ? key.key : key.target)] = kept;
    const std::string what = target + ": " + std::to_string(kept);
    if (kept != value)
        notes_.change(at, what + ", the nearest value to " + std::to_string(value));
    else if (!key.text.empty() && value == 0)
        notes_.change(at, what + ", " + std::string(key.text));
    else
        notes_.map(at, what);
}

const JsonValue *HdtnSection::find(std::string_view key) const {
    const auto found =
        std::ranges::find_if(found_, [key](const Found &each) { return each.key->key == key; });
    return found == found_.end() ? nullptr : found->value;
}

bool HdtnSection::flag(std::string_view key, bool otherwise) const {
    const JsonValue *const value = find(key);
    return value == nullptr ? otherwise : value->boolean;
}

std::string HdtnSection::text(std::string_view key) const {
    const JsonValue *const value = find(key);
    return value == nullptr ? std::string() : value->text;
}

std::uint64_t HdtnSection::required(std::string_view key, std::uint64_t minimum,
                                    std::uint64_t maximum) {
    const JsonValue *const value = find(key);
    if (value == nullptr) {
        notes_.refuse(place(key), "missing, or not an integer");
        return 0;
    }
    if (value->integer >= minimum && value->integer <= maximum) return value->integer;
    notes_.refuse(place(key), "found " + value->describe() + "; expected an integer from " +
                                  std::to_string(minimum) + " to " + std::to_string(maximum));
    return 0;
}

}  // namespace farlink::config
