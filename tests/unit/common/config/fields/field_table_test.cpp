// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/field_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/config/fields/hdtn_words.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config::field_table_test {
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
        const auto *text = std::get_if<std::string_view>(&field.fallback);
        if (text != nullptr && field.kind != FieldKind::kText) {
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
            << field.key << " is a key of farlink and of HDTN's list of unsupported keys";
    });
}

TEST(FieldTable, BuildKeepsWhatHasNoValue) {
    struct Pair {
        std::uint64_t first = 1;
        std::uint64_t second = 2;
    };
    const Table<Pair> table{
        "pair", "A pair.", {{{.key = "first"}, &Pair::first}, {{.key = "second"}, &Pair::second}}};
    const Object half{{Value{}, Value{std::uint64_t{7}}}};
    EXPECT_EQ(table.build(half).first, 1U);
    EXPECT_EQ(table.build(half).second, 7U);
    EXPECT_EQ(table.build(Object{}).second, 2U);
    EXPECT_EQ(table.build_all({half, Object{}}).size(), 2U);
}

struct Inner {
    std::uint8_t octet = 0;
    Duration wait{};
};
struct Base {
    Inner inner;
};
struct Outer : Base {
    std::optional<std::uint64_t> number{};
    NodeNumber node;
    Duration length{};
    std::string text{};
    bool flag = false;
    bool even = false;
};

TEST(FieldTable, MemberPointersSetMembersOfEveryType) {
    const Table<Outer> table{
        "outer",
        "One member of each type.",
        {
            {{.key = "octet"}, &Base::inner, &Inner::octet},
            {{.key = "wait"}, &Outer::inner, &Inner::wait},
            {{.key = "number"}, &Outer::number},
            {{.key = "node"}, &Outer::node},
            {{.key = "length"}, &Outer::length},
            {{.key = "text"}, &Outer::text},
            {{.key = "flag"}, &Outer::flag},
            {{.key = "even"},
             [](Outer &to, const Value &value) { to.even = value.as<std::uint64_t>() % 2 == 0; }},
        }};
    const Outer outer = table.build({{{std::uint64_t{255}},
                                      {std::uint64_t{1'500}},
                                      {std::uint64_t{3}},
                                      {std::uint64_t{42}},
                                      {Duration{seconds(2)}},
                                      {std::string("text")},
                                      {true},
                                      {std::uint64_t{8}}}});
    EXPECT_EQ(outer.inner.octet, 255);
    EXPECT_EQ(outer.inner.wait, milliseconds(1'500));
    EXPECT_EQ(outer.number, 3U);
    EXPECT_EQ(outer.node, NodeNumber{42});
    EXPECT_EQ(outer.length, seconds(2));
    EXPECT_EQ(outer.text, "text");
    EXPECT_TRUE(outer.flag);
    EXPECT_TRUE(outer.even);
    EXPECT_FALSE(table.build(Object{}).number.has_value());
}

}  // namespace
}  // namespace farlink::config::field_table_test
