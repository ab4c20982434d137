// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/changed_values.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::changed_values_test {
namespace {

TEST(ChangedValues, OnlyAChangeIsReported) {
    ChangedValues changed;
    const std::vector<std::uint64_t> first{1, 2};
    const std::vector<std::uint64_t> second{1, 3};
    const std::vector<std::uint64_t> longer{1, 3, 0};
    EXPECT_TRUE(changed.take(first));
    EXPECT_FALSE(changed.take(first));
    EXPECT_TRUE(changed.take(second));
    EXPECT_TRUE(changed.take(longer));
    EXPECT_TRUE(changed.take(first)) << "compared with the last values only";
}

}  // namespace
}  // namespace farlink::telemetry::changed_values_test
