// SPDX-License-Identifier: Apache-2.0
#include "common/base/counted.hpp"

#include <gtest/gtest.h>

namespace farlink::counted_test {
namespace {

TEST(Counted, HasTheNounInTheSingularOrThePlural) {
    EXPECT_EQ(counted(0, "bundle"), "0 bundles");
    EXPECT_EQ(counted(1, "bundle"), "1 bundle");
    EXPECT_EQ(counted(2, "stored bundle"), "2 stored bundles");
    EXPECT_EQ(counted(18'446'744'073'709'551'615U, "byte"), "18446744073709551615 bytes");
    EXPECT_EQ(noun_for(1, "bundle"), "bundle");
    EXPECT_EQ(noun_for(4120, "bundle"), "bundles");
}

}  // namespace
}  // namespace farlink::counted_test
