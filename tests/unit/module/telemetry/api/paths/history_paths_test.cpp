// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/history_paths.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/core/history/rate_table.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::history_paths_test {
namespace {

// The fixture's time is 2025-05-08T06:13:20Z.
constexpr DtnTime kNow = 800'000'000'000;
constexpr std::uint64_t kDay = 24ULL * 3600 * 1000;

template <class Query>
Query asked(const std::string &target) {
    ApiFixture node;
    const Outcome outcome = node.ask("GET", target, Role::kRead);
    const auto *query = std::get_if<HistoryQuery>(&outcome);
    if (query != nullptr && std::holds_alternative<Query>(*query)) return std::get<Query>(*query);
    ADD_FAILURE() << target;
    return {};
}

std::string refused(const std::string &target) {
    ApiFixture node;
    const Answer answer = node.answer("GET", target);
    EXPECT_EQ(answer.status, 400U) << target;
    return answer.body;
}

TEST(HistoryPaths, RatesOfAPeriodComeFromDisk) {
    const auto query = asked<RateQuery>(
        "/api/v1/history?from=2025-05-07T00:00:07Z&to=2025-05-08T00:00:00Z&step=60&series=in,out&"
        "format=csv");
    EXPECT_EQ(query.to - query.from, kDay);  // begins with a step
    EXPECT_EQ(query.step_seconds, 60U);
    EXPECT_EQ(query.series, (std::vector<std::string>{"in", "out"}));
    EXPECT_TRUE(query.csv);
}

TEST(HistoryPaths, LeftOutKeysAreFilledIn) {
    const auto day = asked<RateQuery>("/api/v1/history?step=600");
    EXPECT_EQ(day.to, kNow);
    EXPECT_EQ(day.from, kNow - kDay - 200'000);
    EXPECT_EQ(asked<RateQuery>("/api/v1/history?from=2025-05-08T00:00:00Z").step_seconds, 10U);
    EXPECT_EQ(asked<RateQuery>("/api/v1/history?from=2025-05-01T00:00:00Z").step_seconds, 60U);
    const auto year = asked<RateQuery>("/api/v1/history?from=2024-05-08T00:00:00Z");
    EXPECT_EQ(year.step_seconds % 60, 0U);
    EXPECT_LE(year.points(), RateTable::kMostPoints);
    const auto events = asked<EventQuery>("/api/v1/events?from=2025-05-08T00:00:00Z");
    EXPECT_EQ(events.to, kNow);
    EXPECT_EQ(events.limit, 1000U);
    EXPECT_EQ(asked<EventQuery>("/api/v1/events?to=2025-05-08T00:00:00Z&after=7").after, 7U);
}

TEST(HistoryPaths, WrongKeysAreRefusedWithTheirNames) {
    const std::string day = "/api/v1/history?from=2025-05-07T00:00:00Z";
    EXPECT_NE(refused(day + "&step=15").find("`step`: expected a multiple of 10"),
              std::string::npos);
    EXPECT_NE(refused(day + "&step=5").find("from 10 to 86400"), std::string::npos);
    EXPECT_NE(refused("/api/v1/history?from=2015-05-07T00:00:00Z&step=60").find("at most 20000"),
              std::string::npos);
    EXPECT_NE(refused("/api/v1/history?from=yesterday").find("`from`"), std::string::npos);
    EXPECT_NE(refused("/api/v1/history?from=2026-01-01T00:00:00Z").find("before `to`"),
              std::string::npos);
    EXPECT_NE(refused(day + "&format=xml").find("json or csv"), std::string::npos);
    EXPECT_NE(refused(day + "&seconds=5").find("`seconds`"), std::string::npos);
    EXPECT_NE(refused("/api/v1/events?from=2026-01-01T00:00:00Z").find("`from`"),
              std::string::npos);
    EXPECT_NE(refused("/api/v1/events?to=2026-01-01T00:00:00Z&limit=10001").find("1 to 10000"),
              std::string::npos);
    EXPECT_NE(refused("/api/v1/events?limit=1001").find("1 to 1000"), std::string::npos);
    EXPECT_NE(refused("/api/v1/history?seconds=0").find("1 to 3600"), std::string::npos);
}

TEST(HistoryPaths, TheLastHourAndTheLastEventsAreCommaSeparatedToo) {
    ApiFixture node;
    node.view.note({"info", "router", "x", kNoLink, "text"}, node.moment);
    node.view.handle_second(node.moment);
    const Answer rates = node.answer("GET", "/api/v1/history?seconds=60&format=csv&series=stored");
    EXPECT_EQ(rates.content_type, "text/csv; charset=utf-8");
    EXPECT_EQ(rates.body, "time,stored\r\n2025-05-08T06:13:20.000Z,0\r\n");
    const Answer events = node.answer("GET", "/api/v1/events?format=csv");
    EXPECT_EQ(events.body,
              "id,time,level,module,kind,link,text\r\n"
              "1,2025-05-08T06:13:20.000Z,info,router,x,,text\r\n");
}

TEST(HistoryPaths, RepliesBecomeAnswers) {
    const HistoryQuery json = RateQuery{};
    const HistoryQuery csv = EventQuery{0, 1, 0, 1, true};
    EXPECT_EQ(answer_of(json, {HistoryFault::kNone, "{}"}).content_type, "application/json");
    EXPECT_EQ(answer_of(csv, {HistoryFault::kNone, "id"}).content_type, "text/csv; charset=utf-8");
    EXPECT_EQ(answer_of(json, {HistoryFault::kTooLarge, "x"}).status, 400U);
    EXPECT_EQ(answer_of(json, {HistoryFault::kUnavailable, "x"}).status, 503U);
}

}  // namespace
}  // namespace farlink::telemetry::history_paths_test
