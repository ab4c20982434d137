// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/suppressed_lines.hpp"

#include <gtest/gtest.h>

namespace farlink::suppressed_lines_test {
namespace {

TEST(HeldBack, TheNumberOfLinesThatWereNotLogged) {
    EXPECT_EQ(suppressed_lines_text(0), "");
    EXPECT_EQ(suppressed_lines_text(3), " (3 more not shown)");
}

}  // namespace
}  // namespace farlink::suppressed_lines_test
