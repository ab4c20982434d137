// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/trial.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::trial_test {
namespace {

TEST(Trial, ALinkWithoutAFailureTakesWhatItCan) {
    const Trial trial;
    EXPECT_EQ(trial.credit(5000, 100), 5000U);
}

TEST(Trial, AfterAFailureFewBundlesAreTakenUntilOneIsAnswered) {
    Trial trial;
    trial.begin();
    EXPECT_EQ(trial.credit(5000, 0), 1U) << "one bundle a call";
    EXPECT_EQ(trial.credit(0, 0), 0U);
    EXPECT_EQ(trial.credit(5000, Trial::kBundles - 1), 1U);
    EXPECT_EQ(trial.credit(5000, Trial::kBundles), 0U);
    trial.handle_answer();
    EXPECT_EQ(trial.credit(5000, Trial::kBundles), 5000U);
}

TEST(Trial, TheHostIsAskedAgainOnlyWhenItCountsBundles) {
    Trial trial;
    trial.handle_end();
    EXPECT_FALSE(trial.take_more());
    trial.begin();
    trial.handle_end();
    EXPECT_TRUE(trial.take_more());
    EXPECT_FALSE(trial.take_more()) << "once";
    trial.handle_answer();
    EXPECT_TRUE(trial.take_more()) << "the window is open again";
    trial.handle_answer();
    EXPECT_FALSE(trial.take_more());
}

}  // namespace
}  // namespace farlink::cla::ltp::trial_test
