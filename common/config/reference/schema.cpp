// SPDX-License-Identifier: Apache-2.0
#include "common/config/reference/schema.hpp"

#include <nlohmann/json.hpp>

#include "common/config/fields/link_url.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

std::string scheme_pattern() {
    std::string names;
    for (const SchemeInfo &scheme : known_schemes()) {
        if (!names.empty()) names += '|';
        names += scheme.name;
    }
    return "^(" + names + R"()://(\[[^\]]+\]|[^:/@#?]+):[0-9]{1,5}$)";
}

Json object_schema(const SectionInfo &section);

Json type_schema(const FieldInfo &field) {
    switch (field.kind) {
        case FieldKind::kInteger: {
            const Json number{
                {"type", "integer"}, {"minimum", field.minimum}, {"maximum", field.maximum}};
            const bool node = field.unit == kNodeUnit;
            if (!takes_suffix(field) && !node) return number;
            constexpr const char *kNode = R"(^(ipn:([0-9]+\.)?[0-9]+\.\*|dtn://[^/]+/\*\*?)$)";
            constexpr const char *kAmount = "^[0-9.]+[kMGT]i?$";
            const Json text{{"type", "string"}, {"pattern", node ? kNode : kAmount}};
            return {{"anyOf", Json::array({number, text})}};
        }
        case FieldKind::kSeconds:
            return {{"type", "number"}, {"minimum", field.minimum}, {"maximum", field.maximum}};
        case FieldKind::kInstant:
            return {
                {"anyOf",
                 Json::array({{{"type", "number"}, {"minimum", 0}, {"maximum", field.maximum}},
                              {{"type", "string"}, {"format", "date-time"}, {"pattern", "Z$"}}})}};
        case FieldKind::kBoolean:
            return {{"type", "boolean"}};
        case FieldKind::kText:
            return {{"type", "string"}, {"minLength", 1}};
        case FieldKind::kTexts:
            return {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}};
        case FieldKind::kChoice:
            return {{"enum", field.choices}};
        case FieldKind::kLinkUrl:
            return {{"type", "string"}, {"pattern", scheme_pattern()}};
        case FieldKind::kObject:
            return object_schema(*field.section);
        case FieldKind::kList:
            return {{"type", "array"}, {"items", object_schema(*field.section)}};
    }
    return {};
}

Json field_schema(const FieldInfo &field) {
    Json schema = {{"description", field.help}};
    const bool says_unit = !field.unit.empty() && field.kind != FieldKind::kInstant;
    if (says_unit)
        schema["description"] = std::string(field.help) + " Unit: " + std::string(field.unit) + '.';
    if (!field.schemes.empty())
        schema["description"] = schema["description"].get<std::string>() + " Only with " +
                                alternatives(field.schemes, false) + '.';
    // Members of an object's own schema (its description too) give way to the field's.
    const Json type = type_schema(field);
    for (const auto &[key, value] : type.items())
        if (!schema.contains(key)) schema[key] = value;
    const auto *number = std::get_if<std::uint64_t>(&field.fallback);
    if (number != nullptr && field.no_fallback_for.empty()) schema["default"] = *number;
    if (const auto *flag = std::get_if<bool>(&field.fallback)) schema["default"] = *flag;
    if (const auto *text = std::get_if<std::string_view>(&field.fallback))
        schema["default"] = *text;
    return schema;
}

Json object_schema(const SectionInfo &section) {
    Json required = Json::array();
    Json properties = Json::object();
    for (const FieldInfo &field : section.fields) {
        properties[std::string(field.key)] = field_schema(field);
        if (field.required) required.push_back(field.key);
    }
    Json schema = {{"description", section.help}, {"type", "object"}};
    if (!required.empty()) schema["required"] = std::move(required);
    schema["properties"] = std::move(properties);
    schema["additionalProperties"] = false;
    return schema;
}

std::string document_schema(const SectionInfo &section, std::string_view title) {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
    schema.update(object_schema(section));
    return schema.dump(2) + '\n';
}

}  // namespace

std::string config_schema() {
    return document_schema(node_table().info(), "farlink configuration");
}

std::string contact_plan_schema() {
    return document_schema(contact_plan_table().info(), "farlink contact plan");
}

}  // namespace farlink::config
