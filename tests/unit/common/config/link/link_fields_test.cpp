// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/config/fields/link_url.hpp"
#include "common/config/fields/section_checker.hpp"

namespace farlink::config::link_fields_test {
namespace {

/// Of a link of `scheme` with one more member.
std::vector<std::string> errors_of(const SectionInfo &section, std::string_view scheme,
                                   const std::string &member) {
    std::string json = R"({"url":")" + std::string(scheme) + R"(://h:1")";
    if (&section != &induct_table().info() && !member.starts_with(R"("nextHopNodeId")"))
        json += R"(,"nextHopNodeId":2)";
    json += (member.empty() ? "" : "," + member) + '}';
    std::vector<ConfigError> errors;
    (void)check_document(section, json, errors);
    std::vector<std::string> lines;
    for (const ConfigError &error : errors) lines.push_back(error.to_string());
    return lines;
}

std::string quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
}

/// A member with a value that the field's layers take.
std::string good_member(const FieldInfo &field) {
    const std::string key = quoted(field.key) + ':';
    switch (field.kind) {
        case FieldKind::kInteger:
            return key + std::to_string(field.minimum);
        case FieldKind::kBoolean:
            return key + "true";
        case FieldKind::kChoice:
            return key + quoted(field.choices.back());
        case FieldKind::kList:
            return key + "[]";
        default:
            return key + quoted("text");
    }
}

std::string_view some_layer(const FieldInfo &field) {
    return field.schemes.empty() ? "tcpclv4" : field.schemes.front();
}

class LinkFields : public testing::TestWithParam<const SectionInfo *> {
protected:
    const SectionInfo &section_ = *GetParam();
};

TEST_P(LinkFields, EveryRangeHasItsEdges) {
    for (const FieldInfo &field : section_.fields) {
        if (field.kind != FieldKind::kInteger) continue;
        const auto ok = [&](const std::string &value) {
            return errors_of(section_, some_layer(field), quoted(field.key) + ':' + value).empty();
        };
        EXPECT_TRUE(ok(std::to_string(field.minimum))) << field.key;
        EXPECT_TRUE(ok(std::to_string(field.maximum))) << field.key;
        EXPECT_FALSE(ok(field.minimum == 0 ? "-1" : std::to_string(field.minimum - 1)))
            << field.key;
        EXPECT_FALSE(ok(field.maximum == ~std::uint64_t{0} ? "18446744073709551616"
                                                           : std::to_string(field.maximum + 1)))
            << field.key;
        EXPECT_FALSE(ok("1.5")) << field.key;
        EXPECT_FALSE(ok("\"1\"")) << field.key;
        EXPECT_FALSE(ok("null")) << field.key;
    }
}

TEST_P(LinkFields, EveryChoiceIsTakenAndNoOther) {
    for (const FieldInfo &field : section_.fields) {
        if (field.kind != FieldKind::kChoice) continue;
        const auto ok = [&](std::string_view value) {
            return errors_of(section_, some_layer(field), quoted(field.key) + ':' + quoted(value))
                .empty();
        };
        EXPECT_TRUE(std::ranges::all_of(field.choices, ok)) << field.key;
        EXPECT_FALSE(ok("other")) << field.key;
    }
}

TEST_P(LinkFields, AKeyIsTakenByItsLayersAndByNoOther) {
    for (const FieldInfo &field : section_.fields) {
        if (field.key == "url") continue;
        for (const SchemeInfo &scheme : known_schemes()) {
            const bool used = field.schemes.empty() ||
                              std::ranges::find(field.schemes, scheme.name) != field.schemes.end();
            std::vector<std::string> expected;
            if (!used)
                expected.push_back(std::string(field.key) + ": not used by " +
                                   std::string(scheme.name) + ' ' + std::string(section_.link) +
                                   "s; it is for " + alternatives(field.schemes, false));
            EXPECT_EQ(errors_of(section_, scheme.name, good_member(field)), expected);
        }
    }
}

TEST_P(LinkFields, OptionsOfTheUrlAreKeysInAFile) {
    std::vector<ConfigError> errors;
    (void)check_document(section_, R"({"url":"tcpclv4://h:1?tls=required&ca=x","nextHopNodeId":2})",
                         errors);
    std::vector<std::string> lines;
    for (const ConfigError &error : errors)
        if (error.path == "url") lines.push_back(error.to_string());
    EXPECT_EQ(lines, (std::vector<std::string>{
                         "url: found the option \"ca\" in a URL of a file; expected "
                         "scheme://host:port; write it as a key next to \"url\"",
                         "url: found the option \"tls\" in a URL of a file; expected "
                         "scheme://host:port; write it as a key next to \"url\""}));
}

INSTANTIATE_TEST_SUITE_P(BothSides, LinkFields,
                         testing::Values(&induct_table().info(), &outduct_table().info()),
                         [](const auto &side) { return std::string(side.param->link); });

TEST(LinkFieldsOfUrls, OnlyTheNextHopMayBeMissing) {
    const auto &file = outduct_table().info().fields;
    const auto &url = outduct_url_table().info().fields;
    ASSERT_EQ(file.size(), url.size());
    for (std::size_t i = 0; i < file.size(); ++i) {
        EXPECT_EQ(file[i].key, url[i].key);
        EXPECT_EQ(file[i].required != url[i].required, file[i].key == "nextHopNodeId")
            << file[i].key;
    }
}

}  // namespace
}  // namespace farlink::config::link_fields_test
