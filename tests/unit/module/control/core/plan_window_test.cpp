// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/plan_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/plan/repeats.hpp"
#include "common/routing/contact_changes.hpp"

namespace farlink::control::plan_window_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;
constexpr std::uint64_t kMinute = 60'000;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr std::uint64_t kDay = 24 * kHour;

config::PlanContact contact(std::uint64_t id, DtnTime start, std::uint64_t repeat = 0,
                            DtnTime until = kDtnNever) {
    config::PlanContact made{id, NodeNumber{1}, NodeNumber{id + 2}, start, start + kMinute / 2, {},
                             {}};
    made.repeat = repeat;
    made.until = until;
    return made;
}

/// A scheduler's copy of a plan, which must be what the window says.
class PlanWindowTest : public testing::Test {
protected:
    void begin(Contacts plan) {
        plan_ = std::move(plan);
        window_.begin(plan_, now_);
        held_ = window_.contacts(plan_);
    }
    void change(const Contacts &gone, const Contacts &come) {
        routing::change_contacts(plan_, gone, come);
        take(std::get<bus::PlanChange>(window_.change(false, gone, come, now_)));
    }
    /// Lets time pass; the largest change on the way.
    std::size_t pass(std::uint64_t time, std::uint64_t step = 1000) {
        std::size_t largest = 0;
        for (const DtnTime end = now_ + time; now_ < end;) {
            now_ += step;
            if (const auto moved = window_.handle_second(now_)) {
                largest = std::max(largest, moved->removed.size() + moved->added.size());
                take(*moved);
            }
        }
        return largest;
    }
    void take(const bus::PlanChange &change) {
        const std::size_t before = held_.size();
        routing::change_contacts(held_, change.removed, change.added);
        ASSERT_EQ(held_.size(), before - change.removed.size() + change.added.size())
            << "each contact that goes was there";
    }
    /// The repeats of a contact that a scheduler has, as starts.
    [[nodiscard]] std::vector<DtnTime> starts(std::uint64_t id) const {
        std::vector<DtnTime> found;
        for (const bus::Contact &each : held_)
            if (each.id % config::kRepeatNumbers == id) found.push_back(each.start);
        std::ranges::sort(found);
        return found;
    }
    void expect_covered(std::uint64_t id, DtnTime until, std::uint64_t repeat) const {
        const auto found = starts(id);
        ASSERT_FALSE(found.empty());
        EXPECT_LE(found.front(), now_ + repeat);
        EXPECT_GE(found.back() + repeat, until);
        for (std::size_t i = 1; i < found.size(); ++i)
            ASSERT_EQ(found[i] - found[i - 1], repeat) << "no gap, none twice";
    }

    DtnTime now_ = kStart;
    Contacts plan_;
    PlanWindow window_;
    std::vector<bus::Contact> held_;
};

TEST_F(PlanWindowTest, APlanWithoutRepeatsIsPassedOn) {
    begin({contact(1, kStart), contact(2, kStart)});
    EXPECT_EQ(held_.size(), 2U);
    EXPECT_EQ(pass(kDay, kMinute), 0U);
    const auto first = PlanWindow().change(true, {}, {contact(1, kStart)}, kStart);
    EXPECT_EQ(std::get<bus::PlanReplace>(first).contacts.size(), 1U);
}

TEST_F(PlanWindowTest, RepeatsGoToTheHorizonAndFollowTimeInSmallSteps) {
    begin({contact(1, kStart - 30 * kDay, 10 * kMinute), contact(2, kStart + 100 * kDay)});
    EXPECT_EQ(starts(1).size(), 7U * 24 * 6);
    expect_covered(1, now_ + PlanWindow::kHorizonMs, 10 * kMinute);
    EXPECT_LE(pass(3 * kDay), PlanWindow::kMostSteps);
    expect_covered(1, now_ + PlanWindow::kHorizonMs * 9 / 10, 10 * kMinute);
    EXPECT_LT(starts(1).size(), 7U * 24 * 6 * 11 / 10) << "those that are over go";
    EXPECT_EQ(starts(2).size(), 1U);
}

TEST_F(PlanWindowTest, TheNextRepeatIsThereHoweverFar) {
    begin({contact(1, kStart + 20 * kDay, 30 * kDay)});
    EXPECT_EQ(starts(1), std::vector<DtnTime>{kStart + 20 * kDay});
    pass(21 * kDay, kHour);
    EXPECT_EQ(starts(1), std::vector<DtnTime>{kStart + 50 * kDay});
}

TEST_F(PlanWindowTest, TheLastRepeatIsTheLast) {
    begin({contact(1, kStart, kHour, kStart + 10 * kHour)});
    EXPECT_EQ(starts(1).size(), 10U);
    pass(2 * kDay, kMinute);
    EXPECT_TRUE(starts(1).empty());
}

TEST_F(PlanWindowTest, ChangesTakeTheRepeatsOfAContact) {
    begin({contact(1, kStart, kHour), contact(2, kStart, kHour)});
    pass(2 * kDay);
    config::PlanContact slower = contact(1, kStart, 2 * kHour);
    change({contact(1, kStart, kHour)}, {slower});
    expect_covered(1, now_ + PlanWindow::kHorizonMs, 2 * kHour);
    change({slower, contact(2, kStart, kHour)}, {});
    EXPECT_TRUE(held_.empty());
    pass(2 * kDay);
    EXPECT_TRUE(held_.empty());
    EXPECT_EQ(PlanWindow::expand({slower}, now_).size(), 84U);
}

TEST_F(PlanWindowTest, NumbersOfRepeatsAreBounded) {
    Contacts many;
    for (std::uint64_t id = 0; id < 1000; ++id) many.push_back(contact(id, kStart + id, kMinute));
    begin(many);
    EXPECT_LE(held_.size(), PlanWindow::kMostRepeats);
    EXPECT_GE(held_.size(), PlanWindow::kMostRepeats * 9 / 10);
    pass(3 * kHour);
    EXPECT_LE(held_.size(), PlanWindow::kMostRepeats * 11 / 10);
    expect_covered(999, now_ + kHour, kMinute);
}

TEST_F(PlanWindowTest, AClockThatIsSetTakesTheWindowAlong) {
    begin({contact(1, kStart - 30 * kDay, kHour)});
    now_ += 1000 * kDay;
    pass(kMinute);
    expect_covered(1, now_ + PlanWindow::kHorizonMs, kHour);
    EXPECT_LE(starts(1).size(), 7U * 24 + 2);
    now_ -= 3 * kDay;
    pass(kMinute);
    expect_covered(1, now_ + PlanWindow::kHorizonMs, kHour);
    EXPECT_LE(starts(1).front(), now_ + kHour);
    now_ = kStart - 60 * kDay;
    pass(kMinute);
    EXPECT_EQ(starts(1).front(), kStart - 30 * kDay);
    EXPECT_EQ(starts(1).size(), 1U);
}

}  // namespace
}  // namespace farlink::control::plan_window_test
