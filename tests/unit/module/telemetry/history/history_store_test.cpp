// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/random.hpp"
#include "common/config/fields/instant.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::history_store_test {
namespace {

namespace fs = std::filesystem;

constexpr DtnTime kBegin = 800'000'000'000;
constexpr std::uint64_t kHour = 3'600'000;
constexpr std::uint64_t kDay = 24 * kHour;

class HistoryStoreTest : public testing::Test {
protected:
    HistoryStoreTest() {
        config_.node = NodeNumber{10};
        config_.history.folder = temp_ / "history";
        config_.history.free_space_bytes = 0;
        config_.storage.disks = {{"store", "/proc/self", 0}};
    }
    [[nodiscard]] static Json event(std::uint64_t id, DtnTime time) {
        return {{"id", id},        {"time", config::format_utc(time)},
                {"level", "info"}, {"module", "router"},
                {"kind", "x"},     {"text", "event"}};
    }
    /// An event, and a row that begins at the time.
    [[nodiscard]] static HistoryBatch batch(std::uint64_t id, DtnTime time) {
        HistoryBatch made;
        made.events.push_back(event(id, time));
        made.rows.push_back({time, 10, {{"in", id}}});
        made.wall = time + 10'000;
        return made;
    }
    [[nodiscard]] static Json events(HistoryStore &store,
                                     EventQuery query = {0, kDtnNever, 0, 99}) {
        const HistoryReply reply = store.read(query);
        EXPECT_EQ(reply.fault, HistoryFault::kNone) << reply.text;
        return Json::parse(reply.text)["events"];
    }
    [[nodiscard]] static Json rates(HistoryStore &store, RateQuery query) {
        const HistoryReply reply = store.read(query);
        EXPECT_EQ(reply.fault, HistoryFault::kNone) << reply.text;
        return Json::parse(reply.text)["series"];
    }
    [[nodiscard]] std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        for (const auto &entry : fs::directory_iterator(config_.history.folder))
            if (entry.path().extension() == ".fhist") all.push_back(entry.path());
        std::ranges::sort(all);
        return all;
    }
    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const fs::path &path : files()) sum += fs::file_size(path);
        return sum;
    }

    test::TempFolder temp_;
    config::NodeConfig config_;
};

