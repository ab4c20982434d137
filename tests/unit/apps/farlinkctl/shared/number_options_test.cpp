// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/number_options.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::number_options_test {
namespace {

std::string check(const CLI::Validator &validator, std::string &text) {
    return validator(text);
}

TEST(NumberOptions, AWholeNumberHasDigitsOnly) {
    const auto validator = whole_number("days", 1, 365);
    std::string text = "010";
    EXPECT_EQ(check(validator, text), "");
    EXPECT_EQ(text, "10");
    for (const char *wrong : {"-5", "0", "366", "1.5", "1d", ""}) {
        text = wrong;
        EXPECT_EQ(check(validator, text),
                  std::string("found ") + wrong + "; expected days, from 1 to 365");
    }
}

TEST(NumberOptions, SecondsMayHaveAFraction) {
    const auto validator = seconds_from_0("seconds", 60);
    for (const char *right : {"0", "1.28", "60", "1e1"}) {
        std::string text = right;
        EXPECT_EQ(check(validator, text), "") << right;
    }
    for (const char *wrong : {"-1", "61", "nan", "soon"}) {
        std::string text = wrong;
        EXPECT_NE(check(validator, text), "") << wrong;
    }
}

TEST(NumberOptions, AMomentIsSecondsOrAnotherForm) {
    const auto validator = moment("seconds", 60);
    std::string text = "2026-01-02T03:04:05Z";
    EXPECT_EQ(check(validator, text), "");
    text = "61";
    EXPECT_NE(check(validator, text), "");
}

}  // namespace
}  // namespace farlink::ctl::number_options_test
