// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/field_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/config/fields/hdtn_words.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config {
namespace {

void for_each_field(const SectionInfo &section, const auto &visit) {
    for (const FieldInfo &field : section.fields) {
        visit(section, field);
        if (field.section != nullptr) for_each_field(*field.section, visit);
    }
}

void for_each_field(const auto &visit) {
    for_each_field(node_table().info(), visit);
    for_each_field(contact_plan_table().info(), visit);
}

TEST(FieldTable, EveryFieldIsWellFormed) {
    for_each_field([](const SectionInfo &section, const FieldInfo &field) {
        const std::string name = std::string(section.title) + '.' + std::string(field.key);
        EXPECT_TRUE(field.help.ends_with('.')) << name;
        EXPECT_LE(field.minimum, field.maximum) << name;
        const bool nested = field.kind == FieldKind::kObject || field.kind == FieldKind::kList;
        EXPECT_EQ(nested, field.section != nullptr) << name;
        EXPECT_EQ(field.kind == FieldKind::kChoice, !field.choices.empty()) << name;
        if (field.required) {
            EXPECT_TRUE(std::holds_alternative<std::monostate>(field.fallback)) << name;
            EXPECT_TRUE(field.computed_default.empty()) << name;
        }
        EXPECT_FALSE(allowed_values(field).empty()) << name;
    });
}

TEST(FieldTable, EveryDefaultIsAllowed) {
    for_each_field([](const SectionInfo &, const FieldInfo &field) {
        if (const auto *number = std::get_if<std::uint64_t>(&field.fallback)) {
            EXPECT_TRUE(field.kind == FieldKind::kInteger || field.kind == FieldKind::kSeconds);
            EXPECT_GE(*number, field.minimum) << field.key;
            EXPECT_LE(*number, field.maximum) << field.key;
        }
        if (const auto *text = std::get_if<std::string_view>(&field.fallback)) {
            EXPECT_NE(std::ranges::find(field.choices, *text), field.choices.end()) << field.key;
        }
        if (std::holds_alternative<bool>(field.fallback)) {
            EXPECT_EQ(field.kind, FieldKind::kBoolean) << field.key;
        }
    });
}

TEST(FieldTable, KeysAreUniqueInTheirSectionAndNamesOfUnitsAreInThem) {
    std::set<std::pair<const SectionInfo *, std::string_view>> seen;
    for_each_field([&seen](const SectionInfo &section, const FieldInfo &field) {
        EXPECT_TRUE(seen.emplace(&section, field.key).second) << field.key;
        // LTP's words are older than farlink: "Ms", and "Mtu", which everybody counts in bytes.
        if (field.unit == "milliseconds") {
            EXPECT_TRUE(field.key.ends_with("Milliseconds") ||
                        field.key.find("TimeMs") != std::string_view::npos)
                << field.key;
        }
        if (field.unit == "bytes") {
            EXPECT_TRUE(field.key.find("Bytes") != std::string_view::npos ||
                        field.key.ends_with("SegmentMtu"))
                << field.key;
        }
        EXPECT_TRUE(hdtn_advice(field.key).empty())
            << field.key << " is a key of farlink's own, nobody needs to be warned of it";
    });
}

TEST(FieldTable, BuildKeepsWhatHasNoValue) {
    struct Pair {
        std::uint64_t first = 1;
        std::uint64_t second = 2;
    };
    const Table<Pair> table{
        "pair",
        "A pair.",
        {{{.key = "first"}, [](Pair &to, const Value &v) { to.first = v.number<std::uint64_t>(); }},
         {{.key = "second"},
          [](Pair &to, const Value &v) { to.second = v.number<std::uint64_t>(); }}}};
    const Object half{{Value{}, Value{std::uint64_t{7}}}};
    EXPECT_EQ(table.build(half).first, 1U);
    EXPECT_EQ(table.build(half).second, 7U);
    EXPECT_EQ(table.build(Object{}).second, 2U);
    EXPECT_EQ(table.build_all({half, Object{}}).size(), 2U);
}

}  // namespace
}  // namespace farlink::config
