// SPDX-License-Identifier: Apache-2.0
// Checks a JSON value against a section's table, fills in defaults and lists every error.
// Made for one document by its loader; borrows the tables and the list of errors.
// One thread. It does not throw or stop early: valid values are returned beside the errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/fields/renamed_keys.hpp"

namespace farlink::config {

class SectionChecker {
public:
    /// `whole` is the document's table, in which misplaced keys are looked up.
    SectionChecker(const SectionInfo &whole, std::vector<ConfigError> &errors,
                   std::span<const RenamedKey> renamed = renamed_keys())
        : whole_(whole), errors_(errors), renamed_(renamed) {}

    /// The document as checked values.
    [[nodiscard]] Object check(const JsonValue &document) {
        return check_section(whole_, document, "");
    }
    /// A part of the document that is at `path`.
    [[nodiscard]] Object check_part(const SectionInfo &section, const JsonValue &json,
                                    const std::string &path) {
        return check_section(section, json, path);
    }

private:
    Object check_section(const SectionInfo &section, const JsonValue &json,
                         const std::string &path);
    Value check_field(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_integer(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_seconds(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_instant(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_text(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_texts(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_link_url(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value check_list(const FieldInfo &field, const JsonValue &json, const std::string &path);
    Value default_of(const FieldInfo &field, const std::string &section_path);
    /// In the section of a link, reports keys that its convergence layer does not use.
    void check_layer(const SectionInfo &section, const LinkUrl &url, Object &object,
                     std::vector<bool> &seen, const std::string &path);

    void report_unknown_key(const SectionInfo &section, std::string_view key,
                            const std::string &path);
    Value wrong(const FieldInfo &field, const JsonValue &json, const std::string &path,
                std::string hint = {});

    const SectionInfo &whole_;
    std::vector<ConfigError> &errors_;
    std::span<const RenamedKey> renamed_;
};

/// Parses and checks a whole document; empty if it is not a JSON object.
[[nodiscard]] std::optional<Object> check_document(const SectionInfo &table, std::string_view json,
                                                   std::vector<ConfigError> &errors);

/// The allowed values of a field, for errors: "an integer from 1 to 65535 (sessions)".
[[nodiscard]] std::string allowed_values(const FieldInfo &field);
/// The unit of a node: a number, "ipn:5.*", or "dtn://mars/**", which stays a text.
inline constexpr std::string_view kNodeUnit = "node";
/// Whether the field is a size or a rate, which may be a text like "64k" or "5M".
[[nodiscard]] bool takes_suffix(const FieldInfo &field);

}  // namespace farlink::config
