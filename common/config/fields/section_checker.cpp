// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/section_checker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/amount.hpp"
#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/fields/hdtn_words.hpp"
#include "common/config/fields/instant.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/fields/suggestion.hpp"

namespace farlink::config {
namespace {

using Kind = JsonValue::Kind;

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    const std::string_view best = nearest(word, known);
    return best.empty() ? std::string{} : "did you mean " + in_quotes(best) + '?';
}

std::vector<std::string_view> keys_of(const SectionInfo &section) {
    std::vector<std::string_view> keys;
    for (const FieldInfo &field : section.fields) keys.push_back(field.key);
    return keys;
}

/// The section below `section` that has a field `key`, or null.
const SectionInfo *home_of(const SectionInfo &section, std::string_view key) {
    if (std::ranges::find(section.fields, key, &FieldInfo::key) != section.fields.end())
        return &section;
    for (const FieldInfo &field : section.fields)
        if (field.section != nullptr)
            if (const SectionInfo *home = home_of(*field.section, key); home != nullptr)
                return home;
    return nullptr;
}

/// Of a section that describes a link, if it is right; null.
const LinkUrl *url_of(const Object &object) {
    for (const Value &value : object.values)
        if (const auto *url = std::get_if<LinkUrl>(&value.data)) return url;
    return nullptr;
}

/// A size or a rate may be a text with a suffix: "64k".
std::optional<std::uint64_t> whole_number(const FieldInfo &field, const JsonValue &json) {
    if (json.kind == Kind::kInteger) return json.integer;
    const bool amount = json.kind == Kind::kText && takes_suffix(field) && !json.text.empty() &&
                        json.text.find_last_not_of("0123456789") != std::string::npos;
    return amount ? parse_amount(json.text) : std::nullopt;
}

bool is_number(const JsonValue &json) {
    return json.kind == Kind::kInteger || json.kind == Kind::kNumber;
}

std::optional<Duration> valid_seconds(const FieldInfo &field, const JsonValue &json) {
    const bool fits = is_number(json) && json.number >= static_cast<double>(field.minimum) &&
                      json.number <= static_cast<double>(field.maximum);
    if (!fits) return std::nullopt;
    return Duration{std::llround(json.number * 1e9)};
}

std::optional<Instant> valid_instant(const FieldInfo &field, const JsonValue &json) {
    if (json.kind == Kind::kText) {
        const auto time = parse_utc(json.text);
        return time ? std::optional(Instant{true, *time}) : std::nullopt;
    }
    const bool fits =
        is_number(json) && json.number >= 0 && json.number <= static_cast<double>(field.maximum);
    const auto whole = fits ? whole_milliseconds(json.number) : std::nullopt;
    return whole ? std::optional(Instant{false, *whole}) : std::nullopt;
}

/// The value of most members of long lists, which needs no path; empty: check_field() decides.
Value plain_value(const FieldInfo &field, const JsonValue &json) {
    if (field.kind == FieldKind::kInteger && json.kind == Kind::kInteger &&
        json.integer >= field.minimum && json.integer <= field.maximum)
        return {json.integer};
    if (field.kind == FieldKind::kSeconds)
        if (const auto seconds = valid_seconds(field, json)) return {*seconds};
    if (field.kind == FieldKind::kInstant)
        if (const auto instant = valid_instant(field, json)) return {*instant};
    return {};
}

/// What to do about a number in quotes.
std::string number_hint(const JsonValue &json) {
    const bool digits = json.kind == Kind::kText && !json.text.empty() &&
                        json.text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? "write the number without quotes" : "";
}

}  // namespace

bool takes_suffix(const FieldInfo &field) {
    return field.kind == FieldKind::kInteger &&
           (field.unit == "bytes" || field.unit == "bits per second");
}

std::string allowed_values(const FieldInfo &field) {
    const auto range = [&field](std::string_view what) {
        std::string text = std::string(what) + " from " + std::to_string(field.minimum) + " to " +
                           std::to_string(field.maximum);
        if (field.unit == kNodeUnit)
            text += R"( (a node), or a text such as "ipn:5.*" or "dtn://mars/**")";
        else if (!field.unit.empty())
            text += " (" + std::string(field.unit) + ')';
        return text;
    };
    switch (field.kind) {
        case FieldKind::kInteger:
            return range("an integer");
        case FieldKind::kSeconds:
            return range("a number");
        case FieldKind::kInstant:
            return range("a number") + R"(, or a time in UTC such as "2026-01-02T03:04:05Z")";
        case FieldKind::kBoolean:
            return "true or false";
        case FieldKind::kText:
            return "a text that is not empty";
        case FieldKind::kTexts:
            return "a list of texts that are not empty";
        case FieldKind::kChoice:
            return alternatives(field.choices, true);
        case FieldKind::kLinkUrl: {
            std::vector<std::string_view> schemes;
            for (const SchemeInfo &scheme : known_schemes()) schemes.push_back(scheme.name);
            return "a URL of the form \"scheme://host:port\" with scheme " +
                   alternatives(schemes, false);
        }
        case FieldKind::kObject:
            return "an object";
        case FieldKind::kList:
            return "a list of objects";
    }
    return {};
}

