// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/contact_plan_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "common/config/fields/text_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::control::contact_plan_store_test {
namespace {

using nlohmann::ordered_json;

constexpr DtnTime kStart = 700'000'000'000;
constexpr DtnTime kRestart = kStart + 50'000;

const Caller kOperator{0, "operator"};

class ContactPlanStoreTest : public testing::Test {
protected:
    ContactPlanStoreTest() {
        folder_.write("plan.json", R"({"contacts": [
            {"contact": 1, "source": 10, "dest": 20, "startTime": 0, "endTime": 100},
            {"contact": 2, "source": 10, "dest": 30, "startTime": 5.5, "endTime": 60,
             "rateBitsPerSec": 8000, "owlt": 1.28},
            {"contact": 3, "source": 30, "dest": 10, "startTime": 7, "endTime": 70}]})");
        config_.node = NodeNumber{10};
        config_.contact_plan_file = folder_ / "plan.json";
        config_.state_folder = folder_ / "state";
        start(kStart);
    }

    /// Another run of the node.
    void start(DtnTime now) {
        plan_store_.reset();
        plan_store_ = std::make_unique<ContactPlanStore>(config_);
        ASSERT_EQ(plan_store_->open(now), "");
    }
    void commit(const EditResult &edited, const char *command) {
        ASSERT_TRUE(edited) << edited.error().to_string();
        auto next = plan_store_->write(*edited, command, kOperator, kStart);
        ASSERT_TRUE(next) << next.error();
        plan_store_->take(std::move(*next));
    }
    void change(std::uint64_t contact, std::uint64_t rate) {
        commit(change_contacts(*plan_store_->plan(),
                               {{{"contact", contact}, {"rateBitsPerSec", rate}}}, kStart),
               "plan change");
    }
    void add(std::uint64_t contact, std::uint64_t from_second) {
        const ordered_json row{{"contact", contact},
                               {"source", 20},
                               {"dest", 10},
                               {"startTime", from_second},
                               {"endTime", from_second + 10}};
        commit(add_contacts(*plan_store_->plan(), ordered_json::array({row}), kStart), "plan add");
    }
    void remove(std::uint64_t contact) {
        commit(remove_contacts(*plan_store_->plan(), ordered_json::array({contact})),
               "plan remove");
    }
    /// By number.
    [[nodiscard]] Contacts plan() const {
        Contacts contacts = *plan_store_->plan();
        std::ranges::sort(contacts, {}, &config::PlanContact::id);
        return contacts;
    }
    [[nodiscard]] std::string journal() const {
        return config::read_text_file(folder_ / kJournal).value();
    }

    static constexpr const char *kJournal = "state/contact-plan-history.jsonl";
    static constexpr const char *kState = "state/contact-plan.json";
    test::TempFolder folder_;
    config::NodeConfig config_;
    std::unique_ptr<ContactPlanStore> plan_store_;
};

TEST_F(ContactPlanStoreTest, AChangeIsALineAndARestartReadsIt) {
    change(2, 9000);
    const auto state = std::filesystem::last_write_time(folder_ / kState);
    add(8, 300);
    remove(1);
    const Contacts before = plan();
    EXPECT_EQ(before.size(), 3U);
    EXPECT_EQ(before[0].rate, BitRate{9000});
    start(kRestart);
    EXPECT_EQ(plan(), before) << "seconds count from the start of the run with the change";
    EXPECT_EQ(plan_store_->version(), 4U);
    EXPECT_TRUE(plan_store_->changed_by_command());
    ASSERT_EQ(plan_store_->history().size(), 3U);
    EXPECT_EQ(plan_store_->history().back()["command"], "plan remove");
    EXPECT_EQ(plan_store_->history().back()["user"], "operator");
    EXPECT_EQ(plan_store_->history().back()["contacts"], 3);
    EXPECT_EQ(std::filesystem::last_write_time(folder_ / kState), state)
        << "the whole plan is not written for a change";
    change(8, 77);
    const Contacts after = plan();
    start(kRestart + 1000);
    EXPECT_EQ(plan(), after);
    EXPECT_EQ(plan_store_->version(), 5U);
}

