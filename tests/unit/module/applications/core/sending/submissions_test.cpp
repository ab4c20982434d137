// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/submissions.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::submissions_test {
namespace {

class SubmissionsTest : public testing::Test {
protected:
    /// The priority of an ADU if the entry has this limit; none: by policy.
    std::optional<Priority> admitted(const std::string &highest, std::optional<Priority> asked) {
        config::AccessConfig access;
        access.highest_priority = highest;
        BundleAdu adu;
        adu.destination = "ipn:20.1";
        adu.options.priority = asked;
        AduFields fields;
        verdict_ = submissions_.admit(Grant(config_, access), bp::ipn_eid(10, 200), adu, fields,
                                      test::at_ms(1000));
        return fields.priority;
    }

    config::ApplicationsNode config_ = app_config();
    ClockGuard clock_{test::kClock};
    Submissions submissions_{config_, clock_, 5};
    Verdict verdict_;
};

TEST_F(SubmissionsTest, WithoutAPriorityAnAduGetsNoneAboveTheLimit) {
    EXPECT_EQ(admitted("bulk", std::nullopt), Priority::kBulk);
    EXPECT_TRUE(verdict_.good());
    EXPECT_EQ(admitted("normal", std::nullopt), std::nullopt);
    EXPECT_TRUE(verdict_.good());
    EXPECT_EQ(admitted("expedited", std::nullopt), std::nullopt);
    EXPECT_TRUE(verdict_.good());
}

TEST_F(SubmissionsTest, AHigherPriorityThanTheLimitIsRefused) {
    EXPECT_EQ(admitted("bulk", Priority::kBulk), Priority::kBulk);
    EXPECT_TRUE(verdict_.good());
    (void)admitted("bulk", Priority::kNormal);
    EXPECT_EQ(verdict_.status, ResponseStatus::kUnauthorized);
    (void)admitted("normal", Priority::kExpedited);
    EXPECT_EQ(verdict_.status, ResponseStatus::kUnauthorized);
}

}  // namespace
}  // namespace farlink::applications::submissions_test
