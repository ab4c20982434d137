// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/rate_row.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::rate_row_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;
using Values = std::vector<std::pair<std::string, std::uint64_t>>;

std::map<DtnTime, Values> decoded(ByteView content) {
    std::map<DtnTime, Values> rows;
    RateDecoder decoder;
    EXPECT_EQ(scan_blocks(content,
                          [&](const HistoryBlock &block) {
                              decoder.handle(block, [&](const std::string &name, auto value) {
                                  rows[block.from].emplace_back(name, value);
                              });
                          }),
              0U);
    return rows;
}

TEST(RateRow, RowsAreReadBackWithTheNamesOfTheirSeries) {
    RateEncoder encoder;
    Bytes content;
    const Values first{{"in", 0}, {"out", 1'000'000'000'000}};
    const Values second{{"in", 5}, {"link.3.in", 7}};
    encoder.append(content, {kBegin, 10, first});
    const std::size_t one = content.size();
    encoder.append(content, {kBegin + 10'000, 10, second});
    encoder.append(content, {kBegin + 20'000, 10, first});
    const auto rows = decoded(content);
    EXPECT_EQ(rows.at(kBegin), first);
    EXPECT_EQ(rows.at(kBegin + 10'000), second);
    EXPECT_EQ(rows.at(kBegin + 20'000), first);
    EXPECT_LT(content.size(), 3 * one);
}

TEST(RateRow, AWriterThatBeginsAnewWritesItsNamesAgain) {
    Bytes content;
    RateEncoder earlier;
    earlier.append(content, {kBegin, 10, {{"a", 1}, {"b", 2}, {"c", 3}}});
    RateEncoder later;
    later.append(content, {kBegin + 10'000, 10, {{"c", 4}}});
    later.begin_anew();
    later.append(content, {kBegin + 20'000, 10, {{"b", 5}, {"a", 6}}});
    const auto rows = decoded(content);
    EXPECT_EQ(rows.at(kBegin + 10'000), (Values{{"c", 4}}));
    EXPECT_EQ(rows.at(kBegin + 20'000), (Values{{"b", 5}, {"a", 6}}));
}

TEST(RateRow, ARowWithoutItsNamesIsLeftOut) {
    Bytes names_and_row;
    RateEncoder encoder;
    encoder.append(names_and_row, {kBegin, 10, {{"a", 1}}});
    Bytes other;
    RateEncoder others;
    others.append(other, {kBegin - 5, 10, {{"z", 9}}});
    std::vector<HistoryBlock> blocks;
    (void)scan_blocks(names_and_row, [&](const HistoryBlock &block) { blocks.push_back(block); });
    ASSERT_EQ(blocks.size(), 2U);
    RateDecoder decoder;
    std::size_t found = 0;
    const auto count = [&](const std::string &, std::uint64_t) { ++found; };
    decoder.handle(blocks[1], count);
    EXPECT_EQ(found, 0U);
    (void)scan_blocks(other, [&](const HistoryBlock &block) { decoder.handle(block, count); });
    EXPECT_EQ(found, 1U);
    decoder.handle(blocks[1], count);  // the names are those of another generation
    EXPECT_EQ(found, 1U);
}

TEST(RateRow, ManyNamesBeginAnew) {
    RateEncoder encoder;
    Bytes content;
    for (std::uint64_t i = 0; i < 9000; ++i)
        encoder.append(content, {kBegin + i * 10'000, 10, {{std::to_string(i), i}}});
    // A row has a place for each name that is known.
    const auto rows = decoded(content);
    ASSERT_EQ(rows.size(), 9000U);
    EXPECT_EQ(rows.rbegin()->second, (Values{{"8999", 8999}}));
}

}  // namespace
}  // namespace farlink::telemetry::rate_row_test
