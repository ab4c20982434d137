// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_from_url.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/config/fields/link_url.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/link/link_checks.hpp"
#include "common/config/link/link_fields.hpp"

namespace farlink::config {
namespace {

using Kind = JsonValue::Kind;

JsonValue as_text(std::string text) {
    JsonValue json;
    json.kind = Kind::kText;
    json.text = std::move(text);
    return json;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The option's text as JSON of the field's kind; other text stays text, which the check reports.
JsonValue as_json(const FieldInfo &field, const std::string &text) {
    JsonValue json = as_text(text);
    if (field.kind == FieldKind::kBoolean && (text == "true" || text == "false")) {
        json.kind = Kind::kBoolean;
        json.boolean = text == "true";
    }
    if (field.kind == FieldKind::kInteger && is_number(text)) {
        const char *const end = text.data() + text.size();
        const bool fits = std::from_chars(text.data(), end, json.integer).ec == std::errc{};
        json.kind = fits ? Kind::kInteger : Kind::kNumber;
    }
    return json;
}

/// The equivalent object of a configuration file. `url` is parsed from `text`.
JsonValue as_object(const SectionInfo &section, std::string_view text,
                    const Result<LinkUrl, LinkUrlError> &url) {
    JsonValue object;
    object.kind = Kind::kObject;
    // An invalid URL is passed on unchanged; the check reports it.
    const std::string_view plain = url ? text.substr(0, text.find('?')) : text;
    object.members.push_back({"url", as_text(std::string(plain))});
    if (!url) return object;
    for (const auto &[name, value] : url->options) {
        const auto field = std::ranges::find(section.fields, name, &FieldInfo::key);
        const bool known = field != section.fields.end();
        object.members.push_back({name, known ? as_json(*field, value) : as_text(value)});
    }
    return object;
}

template <class Link>
Result<Link, std::string> link_from_url(const Table<Link> &table, std::string_view text) {
    ConfigErrors errors;
    const auto url = parse_link_url(text);
    const JsonValue json = as_object(table.info(), text, url);
    const Object object = SectionChecker(table.info(), errors.errors).check(json);
    Link link = table.build(object);
    // Programs have no bufferBytes, which otherwise limits a bundle.
    check_link(link, {.node = {}, .buffer_bytes = 0, .folder = {}}, "", errors.errors);
    if (!errors.errors.empty()) {
        std::string lines = errors.to_string();
        lines.pop_back();
        return fail(std::move(lines));
    }
    fill_link_defaults(link, {});
    link.url.options = url->options;
    return link;
}

}  // namespace

Result<InductConfig, std::string> induct_from_url(std::string_view url) {
    return link_from_url(induct_table(), url);
}

Result<OutductConfig, std::string> outduct_from_url(std::string_view url) {
    return link_from_url(outduct_url_table(), url);
}

}  // namespace farlink::config
