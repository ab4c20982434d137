// SPDX-License-Identifier: Apache-2.0
#include "common/json/exact_number.hpp"

#include <gtest/gtest.h>

namespace farlink::exact_number_test {
namespace {

TEST(ExactNumber, IsTextWhereProgramsDisagree) {
    EXPECT_EQ(exact_json(0), 0);
    EXPECT_EQ(exact_json(9'007'199'254'740'992).dump(), "9007199254740992");
    EXPECT_EQ(exact_json(9'007'199'254'740'993), "9007199254740993");
}

}  // namespace
}  // namespace farlink::exact_number_test
