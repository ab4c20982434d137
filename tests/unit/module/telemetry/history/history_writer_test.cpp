// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_writer.hpp"

#include <gtest/gtest.h>

#include "common/config/fields/instant.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::history_writer_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;
constexpr std::uint64_t kHour = 3'600'000;

std::vector<RateRow> row_at(DtnTime begin, std::uint32_t step = 10) {
    return {{begin, step, {{"in", 1}}}};
}

Json event_at(DtnTime time) {
    return {{"id", 1U}, {"time", config::format_utc(time)}, {"text", "x"}};
}

class HistoryWriterTest : public testing::Test {
protected:
    HistoryWriterTest() { EXPECT_EQ(folder_.open(), ""); }
    [[nodiscard]] std::vector<DtnTime> begins() const {
        std::vector<DtnTime> all;
        for (const KeptFile &each : folder_.list()) all.push_back(each.file.begin);
        return all;
    }

    test::TempFolder temp_;
    HistoryFolder folder_{temp_ / "history"};
    HistoryWriter writer_{folder_, NodeNumber{10}, 4096};
};

TEST_F(HistoryWriterTest, AFileEndsWithItsPeriodAndWhenTheClockIsSetBack) {
    for (const DtnTime begin : {kBegin, kBegin + 2 * kHour - 1, kBegin + 2 * kHour, kBegin}) {
        auto rows = row_at(begin);
        ASSERT_EQ(writer_.write(rows), "");
        EXPECT_TRUE(rows.empty());
    }
    EXPECT_EQ(begins(), (std::vector<DtnTime>{kBegin, kBegin + 2 * kHour, kBegin}));
}

TEST_F(HistoryWriterTest, EachKindHasItsFiles) {
    auto fine = row_at(kBegin);
    auto coarse = row_at(kBegin, 60);
    Json events = Json::array({event_at(kBegin), event_at(kBegin + 23 * kHour),
                               event_at(kBegin + 24 * kHour), event_at(kBegin + 25 * kHour)});
    ASSERT_EQ(writer_.write(fine), "");
    ASSERT_EQ(writer_.write(coarse), "");
    ASSERT_EQ(writer_.write(events), "");
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(begins(), (std::vector<DtnTime>{kBegin, kBegin + 24 * kHour, kBegin, kBegin}));
}

TEST_F(HistoryWriterTest, AFullFileIsFollowedByANewOne) {
    for (std::uint64_t i = 0; i < 200; ++i) {
        auto rows = row_at(kBegin + i * 10'000);
        ASSERT_EQ(writer_.write(rows), "");
    }
    const auto files = folder_.list();
    EXPECT_GE(files.size(), 2U);
    for (const KeptFile &each : files) EXPECT_LT(each.bytes, 4096U + 200);
}

TEST_F(HistoryWriterTest, TheNewestFileIsContinued) {
    auto rows = row_at(kBegin);
    ASSERT_EQ(writer_.write(rows), "");
    const auto before = folder_.list();
    HistoryWriter later(folder_, NodeNumber{10}, 4096);
    later.reserve_number(before[0].file.number);
    later.continue_with(before[0]);
    rows = row_at(kBegin + 10'000);
    ASSERT_EQ(later.write(rows), "");
    ASSERT_EQ(folder_.list().size(), 1U);
    const Bytes octets = *folder_.read(before[0].file);
    std::size_t values = 0;
    RateDecoder decoder;
    EXPECT_EQ(scan_blocks(ByteView(octets).subspan(kHistoryHeaderBytes),
                          [&](const HistoryBlock &block) {
                              decoder.handle(block, [&](const auto &, auto) { ++values; });
                          }),
              0U);
    EXPECT_EQ(values, 2U);
    rows = row_at(kBegin + 3 * kHour);
    ASSERT_EQ(later.write(rows), "");
    EXPECT_EQ(folder_.list()[1].file.number, before[0].file.number + 1);
}

}  // namespace
}  // namespace farlink::telemetry::history_writer_test
