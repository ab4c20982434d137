// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/label_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/base/random.hpp"

namespace farlink::storage::label_table_test {
namespace {

/// As an index has them.
Bytes listed(const std::vector<std::string> &labels) {
    Bytes out;
    for (const std::string &label : labels) {
        codec::append_sdnv(out, label.size());
        append(out, as_bytes(label));
    }
    return out;
}

Bytes octets_of(const LabelTable &table) {
    Bytes out;
    table.octets().append_to(out);
    return out;
}

TEST(LabelTable, EqualLabelsHaveOneNumber) {
    LabelTable table;
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.number_of(as_bytes("one")), 0U);
    EXPECT_EQ(table.number_of(as_bytes("")), 1U);
    EXPECT_EQ(table.number_of(as_bytes("")), 1U);
    EXPECT_EQ(table.number_of(as_bytes("on")), 2U);
    EXPECT_EQ(table.number_of(as_bytes("one")), 0U);
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(octets_of(table), listed({"one", "", "on"}));
}

TEST(LabelTable, AgreesWithAMapAlsoWhenItIsUsedAgain) {
    LabelTable table;
    Random random(11);
    for (int file = 0; file < 3; ++file) {
        table.clear();
        EXPECT_EQ(table.size(), 0U);
        std::map<std::string, std::uint32_t> model;
        std::vector<std::string> labels;
        for (int turn = 0; turn < 20'000; ++turn) {
            const std::string label = std::to_string(random.below(5'000));
            const auto [found, added] =
                model.emplace(label, static_cast<std::uint32_t>(labels.size()));
            if (added) labels.push_back(label);
            ASSERT_EQ(table.number_of(as_bytes(label)), found->second);
        }
        EXPECT_EQ(table.size(), labels.size());
        EXPECT_EQ(octets_of(table), listed(labels));
    }
}

TEST(LabelTable, TheLongestLabelsAreKept) {
    constexpr std::size_t kLongest = 0xffff;
    LabelTable table;
    std::vector<std::string> labels;
    for (std::size_t at = 0; at < 20; ++at) {
        labels.emplace_back(kLongest - at % 3, static_cast<char>('a' + at));
        EXPECT_EQ(table.number_of(as_bytes(labels.back())), at);
    }
    for (std::size_t at = 0; at < labels.size(); ++at)
        EXPECT_EQ(table.number_of(as_bytes(labels[at])), at);
    EXPECT_EQ(octets_of(table), listed(labels));
}

}  // namespace
}  // namespace farlink::storage::label_table_test