Value SectionChecker::wrong(const FieldInfo &field, const JsonValue &json, const std::string &path,
                            std::string hint) {
    errors_.push_back({path, "found " + json.describe(), allowed_values(field), std::move(hint)});
    return {};
}

void SectionChecker::report_unknown_key(const SectionInfo &section, std::string_view key,
                                        const std::string &path) {
    const std::vector<std::string_view> keys = keys_of(section);
    std::string hint(hdtn_advice(key));
    if (hint.empty())
        if (const SectionInfo *home = home_of(whole_, key); home != nullptr)
            hint = home == &whole_ ? "it belongs at the top of the file"
                                   : "it belongs in " + std::string(home->title);
    if (hint.empty()) hint = did_you_mean(key, keys);
    errors_.push_back({path, "unknown key", hint.empty() ? alternatives(keys, false) : "", hint});
}

Object SectionChecker::check_section(const SectionInfo &section, const JsonValue &json,
                                     const std::string &path) {
    if (json.kind != Kind::kObject) {
        errors_.push_back({path, "found " + json.describe(), "an object", ""});
        return {};
    }
    Object object;
    object.values.resize(section.fields.size());
    std::vector<bool> seen(section.fields.size(), false);
    for (const JsonMember &member : json.members) {
        const auto where = [&] { return member_path(path, member.key); };
        const auto field = std::ranges::find(
            section.fields, current_key(section, member.key, renamed_), &FieldInfo::key);
        if (field == section.fields.end()) {
            report_unknown_key(section, member.key, where());
            continue;
        }
        const auto index = static_cast<std::size_t>(field - section.fields.begin());
        Value value = plain_value(*field, member.value);
        if (value.empty()) value = check_field(*field, member.value, where());
        if (seen[index])
            errors_.push_back({where(), "the key occurs twice in one object", "", ""});
        else
            object.values[index] = std::move(value);
        seen[index] = true;
    }
    object.given = seen;
    if (const LinkUrl *url = url_of(object)) check_layer(section, *url, object, seen, path);
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (!seen[i]) object.values[i] = default_of(section.fields[i], path);
    return object;
}

void SectionChecker::check_layer(const SectionInfo &section, const LinkUrl &url, Object &object,
                                 std::vector<bool> &seen, const std::string &path) {
    for (const auto &[name, value] : url.options)
        errors_.push_back({member_path(path, "url"),
                           "found the option " + in_quotes(name) + " in a URL of a file",
                           "scheme://host:port", "write it as a key next to \"url\""});
    // What counts as seen gets no default.
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const FieldInfo &field = section.fields[i];
        const bool used = field.schemes.empty() ||
                          std::ranges::find(field.schemes, url.scheme) != field.schemes.end();
        if (used) {
            seen[i] = seen[i] || field.no_fallback_for == url.scheme;
            continue;
        }
        if (seen[i])
            errors_.push_back({member_path(path, field.key),
                               "not used by " + url.scheme + ' ' + std::string(section.link) + 's',
                               "", "it is for " + alternatives(field.schemes, false)});
        object.values[i] = {};
        seen[i] = true;
    }
}

Value SectionChecker::default_of(const FieldInfo &field, const std::string &section_path) {
    if (field.required) {
        errors_.push_back(
            {member_path(section_path, field.key), "missing", allowed_values(field), ""});
        return {};
    }
    if (field.kind == FieldKind::kObject) {
        JsonValue empty;
        empty.kind = Kind::kObject;
        return {check_section(*field.section, empty, member_path(section_path, field.key))};
    }
    if (field.kind == FieldKind::kList) return {List{}};
    if (const auto *number = std::get_if<std::uint64_t>(&field.fallback)) {
        if (field.kind == FieldKind::kSeconds)
            return {Duration{seconds(static_cast<std::int64_t>(*number))}};
        return {*number};
    }
    if (const auto *flag = std::get_if<bool>(&field.fallback)) return {*flag};
    if (const auto *text = std::get_if<std::string_view>(&field.fallback))
        return {std::string(*text)};
    return {};
}

Value SectionChecker::check_field(const FieldInfo &field, const JsonValue &json,
                                  const std::string &path) {
    switch (field.kind) {
        case FieldKind::kInteger:
            return check_integer(field, json, path);
        case FieldKind::kSeconds:
            return check_seconds(field, json, path);
        case FieldKind::kInstant:
            return check_instant(field, json, path);
        case FieldKind::kText:
        case FieldKind::kChoice:
            return check_text(field, json, path);
        case FieldKind::kTexts:
            return check_texts(field, json, path);
        case FieldKind::kLinkUrl:
            return check_link_url(field, json, path);
        case FieldKind::kList:
            return check_list(field, json, path);
        case FieldKind::kObject:
            return {check_section(*field.section, json, path)};
        case FieldKind::kBoolean:
            if (json.kind != Kind::kBoolean) return wrong(field, json, path);
            return {json.boolean};
    }
    return {};
}

