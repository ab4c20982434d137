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

    /// A bundle of version 6 for an ADU with these options.
    AduFields of_version_6(BundleAdu adu, std::int64_t at = 1000) {
        adu.destination = "ipn:20.1";
        adu.options.version = 6;
        AduFields fields;
        verdict_ = submissions_.admit(Grant(config_, {}), bp::ipn_eid(10, 200), adu, fields,
                                      test::at_ms(at));
        return fields;
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

TEST_F(SubmissionsTest, AnAduChoosesTheVersionOfItsBundle) {
    AduFields fields;
    BundleAdu adu;
    adu.destination = "ipn:20.1";
    const Grant grant(config_, {});
    const auto admit = [&] {
        fields = {};
        return submissions_.admit(grant, bp::ipn_eid(10, 200), adu, fields, test::at_ms(1000));
    };
    EXPECT_TRUE(admit().good());
    EXPECT_EQ(fields.version, 7);
    adu.options.version = 6;
    EXPECT_TRUE(admit().good());
    EXPECT_EQ(fields.version, 6);
    EXPECT_EQ(fields.crc_type, bp::v7::CrcType::kNone);
    for (const std::uint64_t wrong : {0U, 5U, 8U, 262U}) {
        adu.options.version = wrong;
        EXPECT_EQ(admit().status, ResponseStatus::kInvalidRequest) << wrong;
    }
}

TEST_F(SubmissionsTest, Version6CountsWholeSeconds) {
    BundleAdu adu;
    adu.options.lifetime_ms = 1;
    AduFields fields = of_version_6(adu);
    EXPECT_TRUE(verdict_.good());
    EXPECT_EQ(fields.primary.lifetime_ms, 1000U);
    EXPECT_EQ(fields.primary.creation_time_ms % 1000, 0U);
    adu.options.lifetime_ms = 2000;
    EXPECT_EQ(of_version_6(adu).primary.lifetime_ms, 2000U);
    adu.creation_ms = fields.primary.creation_time_ms;
    adu.sequence = 7;
    fields = of_version_6(adu);
    EXPECT_TRUE(verdict_.good());
    EXPECT_EQ(fields.primary.creation_time_ms, adu.creation_ms);
    EXPECT_EQ(fields.primary.sequence, 7U);
    ++adu.creation_ms;
    (void)of_version_6(adu);
    EXPECT_EQ(verdict_.status, ResponseStatus::kInvalidRequest);
}

TEST_F(SubmissionsTest, BundlesOfVersion6OfOneSecondDiffer) {
    const AduFields first = of_version_6({}, 1000);
    const AduFields second = of_version_6({}, 1002);
    EXPECT_EQ(first.primary.creation_time_ms, second.primary.creation_time_ms);
    EXPECT_NE(first.primary.sequence, second.primary.sequence);
}

TEST_F(SubmissionsTest, Version6HasNeitherCrcsNorAHopLimit) {
    BundleAdu adu;
    adu.options.crc_type = 0;
    adu.options.hop_limit = 0;
    (void)of_version_6(adu);
    EXPECT_TRUE(verdict_.good());
    adu.options.crc_type = 2;
    (void)of_version_6(adu);
    EXPECT_EQ(verdict_.status, ResponseStatus::kInvalidRequest);
    adu.options.crc_type.reset();
    adu.options.hop_limit = 9;
    (void)of_version_6(adu);
    EXPECT_EQ(verdict_.status, ResponseStatus::kInvalidRequest);
}

}  // namespace
}  // namespace farlink::applications::submissions_test
