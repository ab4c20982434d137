// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/held_back.hpp"

#include <gtest/gtest.h>

namespace farlink::held_back_test {
namespace {

TEST(HeldBack, TheNumberOfLinesThatWereNotLogged) {
    EXPECT_EQ(held_back_words(0), "");
    EXPECT_EQ(held_back_words(3), " (3 more not shown)");
}

}  // namespace
}  // namespace farlink::held_back_test
