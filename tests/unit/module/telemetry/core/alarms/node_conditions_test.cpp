// SPDX-License-Identifier: Apache-2.0
// When a full storage is a condition, and which cause its text has.
#include "module/telemetry/core/alarms/node_conditions.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/core/alarms/alarm_watch.hpp"

namespace farlink::telemetry::node_conditions_test {
namespace {

constexpr const char *kFileSystemFull =
    "the file system of /disk1 is full, 40.0 MB of it used by bundles, which may use 17.0 GB";

AlarmFacts full_storage(bool disk_full) {
    AlarmFacts facts;
    facts.storage_full = true;
    facts.disks = {{"/disk1", 40'000'000, 17'000'000'000, disk_full}};
    return facts;
}

std::vector<Condition> conditions(bool disk_full, bool lasting) {
    std::vector<Condition> found;
    find_full_storage(full_storage(disk_full), lasting, found);
    return found;
}

TEST(NodeConditions, AFullStorageWaitsForTheStateOfItsDisks) {
    EXPECT_TRUE(conditions(false, false).empty());
    ASSERT_EQ(conditions(true, false).size(), 1U);
    EXPECT_NE(conditions(true, false)[0].text.find(kFileSystemFull), std::string::npos);
    EXPECT_NE(conditions(true, false)[0].action.find("df -h"), std::string::npos);
    ASSERT_EQ(conditions(false, true).size(), 1U) << "a quota may be used up";
    EXPECT_NE(conditions(false, true)[0].action.find("storage delete"), std::string::npos);
    EXPECT_TRUE(conditions(true, true)[0].text.starts_with("storage is full"));
    EXPECT_TRUE(conditions(false, true)[0].text.starts_with(
        "storage refuses bundles although no disk is full: a quota"));
}

TEST(NodeConditions, AStoreWithoutItsReserveReceivesNothing) {
    AlarmFacts facts = full_storage(true);
    facts.reserve_missing = true;
    std::vector<Condition> found;
    find_full_storage(facts, false, found);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].text.find("until the reserve for a shutdown is complete"),
              std::string::npos);
}

TEST(NodeConditions, WithoutItsReserveNoOtherLimitIsReached) {
    AlarmFacts facts = full_storage(false);
    facts.reserve_missing = true;
    std::vector<Condition> found;
    find_full_storage(facts, true, found);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].text.starts_with("storage accepts no bundles; until the reserve"))
        << found[0].text;
}

TEST(NodeConditions, AStorageThatRecoversIsNoConditionUnlessADiskIsFull) {
    for (const bool full : {true, false}) {
        AlarmFacts facts = full_storage(full);
        facts.storage_recovers = true;
        std::vector<Condition> found;
        find_full_storage(facts, true, found);
        EXPECT_EQ(found.empty(), !full);
    }
}

// The counters come before the state of the disk.
TEST(NodeConditions, TheAlarmOfAFullFileSystemIsRaisedWithItsFigures) {
    AlarmWatch watch({});
    TimePoint now{};
    std::vector<AlarmChange> changes;
    for (int second = 1; second <= 6; ++second) {
        now += seconds(1);
        for (AlarmChange &change : watch.look(full_storage(second >= 3), 800'000'000'000, now))
            changes.push_back(std::move(change));
        EXPECT_EQ(changes.size(), second > 3 ? 1U : 0U) << second;
    }
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_NE(changes[0].alarm.condition.text.find(kFileSystemFull), std::string::npos);
}

TEST(NodeConditions, ACertificateOfALinkIsRenewedWithoutARestart) {
    AlarmFacts facts;
    facts.certificates = {{"link 1", "/a.pem", "CN=a", 0, LinkId{1}},
                          {"link 1", "/ca.pem", "CN=ca", 0, LinkId{1}, true},
                          {"the API", "/api.pem", "CN=api", 0, kNoLink}};
    std::vector<Condition> found;
    find_certificate_ends(facts, {}, 1, found);
    ASSERT_EQ(found.size(), 3U);
    const auto has = [&](std::size_t at, const char *text) {
        return found[at].action.find(text) != std::string::npos;
    };
    EXPECT_TRUE(has(0, "without a restart") && has(0, "the file of its key")) << found[0].action;
    EXPECT_TRUE(has(1, "without a restart") && !has(1, "key")) << found[1].action;
    EXPECT_TRUE(has(2, "farlinkctl reload")) << found[2].action;
}

TEST(NodeConditions, AConfirmationOfTheClockComesAfterItsCorrection) {
    AlarmFacts facts;
    facts.modules_suspended = 3;
    std::vector<Condition> found;
    find_clock_faults(facts, found);
    ASSERT_EQ(found.size(), 1U);
    const std::string &action = found[0].action;
    EXPECT_TRUE(action.starts_with("correct the clock first")) << action;
    EXPECT_TRUE(action.ends_with("bundles that have expired by this clock are then deleted"))
        << action;
}

// A stopped process needs no kill -9.
TEST(NodeConditions, AProcessThatIsStoppedIsContinuedFirst) {
    AlarmFacts facts;
    facts.modules = {{"egress", "silent"}};
    std::vector<Condition> found;
    find_silent_modules(facts, found);
    ASSERT_EQ(found.size(), 1U);
    const std::string &action = found[0].action;
    const std::size_t state = action.find("ps -eo pid,stat,cmd");
    const std::size_t resume = action.find("kill -CONT PID");
    const std::size_t kill = action.find("kill -9 PID");
    ASSERT_NE(kill, std::string::npos) << action;
    EXPECT_LT(state, resume) << action;
    EXPECT_LT(resume, kill) << action;
}

}  // namespace
}  // namespace farlink::telemetry::node_conditions_test
