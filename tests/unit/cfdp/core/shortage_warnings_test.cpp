// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/shortage_warnings.hpp"

#include <gtest/gtest.h>

namespace farlink::cfdp::shortage_warnings_test {
namespace {

TEST(CfdpShortageWarnings, AreFewHoweverManyAreRefused) {
    ShortageWarnings warnings("too many files", "PDUs dropped");
    Shortages shortages;
    const TimePoint start{};
    EXPECT_TRUE(warnings.take(shortages, start).empty());
    shortages[30].refused = 1;
    EXPECT_EQ(warnings.take(shortages, start),
              std::vector<std::string>{"warning: entity 30: too many files: 1 PDUs dropped, "
                                       "transactions given up for other entities: 0"});
    EXPECT_EQ(warnings.due(), kNever);
    for (int each = 0; each < 1000; ++each) {
        ++shortages[30].refused;
        EXPECT_TRUE(warnings.take(shortages, start + seconds(1)).empty());
    }
    // The rest is printed although nothing more happens.
    EXPECT_EQ(warnings.due(), start + ShortageWarnings::kInterval);
    shortages[31].given_up = 2;
    const auto lines = warnings.take(shortages, warnings.due());
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NE(lines[0].find("entity 30: too many files: 1000 PDUs"), std::string::npos);
    EXPECT_NE(lines[1].find("entity 31: too many files: 0 PDUs"), std::string::npos);
    EXPECT_NE(lines[1].find("other entities: 2"), std::string::npos);
    EXPECT_EQ(warnings.due(), kNever);
    EXPECT_TRUE(warnings.take(shortages, start + seconds(1000)).empty());
}

}  // namespace
}  // namespace farlink::cfdp::shortage_warnings_test
