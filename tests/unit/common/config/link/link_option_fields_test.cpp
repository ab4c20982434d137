// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_option_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_fields.hpp"

namespace farlink::config::link_option_fields_test {
namespace {

std::set<std::string_view> keys_of(LinkSide side) {
    std::set<std::string_view> keys;
    for (const Field<LinkOptions> &field : link_option_fields(side)) keys.insert(field.info.key);
    return keys;
}

TEST(LinkOptionFields, BothSidesHaveTheSameKeys) {
    EXPECT_EQ(keys_of(LinkSide::kInduct), keys_of(LinkSide::kOutduct));
}

TEST(LinkOptionFields, StandInTheTablesOfBoth) {
    for (const SectionInfo *section : {&induct_table().info(), &outduct_table().info()})
        for (const std::string_view key : keys_of(LinkSide::kInduct))
            EXPECT_NE(std::ranges::find(section->fields, key, &FieldInfo::key),
                      section->fields.end())
                << section->title << ' ' << key;
}

TEST(LinkOptionFields, LayersAreThoseThatExist) {
    std::set<std::string_view> schemes;
    for (const SchemeInfo &scheme : known_schemes()) schemes.insert(scheme.name);
    for (const SectionInfo *section : {&induct_table().info(), &outduct_table().info()})
        for (const FieldInfo &field : section->fields)
            for (const std::string_view scheme : field.schemes)
                EXPECT_TRUE(schemes.contains(scheme)) << field.key << ' ' << scheme;
}

}  // namespace
}  // namespace farlink::config::link_option_fields_test