TEST_F(ContactPlanStoreTest, PeriodicContactsAreKeptAsOne) {
    const ordered_json row{{"contact", 8},      {"source", 20},   {"dest", 10},
                           {"startTime", 300},  {"endTime", 310}, {"repeatSeconds", 60},
                           {"until", 1'000'000}};
    commit(add_contacts(*plan_store_->plan(), ordered_json::array({row}), kStart), "plan add");
    const Contacts before = plan();
    ASSERT_EQ(before.size(), 4U);
    EXPECT_EQ(before[3].repeat, 60'000U);
    EXPECT_EQ(before[3].until, kStart + 1'000'000'000);
    EXPECT_EQ(journal().find("16777224"), std::string::npos) << "no repeat is written";
    start(kRestart);
    EXPECT_EQ(plan(), before);
    EXPECT_GT(plan_store_->window().contacts(*plan_store_->plan()).size(), 10'000U);
}

TEST_F(ContactPlanStoreTest, EarlierVersionsAreRestoredFromTheJournal) {
    const auto plan_of = [this](std::uint64_t version) {
        auto earlier = plan_store_->plan_of(version);
        EXPECT_TRUE(earlier) << earlier.error();
        if (!earlier) return Contacts{};
        std::ranges::sort(*earlier, {}, &config::PlanContact::id);
        return std::move(*earlier);
    };
    std::vector<Contacts> versions{{}, plan()};
    const auto step = [&](const auto &work) {
        work();
        versions.push_back(plan());
    };
    step([&] { change(2, 9000); });
    step([&] { add(8, 300); });
    step([&] { change(8, 77); });
    step([&] { change(2, 1); });
    step([&] { remove(8); });
    step([&] { add(8, 500); });
    start(kRestart);
    ASSERT_EQ(plan_store_->version(), 7U);
    for (std::uint64_t version = 1; version <= 7; ++version)
        EXPECT_EQ(plan_of(version), versions[version]) << version;
    const Contacts earlier = plan_of(3);
    commit(difference(*plan_store_->plan(), earlier), "plan rollback");
    EXPECT_EQ(plan(), versions[3]);
    EXPECT_EQ(plan_store_->version(), 8U);
    EXPECT_EQ(plan_of(7), versions[7]) << "a rollback can be taken back";
    EXPECT_FALSE(plan_store_->plan_of(0));
    EXPECT_FALSE(plan_store_->plan_of(9));
}

TEST_F(ContactPlanStoreTest, VersionsBeforeALineThatIsGoneAreNotRestored) {
    change(2, 9000);
    change(2, 9001);
    change(2, 9002);
    std::string text = journal();
    text.erase(0, text.find('\n') + 1);
    folder_.write(kJournal, text);
    const auto lost = plan_store_->plan_of(1);
    ASSERT_FALSE(lost);
    EXPECT_NE(lost.error().find("version 2"), std::string::npos) << lost.error();
    EXPECT_TRUE(plan_store_->plan_of(2));
    text[20] ^= 1;
    folder_.write(kJournal, text);
    EXPECT_FALSE(plan_store_->plan_of(2));
    EXPECT_TRUE(plan_store_->plan_of(3));
    folder_.write(kJournal, "");
    EXPECT_FALSE(plan_store_->plan_of(3));
    EXPECT_TRUE(plan_store_->plan_of(4)) << "the plan in force";
}

TEST_F(ContactPlanStoreTest, AJournalThatIsCutGivesThePlanOfItsWholeLines) {
    std::vector<Contacts> plans{plan()};
    change(2, 9000);
    plans.push_back(plan());
    add(8, 300);
    plans.push_back(plan());
    remove(1);
    plans.push_back(plan());
    const std::string whole = journal();
    for (std::size_t size = whole.size() + 1; size-- > 0;) {
        SCOPED_TRACE("cut to " + std::to_string(size));
        plan_store_.reset();
        const std::string cut = whole.substr(0, size);
        folder_.write(kJournal, cut);
        start(kStart);
        const auto lines = static_cast<std::size_t>(std::ranges::count(cut, '\n'));
        ASSERT_EQ(plan(), plans[lines]);
        ASSERT_EQ(plan_store_->version(), 1 + lines);
        ASSERT_EQ(plan_store_->history().size(), lines);
        if (size % 40 != 0) continue;
        // What comes next is not spoiled by what was cut.
        change(3, size);
        const Contacts next = plan();
        start(kStart);
        ASSERT_EQ(plan(), next);
        ASSERT_EQ(plan_store_->version(), 2 + lines);
        plan_store_.reset();
    }
}

TEST_F(ContactPlanStoreTest, LinesBehindADamagedLineAreIgnored) {
    change(2, 9000);
    const Contacts first = plan();
    change(2, 9001);
    change(2, 9002);
    plan_store_.reset();
    std::string text = journal();
    text[text.find("9001")] = 'x';
    folder_.write(kJournal, text);
    start(kStart);
    EXPECT_EQ(plan(), first);
    EXPECT_EQ(plan_store_->version(), 4U) << "no version twice";
    change(3, 5);
    EXPECT_EQ(plan_store_->version(), 5U);
    const Contacts next = plan();
    start(kRestart);
    EXPECT_EQ(plan(), next);
    EXPECT_EQ(plan_store_->version(), 5U);
}

TEST_F(ContactPlanStoreTest, UnreadableLinesAtTheEndAreReported) {
    const Contacts before = plan();
    for (const std::size_t left : {2, 1, 0}) {
        change(2, 9000 + left);
        change(2, 9100 + left);
        change(2, 9200 + left);
        const std::uint64_t version = plan_store_->version();
        plan_store_.reset();
        std::string text = journal();
        std::size_t end = text.size() - 1;
        for (std::size_t damaged = 3; damaged > left; --damaged) {
            const std::size_t begin = text.rfind('\n', end - 1) + 1;
            text.replace(begin < text.size() ? begin : 0, 4, "????");
            end = begin == 0 ? 1 : begin - 1;
        }
        folder_.write(kJournal, text);
        start(kStart);
        EXPECT_EQ(plan_store_->version(), version) << "no version twice";
        const BitRate rate = plan()[1].rate;
        EXPECT_EQ(rate, left == 0 ? before[1].rate : BitRate{9000 + 100 * (left - 1) + left})
            << left;
        change(3, 5 + left);
        EXPECT_EQ(plan_store_->version(), version + 1);
        std::filesystem::remove_all(folder_ / "state");
        start(kStart);
    }
}

TEST_F(ContactPlanStoreTest, ALargeChangeWritesTheWholePlan) {
    change(2, 9000);
    ordered_json rows = ordered_json::array();
    for (std::uint64_t i = 0; i < 1500; ++i)
        rows.push_back(
            {{"contact", i}, {"source", 10}, {"dest", 20}, {"startTime", i}, {"endTime", i + 1}});
    commit(replace_contacts(*plan_store_->plan(), rows, kStart), "plan replace");
    change(700, 9);
    const Contacts before = plan();
    start(kRestart);
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(plan_store_->version(), 4U);
    EXPECT_EQ(plan_store_->history().size(), 3U);
}

TEST_F(ContactPlanStoreTest, AChangedConfiguredPlanReplacesTheOneInForce) {
    change(2, 9000);
    change(2, 9001);
    plan_store_.reset();
    folder_.write("plan.json", R"({"contacts": []})");
    start(kRestart);
    EXPECT_TRUE(plan_store_->plan()->empty());
    EXPECT_EQ(plan_store_->version(), 4U);
    EXPECT_FALSE(plan_store_->changed_by_command());
    start(kRestart);
    EXPECT_EQ(plan_store_->version(), 4U);
    add(5, 10);
    start(kRestart + 1);
    EXPECT_EQ(plan_store_->version(), 5U);
    EXPECT_EQ(plan().size(), 1U);
}

TEST_F(ContactPlanStoreTest, AReloadTakesTheConfiguredPlanWhenItsContactsDiffer) {
    const std::string file = config_.contact_plan_file;
    change(2, 9000);
    const auto same = plan_store_->read_configured(file, {}, false, kRestart);
    ASSERT_TRUE(same);
    EXPECT_FALSE(*same) << "the plan that was set by command stays";
    EXPECT_TRUE(*plan_store_->read_configured(file, {}, true, kRestart)) << "a revert";
    folder_.write("plan.json", R"({"contacts": [
        {"contact": 4, "source": 10, "dest": 20, "startTime": 0, "endTime": 100}]})");
    auto read = plan_store_->read_configured(file, {}, false, kRestart);
    ASSERT_TRUE(read && *read);
    auto next = plan_store_->write_configured(std::move(**read), "reload", kOperator, kRestart);
    ASSERT_TRUE(next) << next.error();
    plan_store_->take(std::move(*next));
    EXPECT_EQ(plan_store_->version(), 3U);
    EXPECT_FALSE(plan_store_->changed_by_command());
    ASSERT_EQ(plan().size(), 1U);
    EXPECT_EQ(plan()[0].start, kRestart) << "second 0 is the reload";
    EXPECT_EQ(plan_store_->history().back()["command"], "reload");

    add(8, 300);
    const Contacts before = plan();
    start(kRestart + 5000);
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(plan_store_->version(), 4U);
    folder_.write("plan.json", "{");
    EXPECT_FALSE(plan_store_->read_configured(file, {}, false, kRestart));
}

// Counted from the year 2000, the end of this contact is before its start.
TEST_F(ContactPlanStoreTest, SecondsBesideTimesInUtcAreReadAtTheStartAndAgain) {
    const std::string plan = "a contact 2022/01/01-00:00:00 +99999999 10 20 1000\n";
    folder_.write("plan.json", plan);
    start(kRestart);
    ASSERT_NE(plan_store_->plan(), nullptr);
    EXPECT_EQ(plan_store_->plan()->size(), 1U);
    const auto version = plan_store_->version();
    start(kRestart + 1000);
    EXPECT_EQ(plan_store_->version(), version) << "the file has not changed";
    folder_.write("plan.json", plan + "a contact 2022/01/01-00:00:00 +99999999 20 10 1000\n");
    start(kRestart + 2000);
    EXPECT_EQ(plan_store_->plan()->size(), 2U);
}

TEST_F(ContactPlanStoreTest, AFolderThatIsEmptiedIsFilledAgain) {
    change(2, 9000);
    std::filesystem::remove_all(folder_ / "state");
    change(2, 9001);
    change(2, 9002);
    const Contacts before = plan();
    start(kRestart);
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(plan_store_->version(), 4U);
}

TEST_F(ContactPlanStoreTest, TheFolderOfAnotherNodeIsRefused) {
    change(2, 9000);
    const std::string text = journal();
    plan_store_.reset();
    config_.node = NodeNumber{77};
    ContactPlanStore other(config_);
    const std::string wrong = other.open(kRestart);
    EXPECT_NE(wrong.find("belongs to node 10; expected node 77"), std::string::npos) << wrong;
    EXPECT_EQ(journal(), text);
}

TEST_F(ContactPlanStoreTest, AJournalThatIsEmptiedLosesNoPlan) {
    change(2, 9000);
    for (const bool removed : {false, true}) {
        change(2, 9001);
        if (removed)
            std::filesystem::remove(folder_ / kJournal);
        else
            std::filesystem::resize_file(folder_ / kJournal, 0);
        testing::internal::CaptureStderr();
        change(3, removed ? 5 : 6);
        EXPECT_NE(testing::internal::GetCapturedStderr().find("by another program"),
                  std::string::npos);
        const Contacts before = plan();
        const std::uint64_t version = plan_store_->version();
        start(kRestart);
        EXPECT_EQ(plan(), before);
        EXPECT_EQ(plan_store_->version(), version);
    }
}

TEST_F(ContactPlanStoreTest, AVersionThatIsTooLargeIsDamage) {
    change(2, 9000);
    plan_store_.reset();
    std::string state = config::read_text_file(folder_ / kState).value();
    const std::string version = "\"version\": 1,";
    ASSERT_NE(state.find(version), std::string::npos);
    state.replace(state.find(version), version.size(), "\"version\": 18446744073709551615,");
    folder_.write(kState, state);
    start(kStart);
    EXPECT_EQ(plan_store_->version(), 2U) << "that of the history";
    change(2, 9001);
    EXPECT_EQ(plan_store_->version(), 3U);
    start(kRestart);
    EXPECT_EQ(plan_store_->version(), 3U);
    EXPECT_EQ(plan()[1].rate, BitRate{9001});
}

TEST_F(ContactPlanStoreTest, MissingFilesAreReportedAtTheStart) {
    const auto published = [this] {
        testing::internal::CaptureStderr();
        start(kRestart);
        return testing::internal::GetCapturedStderr();
    };
    change(2, 9000);
    change(2, 9001);
    plan_store_.reset();
    std::filesystem::remove(folder_ / kJournal);
    EXPECT_NE(published().find(
                  "change 2 of the contact plan not found; changes after version 1, if there were "
                  "any, are lost"),
              std::string::npos);
    change(2, 9002);
    EXPECT_EQ(published().find("error"), std::string::npos);
    commit(replace_contacts(*plan_store_->plan(), ordered_json::array(), kStart), "plan replace");
    std::filesystem::remove(folder_ / "plan.json");
    folder_.write("plan.json", R"({"contacts": []})");
    (void)published();
    plan_store_.reset();
    folder_.write(kJournal, "");
    EXPECT_NE(published().find("change 4 of the contact plan not found"), std::string::npos)
        << "the change of the configured plan";
    EXPECT_EQ(published().find("error"), std::string::npos) << "its line is written now";
    std::filesystem::remove(folder_ / kState);
    EXPECT_NE(published().find("contact-plan.json: file missing"), std::string::npos);
}

TEST_F(ContactPlanStoreTest, ALineThatTheLastRunHasNotWrittenIsAdded) {
    change(2, 9000);
    folder_.write("plan.json", R"({"contacts": []})");
    start(kRestart);
    const std::string text = journal();
    plan_store_.reset();
    // The state file has the change, and the node ended before its line was whole.
    folder_.write(kJournal, text.substr(0, text.size() - 7));
    testing::internal::CaptureStderr();
    start(kRestart);
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("the line of change 3 of the contact plan is missing; it is written again"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("truncated or missing"), std::string::npos) << log;
    EXPECT_EQ(plan_store_->history().back()["version"], 3);
    EXPECT_TRUE(plan().empty());
}

TEST_F(ContactPlanStoreTest, AWriteThatFailsChangesNothing) {
    change(2, 9000);
    const Contacts before = plan();
    const std::string text = journal();
    std::filesystem::rename(folder_ / "state", folder_ / "away");
    folder_.write("state", "a file");
    const auto edited = remove_contacts(*plan_store_->plan(), ordered_json::array({1}));
    EXPECT_FALSE(plan_store_->write(*edited, "plan remove", kOperator, kStart));
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(plan_store_->version(), 2U);
    std::filesystem::remove(folder_ / "state");
    std::filesystem::rename(folder_ / "away", folder_ / "state");
    EXPECT_EQ(journal(), text);
    remove(1);
    EXPECT_EQ(plan_store_->version(), 3U);
}

}  // namespace
}  // namespace farlink::control::contact_plan_store_test
