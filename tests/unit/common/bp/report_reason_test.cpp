// SPDX-License-Identifier: Apache-2.0
#include "common/bp/report_reason.hpp"

#include <gtest/gtest.h>

namespace farlink::bp::report_reason_test {
namespace {

TEST(ReportReason, HasTheTextOfTheRfc) {
    EXPECT_EQ(report_reason_text(0), "no additional information");
    EXPECT_EQ(report_reason_text(static_cast<std::uint64_t>(ReportReason::kBlockUnsupported)),
              "block unsupported");
    EXPECT_EQ(report_reason_text(static_cast<std::uint64_t>(ReportReason::kSecurityFailed)),
              "failed security operation");
    EXPECT_EQ(report_reason_text(16), "conflicting security operation");
}

TEST(ReportReason, IsANumberWhereNoRfcNamesIt) {
    EXPECT_EQ(report_reason_text(17), "reason 17");
    EXPECT_EQ(report_reason_text(UINT64_MAX), "reason 18446744073709551615");
}

}  // namespace
}  // namespace farlink::bp::report_reason_test
