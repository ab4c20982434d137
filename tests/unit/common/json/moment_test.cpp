// SPDX-License-Identifier: Apache-2.0
#include "common/json/moment.hpp"

#include <gtest/gtest.h>

namespace farlink::moment_test {
namespace {

TEST(Moment, TimesBehindTheYear9999AreNull) {
    EXPECT_EQ(moment(0), "2000-01-01T00:00:00.000Z");
    EXPECT_TRUE(moment(kDtnNever).is_null());
    EXPECT_FALSE(moment(252'455'615'999'999).is_null());
    EXPECT_TRUE(moment(252'455'616'000'000).is_null());
}

}  // namespace
}  // namespace farlink::moment_test
