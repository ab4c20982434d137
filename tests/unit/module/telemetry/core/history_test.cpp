// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry::history_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;

TEST(History, TotalsBecomeBitsOfEachSecond) {
    History history;
    for (const std::uint64_t total : {100U, 350U, 350U}) {
        history.begin_point(kStart + 1000 * history.points());
        history.octets("in", total);
        history.level("stored", total);
    }
    const Json json = Json::parse(history.to_json(3600));
    EXPECT_EQ(json["points"], 3);
    EXPECT_EQ(json["stepSeconds"], 1);
    EXPECT_EQ(json["end"], "2025-05-08T06:13:22.000Z");
    EXPECT_EQ(json["series"]["in"], Json::parse("[null,2000,0]"));
    EXPECT_EQ(json["series"]["stored"], Json::parse("[100,350,350]"));
}

TEST(History, WhatIsNotToldOfASecondIsNotKnown) {
    History history;
    history.begin_point(kStart);
    history.begin_point(kStart + 1000);
    history.level("late", 5);
    history.begin_point(kStart + 2000);
    const Json json = Json::parse(history.to_json(3));
    EXPECT_EQ(json["series"]["late"], Json::parse("[null,5,null]"));
}

TEST(History, ATotalThatBeginsAnewIsNoNegativeRate) {
    History history;
    for (const std::uint64_t total : {1000U, 10U, 20U}) {
        history.begin_point(kStart);
        history.octets("in", total);
    }
    EXPECT_EQ(Json::parse(history.to_json(3))["series"]["in"], Json::parse("[null,null,80]"));
}

TEST(History, KeepsAnHourAndGivesWhatIsAskedFor) {
    History history;
    for (std::uint64_t second = 0; second < History::kMostPoints + 10; ++second) {
        history.begin_point(kStart + 1000 * second);
        history.level("a", second);
        history.level("b", second);
    }
    const Json all = Json::parse(history.to_json(History::kMostPoints));
    EXPECT_EQ(all["points"], History::kMostPoints);
    EXPECT_EQ(all["series"]["a"].front(), 10);
    EXPECT_EQ(all["series"]["a"].back(), History::kMostPoints + 9);
    const Json some = Json::parse(history.to_json(2, {"b"}));
    EXPECT_EQ(some["series"], Json({{"b", {3608, 3609}}}));
}

TEST(History, BoundsItsSeries) {
    History history;
    history.begin_point(kStart);
    for (std::size_t i = 0; i < History::kMostSeries + 5; ++i)
        history.level("s" + std::to_string(i), 1);
    EXPECT_EQ(Json::parse(history.to_json(1))["series"].size(), History::kMostSeries);
}

TEST(History, ASeriesThatHasEndedMakesRoomForAnother) {
    History history;
    const auto second = [&](std::size_t from) {
        history.begin_point(kStart);
        for (std::size_t link = from; link < from + History::kMostSeries; ++link)
            history.level("link." + std::to_string(link), link);
    };
    second(0);
    second(0);
    second(1);
    const std::string fresh = "link." + std::to_string(History::kMostSeries);
    EXPECT_TRUE(Json::parse(history.to_json(1, {fresh}))["series"].empty()) << "link.0 may go on";
    second(1);
    const Json json = Json::parse(history.to_json(1));
    EXPECT_EQ(json["series"].size(), History::kMostSeries);
    EXPECT_TRUE(json["series"].contains(fresh));
    EXPECT_FALSE(json["series"].contains("link.0"));
}

TEST(History, TheHourBeforeARestartIsFilledIn) {
    History history;
    history.restore({{kStart - 4'000'000, 10, {{"in", 1}}},  // older than an hour
                     {kStart - 3'605'000, 10, {{"in", 2}}},
                     {kStart - 20'000, 10, {{"in", 3}, {"out", 4}}},
                     {kStart - 5'000, 10, {{"in", 5}}}},
                    kStart);
    history.begin_point(kStart + 1000);
    history.level("in", 9);
    const Json in = Json::parse(history.to_json(3600, {"in"}))["series"]["in"];
    ASSERT_EQ(in.size(), 3600U);
    EXPECT_EQ(in[3], 2);
    EXPECT_EQ(in[4], nullptr);
    EXPECT_EQ(in[3578], nullptr);
    EXPECT_EQ(in[3579], 3);
    EXPECT_EQ(in[3588], 3);
    EXPECT_EQ(in[3589], nullptr);
    EXPECT_EQ(in[3594], 5);
    EXPECT_EQ(in[3598], 5);
    EXPECT_EQ(in[3599], 9);
}

TEST(History, TheLastSecondIsVisited) {
    History history;
    std::map<std::string, std::uint64_t> found;
    const auto visit = [&] {
        found.clear();
        history.visit([&](const std::string &name, std::uint64_t value) { found[name] = value; });
    };
    visit();
    EXPECT_TRUE(found.empty());
    history.begin_point(kStart);
    history.octets("in", 5);
    history.level("stored", 7);
    visit();
    EXPECT_EQ(found, (std::map<std::string, std::uint64_t>{{"stored", 7}}));
}

}  // namespace
}  // namespace farlink::telemetry::history_test