Value SectionChecker::check_integer(const FieldInfo &field, const JsonValue &json,
                                    const std::string &path) {
    if (field.unit == kNodeUnit && json.kind == Kind::kText) {
        const auto pattern = bp::EidPattern::parse(json.text);
        const auto node = pattern ? pattern->ipn_node() : std::nullopt;
        if (node && node->value() >= field.minimum) return {node->value()};
        if (pattern && pattern->dtn_node()) return {json.text};
    }
    const auto given = whole_number(field, json);
    if (given && *given >= field.minimum && *given <= field.maximum) return {*given};
    std::string hint = number_hint(json);
    if (json.kind == Kind::kNumber && json.text.find_first_of(".eE") != std::string::npos)
        hint = "write it without fraction and exponent";
    return wrong(field, json, path, std::move(hint));
}

Value SectionChecker::check_seconds(const FieldInfo &field, const JsonValue &json,
                                    const std::string &path) {
    if (const auto seconds = valid_seconds(field, json)) return {*seconds};
    return wrong(field, json, path, number_hint(json));
}

Value SectionChecker::check_instant(const FieldInfo &field, const JsonValue &json,
                                    const std::string &path) {
    if (const auto instant = valid_instant(field, json)) return {*instant};
    if (json.kind == Kind::kText) {
        // Of a moment that is right up to its milliseconds.
        constexpr std::size_t kMilliseconds = std::string_view("2026-01-02T03:04:05.000").size();
        const bool finer = parse_utc(json.text.substr(0, kMilliseconds) + 'Z').has_value();
        return wrong(field, json, path,
                     finer ? std::string(kWholeMilliseconds) : number_hint(json));
    }
    const bool fits =
        is_number(json) && json.number >= 0 && json.number <= static_cast<double>(field.maximum);
    if (fits) return wrong(field, json, path, std::string(kWholeMilliseconds));
    const bool huge = is_number(json) && json.number > static_cast<double>(field.maximum);
    return wrong(field, json, path, huge ? "Unix seconds are written as a time in UTC" : "");
}

Value SectionChecker::check_text(const FieldInfo &field, const JsonValue &json,
                                 const std::string &path) {
    if (json.kind != Kind::kText || json.text.empty()) return wrong(field, json, path);
    // A NUL would cut the text short where it becomes a file name.
    if (json.text.find('\0') != std::string::npos) return wrong(field, json, path);
    if (field.kind == FieldKind::kChoice &&
        std::ranges::find(field.choices, json.text) == field.choices.end())
        return wrong(field, json, path, did_you_mean(json.text, field.choices));
    return {json.text};
}

Value SectionChecker::check_texts(const FieldInfo &field, const JsonValue &json,
                                  const std::string &path) {
    if (json.kind != Kind::kList) return wrong(field, json, path);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < json.items.size(); ++i) {
        const Value text = check_text(field, json.items[i], item_path(path, i));
        if (!text.empty()) texts.push_back(text.as<std::string>());
    }
    return {std::move(texts)};
}

Value SectionChecker::check_link_url(const FieldInfo &field, const JsonValue &json,
                                     const std::string &path) {
    if (json.kind != Kind::kText) return wrong(field, json, path);
    auto url = parse_link_url(json.text);
    if (url) return {std::move(*url)};
    std::string hint;
    if (url.error() == LinkUrlError::kUnknownScheme) {
        std::vector<std::string_view> schemes;
        for (const SchemeInfo &scheme : known_schemes()) schemes.push_back(scheme.name);
        hint = did_you_mean(std::string_view(json.text).substr(0, json.text.find(':')), schemes);
    }
    if (url.error() == LinkUrlError::kBareIpv6Address) hint = "write [address]:port";
    errors_.push_back({path,
                       "found " + json.describe() + ", " + std::string(to_string(url.error())),
                       allowed_values(field), std::move(hint)});
    return {};
}

Value SectionChecker::check_list(const FieldInfo &field, const JsonValue &json,
                                 const std::string &path) {
    if (json.kind != Kind::kList) {
        const bool hdtn_style =
            json.kind == Kind::kObject && std::ranges::any_of(json.members, [](const auto &member) {
                return member.key == "inductVector" || member.key == "outductVector";
            });
        return wrong(field, json, path,
                     hdtn_style ? "HDTN's inductVector or outductVector is this list" : "");
    }
    List list;
    list.reserve(json.items.size());
    for (std::size_t i = 0; i < json.items.size(); ++i)
        list.push_back(check_section(*field.section, json.items[i], item_path(path, i)));
    return {std::move(list)};
}

std::optional<Object> check_document(const SectionInfo &table, std::string_view json,
                                     std::vector<ConfigError> &errors) {
    const auto document = parse_json(json);
    if (!document) {
        errors.push_back(document.error());
        return std::nullopt;
    }
    Object object = SectionChecker(table, errors).check(*document);
    if (document->kind != Kind::kObject) return std::nullopt;
    return object;
}

}  // namespace farlink::config
