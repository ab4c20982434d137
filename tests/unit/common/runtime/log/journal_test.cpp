// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/journal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace farlink::journal_test {
namespace {

TEST(Journal, TheStreamIsThatOfStandardError) {
    struct stat error{};
    ASSERT_EQ(::fstat(STDERR_FILENO, &error), 0);
    const std::string own = std::to_string(error.st_dev) + ':' + std::to_string(error.st_ino);
    ::setenv("JOURNAL_STREAM", own.c_str(), 1);
    EXPECT_TRUE(logs_to_journal());
    ::setenv("JOURNAL_STREAM", (own + '0').c_str(), 1);
    EXPECT_FALSE(logs_to_journal());
    ::unsetenv("JOURNAL_STREAM");
    EXPECT_FALSE(logs_to_journal());
}

TEST(Journal, SeveritiesAreThoseOfSyslog) {
    EXPECT_EQ(severity_prefix(LogLevel::kDebug), "<7>");
    EXPECT_EQ(severity_prefix(LogLevel::kInfo), "<6>");
    EXPECT_EQ(severity_prefix(LogLevel::kWarn), "<4>");
    EXPECT_EQ(severity_prefix(LogLevel::kError), "<3>");
    EXPECT_EQ(severity_prefix(LogLevel::kCritical), "<2>");
}

}  // namespace
}  // namespace farlink::journal_test