TEST_F(HistoryStoreTest, ARestartKeepsEventsRatesAndTotals) {
    {
        HistoryStore store(config_);
        EXPECT_FALSE(store.open(kBegin).totals);
        for (std::uint64_t i = 1; i <= 20; ++i) {
            HistoryBatch made = batch(i, kBegin + i * 10'000);
            if (i == 20) made.totals = LifetimeTotals(kBegin).to_text({{"x", 5}}, seconds(9));
            store.write(std::move(made));
        }
        EXPECT_EQ(store.why_stopped(), "");
    }
    HistoryStore store(config_);
    const EarlierRuns earlier = store.open(kBegin + 300'000);
    ASSERT_EQ(earlier.events.size(), 20U);
    EXPECT_EQ(earlier.events.back()["id"], 20);
    ASSERT_EQ(earlier.rows.size(), 20U);
    EXPECT_EQ(earlier.rows[4].begin, kBegin + 50'000);
    EXPECT_EQ(earlier.rows[4].values[0].second, 5U);
    ASSERT_TRUE(earlier.totals);
    EXPECT_EQ(earlier.totals->document({}, seconds(0))["totals"]["x"], 5);
    store.write(batch(21, kBegin + 310'000));
    EXPECT_EQ(events(store).size(), 21U);
    EXPECT_EQ(files().size(), 2U);  // those of the first run were continued
    EXPECT_EQ(rates(store, {kBegin + 190'000, kBegin + 320'000, 10, {}, false})["in"],
              Json::parse("[19,20,null,null,null,null,null,null,null,null,null,null,21]"));
}

TEST_F(HistoryStoreTest, TheLastThousandEventsAreRestored) {
    {
        HistoryStore store(config_);
        (void)store.open(kBegin);
        for (std::uint64_t i = 1; i <= 1500; ++i) store.write(batch(i, kBegin + i * 60'000));
    }
    HistoryStore store(config_);
    const EarlierRuns earlier = store.open(kBegin + 2 * kDay);
    ASSERT_EQ(earlier.events.size(), 1000U);
    EXPECT_EQ(earlier.events.front()["id"], 501);
    EXPECT_TRUE(earlier.rows.empty());
    EXPECT_EQ(events(store, {kBegin + 100 * 60'000, kBegin + 102 * 60'000, 0, 99, false}).size(),
              3U);
}

TEST_F(HistoryStoreTest, ADamagedPlaceCostsABlockAndIsCounted) {
    {
        HistoryStore store(config_);
        (void)store.open(kBegin);
        for (std::uint64_t i = 1; i <= 9; ++i) store.write(batch(i, kBegin + i * 10'000));
    }
    const fs::path events_file = files()[0];
    std::string text;
    {
        std::ifstream in(events_file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
    text.resize(text.size() - 5);
    std::ofstream(events_file, std::ios::binary) << text;
    HistoryStore store(config_);
    EXPECT_EQ(store.open(kBegin + kHour).events.size(), 7U);
    EXPECT_EQ(store.damages(), 2U);
    store.write(batch(10, kBegin + kHour));
    EXPECT_EQ(events(store).size(), 8U);
    EXPECT_EQ(store.damages(), 2U);
    EXPECT_EQ(store.why_stopped(), "");
}

TEST_F(HistoryStoreTest, AFileWithoutAHeaderIsLeftOut) {
    fs::create_directories(config_.history.folder);
    temp_.write("history/" + file_name({HistoryKind::kEvents, 7, kBegin}), "not a history");
    HistoryStore store(config_);
    EXPECT_TRUE(store.open(kBegin).events.empty());
    EXPECT_EQ(store.damages(), 1U);
    store.write(batch(1, kBegin + 1));
    EXPECT_EQ(events(store).size(), 1U);
    EXPECT_EQ(files().size(), 3U);
    EXPECT_NE(files()[1].string().find("events-00000008"), std::string::npos);
}

TEST_F(HistoryStoreTest, AFileOfANewerVersionStopsTheHistoryAndStaysAsItIs) {
    fs::create_directories(config_.history.folder);
    const Bytes newer = encode_header({2, HistoryKind::kEvents, kBegin, NodeNumber{10}});
    temp_.write("history/" + file_name({HistoryKind::kEvents, 1, kBegin}), as_text(newer));
    HistoryStore store(config_);
    (void)store.open(kBegin);
    EXPECT_NE(store.why_stopped().find("newer version"), std::string::npos);
    store.write(batch(1, kBegin + 40 * kDay));
    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(bytes(), newer.size());
    const HistoryReply reply = store.read(EventQuery{0, kDtnNever, 0, 9, false});
    EXPECT_EQ(reply.fault, HistoryFault::kUnavailable);
}

TEST_F(HistoryStoreTest, TotalsThatAreDamagedAreKeptBeside) {
    fs::create_directories(config_.history.folder);
    temp_.write("history/totals.json", "{}");
    HistoryStore store(config_);
    EXPECT_FALSE(store.open(kBegin).totals);
    EXPECT_EQ(store.why_stopped(), "");
    EXPECT_TRUE(fs::exists(temp_ / "history/totals.json.damaged"));
}

TEST_F(HistoryStoreTest, WithoutRoomTheNewestStayInMemoryAndWritingBeginsAgain) {
    temp_.write("history", "a file in its place");
    HistoryStore store(config_);
    (void)store.open(kBegin);
    EXPECT_NE(store.why_stopped(), "");
    for (std::uint64_t i = 1; i <= 1200; ++i) store.write(batch(i, kBegin + i * 10'000));
    EXPECT_NE(store.why_stopped(), "");
    fs::remove(temp_ / "history");
    store.write(batch(1201, kBegin + 1201 * 10'000));
    EXPECT_EQ(store.why_stopped(), "");
    const Json found = events(store, {0, kDtnNever, 0, 5000, false});
    EXPECT_EQ(found.size(), HistoryStore::kMostEvents);
    EXPECT_EQ(found.back()["id"], 1201);
}

TEST_F(HistoryStoreTest, BelowTheFreeSpaceNothingIsWritten) {
    {
        HistoryStore store(config_);
        (void)store.open(kBegin);
        for (std::uint64_t day = 0; day < 5; ++day)
            store.write(batch(day + 1, kBegin + day * kDay));
    }
    const std::size_t before = files().size();
    config_.history.free_space_bytes = std::uint64_t{1} << 60;
    {
        HistoryStore store(config_);
        (void)store.open(kBegin + 5 * kDay);
        EXPECT_EQ(store.why_stopped(), "");
        store.write(batch(6, kBegin + 5 * kDay));
        EXPECT_NE(store.why_stopped().find("history.freeSpaceBytes"), std::string::npos);
        EXPECT_EQ(events(store).back()["id"], 6);  // from memory
        EXPECT_EQ(
            rates(store, {kBegin + 5 * kDay, kBegin + 5 * kDay + 10'000, 10, {}, false})["in"],
            Json::parse("[6]"));
        EXPECT_EQ(files().size(), before - 1);  // only what is out of date has gone
    }
    // Beside a store the history gives way down to the newest file of each kind.
    config_.storage.disks = {{"store", temp_ / "store", 0}};
    HistoryStore store(config_);
    (void)store.open(kBegin + 5 * kDay);
    store.write(batch(6, kBegin + 5 * kDay));
    EXPECT_NE(store.why_stopped(), "");
    EXPECT_EQ(files().size(), 2U);
}

TEST_F(HistoryStoreTest, ItStaysWithinItsBytes) {
    config_.history.max_bytes = 1024 * 1024;
    HistoryStore store(config_);
    (void)store.open(kBegin);
    std::vector<std::pair<std::string, std::uint64_t>> values;
    for (int i = 0; i < 300; ++i) values.emplace_back("link." + std::to_string(i), 1'000'000'000);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        HistoryBatch made = batch(i + 1, kBegin + i * 10'000);
        made.rows[0].values = values;
        store.write(std::move(made));
        ASSERT_LE(bytes(), config_.history.max_bytes);
    }
    EXPECT_GT(bytes(), config_.history.max_bytes / 2);
    EXPECT_EQ(events(store, {0, kDtnNever, 0, 5000, false}).back()["id"], 2000);
}

// The measure of the design: a week with 100 busy links takes less than 200 MB.
TEST_F(HistoryStoreTest, AWeekWithAHundredLinksIsSmall) {
    constexpr std::uint64_t kMinute = 60'000;
    constexpr DtnTime kFirst = kBegin - kBegin % kMinute;
    HistoryStore store(config_);
    (void)store.open(kFirst);
    Random random(1);
    std::vector<std::string> series{"in", "out", "stored"};
    for (int link = 0; link < 100; ++link)
        for (const char *way : {".in", ".out"})
            series.push_back("link." + std::to_string(link) + way);
    const auto values = [&] {
        std::vector<std::pair<std::string, std::uint64_t>> made;
        for (const std::string &name : series) made.emplace_back(name, random.below(1'000'000'000));
        return made;
    };
    std::uint64_t id = 0;
    for (std::uint64_t minute = 0; minute < 8 * 24 * 60; ++minute) {
        HistoryBatch made;
        const DtnTime begin = kFirst + minute * kMinute;
        made.wall = begin + kMinute;
        for (std::uint64_t at = 0; at < kMinute; at += 10'000) {
            made.events.push_back(event(++id, begin + at));
            made.rows.push_back({begin + at, 10, values()});
        }
        made.rows.push_back({begin, 60, values()});
        store.write(std::move(made));
    }
    RecordProperty("bytes", static_cast<int>(bytes()));
    EXPECT_LT(bytes(), 40'000'000U);
    const DtnTime end = kFirst + 8 * kDay;
    const Json week = rates(store, {end - 7 * kDay, end, 60, {"link.99.out"}, false});
    ASSERT_EQ(week["link.99.out"].size(), 7U * 24 * 60);
    for (const Json &value : week["link.99.out"]) ASSERT_FALSE(value.is_null());
    const Json day = rates(store, {end - kDay, end, 10, {"in"}, false});
    for (const Json &value : day["in"]) ASSERT_FALSE(value.is_null());
}

}  // namespace
}  // namespace farlink::telemetry::history_store_test
