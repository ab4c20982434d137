// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm_book.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::alarm_book_test {
namespace {

constexpr DtnTime kWall = 800'000'000'000;

Condition silent(const std::string &module) {
    return {AlarmName::kModuleSilent, {.module = module}, module + " is silent", "see the log"};
}

std::vector<Condition> missing(std::uint32_t links) {
    std::vector<Condition> all;
    for (std::uint32_t link = 0; link < links; ++link)
        all.push_back({AlarmName::kLinkMissesContact,
                       {.link = LinkId{link}},
                       "link " + std::to_string(link),
                       "look"});
    return all;
}

TEST(AlarmBook, AShortConditionIsNoAlarm) {
    AlarmBook book{{}};
    for (int second = 0; second < 100; ++second) {
        const TimePoint now{seconds(second)};
        const bool holds = second % 2 == 0;
        EXPECT_TRUE(
            book.look(holds ? std::vector{silent("egress")} : std::vector<Condition>{}, kWall, now)
                .empty());
    }
    EXPECT_EQ(book.raised_count(AlarmName::kModuleSilent), 0U);
}

TEST(AlarmBook, AShortBreakDoesNotEndIt) {
    AlarmBook book{{}};
    std::size_t changes = 0;
    for (int second = 0; second < 100; ++second) {
        const bool holds = second % 4 != 0;
        changes += book.look(holds ? std::vector{silent("egress")} : std::vector<Condition>{},
                             kWall, TimePoint{seconds(second)})
                       .size();
    }
    EXPECT_EQ(changes, 1U);
    EXPECT_EQ(book.active_count(AlarmName::kModuleSilent), 1U);
}

TEST(AlarmBook, ATextThatChangesIsNoNewAlarm) {
    AlarmBook book{{}};
    (void)book.look({silent("egress")}, kWall, TimePoint{});
    ASSERT_EQ(book.look({silent("egress")}, kWall, TimePoint{seconds(2)}).size(), 1U);
    const std::uint64_t before = book.revision();
    Condition other = silent("egress");
    other.text = "egress hangs";
    EXPECT_TRUE(book.look({other}, kWall, TimePoint{seconds(3)}).empty());
    EXPECT_GT(book.revision(), before);
    EXPECT_EQ(book.active()[0]->condition.text, "egress hangs");
    EXPECT_EQ(book.active()[0]->id, 1U);
}

TEST(AlarmBook, ManyOfANameHaveOneForTheRest) {
    AlarmBook book{{}};
    (void)book.look(missing(1000), kWall, TimePoint{});
    EXPECT_EQ(book.look(missing(1000), kWall, TimePoint{seconds(30)}).size(),
              AlarmBook::kMostOfAName);
    EXPECT_EQ(book.active_count(AlarmName::kLinkMissesContact), AlarmBook::kMostOfAName);
    const Alarm &last = *book.active().back();
    EXPECT_TRUE(last.condition.subject.others);
    EXPECT_EQ(last.condition.text, "901 more, such as: link 99");
}

TEST(AlarmBook, ActiveOnesKeepTheirPlaceAmongMany) {
    AlarmBook book{{}};
    std::vector<Condition> last{missing(1000).back()};
    (void)book.look(last, kWall, TimePoint{});
    ASSERT_EQ(book.look(last, kWall, TimePoint{seconds(30)}).size(), 1U);
    for (int second = 31; second < 70; ++second)
        for (const AlarmChange &change :
             book.look(missing(1000), kWall, TimePoint{seconds(second)}))
            EXPECT_TRUE(change.raised);
    EXPECT_EQ(book.active_count(AlarmName::kLinkMissesContact), AlarmBook::kMostOfAName);
}

TEST(AlarmBook, CriticalOnesComeFirstAndOfASeverityTheOldest) {
    const Condition history{AlarmName::kHistoryStopped, {}, "no history", "free space"};
    AlarmBook book{{}};
    (void)book.look({history}, kWall, TimePoint{});
    (void)book.look({history, silent("egress")}, kWall, TimePoint{seconds(1)});
    (void)book.look({history, silent("egress")}, kWall, TimePoint{seconds(3)});
    const std::vector<Condition> all{history, silent("egress"), silent("applications"),
                                     missing(1)[0]};
    (void)book.look(all, kWall, TimePoint{seconds(4)});
    (void)book.look(all, kWall, TimePoint{seconds(6)});
    std::vector<std::string> texts;
    for (const Alarm *alarm : book.active()) texts.push_back(alarm->condition.text);
    EXPECT_EQ(texts, (std::vector<std::string>{"egress is silent", "applications is silent",
                                               "no history"}));
}

TEST(AlarmBook, TheLastHundredThatEndedAreKept) {
    AlarmBook book{{}};
    TimePoint now{};
    for (int i = 0; i < 120; ++i) {
        (void)book.look({silent("egress")}, kWall, now);
        (void)book.look({silent("egress")}, kWall, now += seconds(2));
        (void)book.look({}, kWall, now += seconds(1));
        (void)book.look({}, kWall + 5000, now += seconds(5));
        now += seconds(1);
    }
    EXPECT_EQ(book.ended().size(), AlarmBook::kMostEnded);
    EXPECT_EQ(book.ended().front().id, 120U);
    EXPECT_EQ(book.ended().front().ended, kWall + 5000);
    EXPECT_TRUE(book.active().empty());
    EXPECT_EQ(book.raised_count(AlarmName::kModuleSilent), 120U);
}

TEST(AlarmBook, IgnoredNamesAreNotRaised) {
    config::AlarmsConfig config;
    config.ignored = {"module-silent"};
    AlarmBook book{config};
    for (int second = 0; second < 10; ++second)
        EXPECT_TRUE(book.look({silent("egress")}, kWall, TimePoint{seconds(second)}).empty());
}

TEST(AlarmBook, AnEndedAlarmHasNoDurationFromNowOn) {
    AlarmBook book({});
    TimePoint now{};
    const auto look = [&](std::vector<Condition> holding) {
        now += seconds(10);
        return book.look(std::move(holding), 800'000'000'000, now);
    };
    const Condition soon{
        AlarmName::kPlanEndsSoon, {}, "it ends at T, in 9 s", "load", "it ends at T"};
    (void)look({soon});
    ASSERT_EQ(look({soon}).size(), 1U);
    EXPECT_EQ(book.active()[0]->condition.text, "it ends at T, in 9 s");
    (void)look({});
    const std::vector<AlarmChange> changes = look({});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].alarm.condition.text, "it ends at T");
    EXPECT_EQ(book.ended().front().condition.text, "it ends at T");
}

}  // namespace
}  // namespace farlink::telemetry::alarm_book_test
