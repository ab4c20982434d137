// SPDX-License-Identifier: Apache-2.0
#include "common/bp/base/parse_error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::bp::parse_error_test {
namespace {

TEST(ParseError, EveryReasonHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kParseErrorCount; ++i)
        names.insert(to_string(static_cast<ParseError>(i)));
    EXPECT_EQ(names.size(), kParseErrorCount);
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(to_string(ParseError::kHopLimitExceeded), "hop_limit_exceeded");
    EXPECT_EQ(to_string(ParseError::kBadPrimaryLength), "bad_primary_length");
    EXPECT_EQ(to_string(ParseError::kCount_), "unknown");
}

TEST(ParseError, EveryReasonHasWordsOfItsOwn) {
    std::set<std::string_view> words;
    for (std::size_t i = 0; i < kParseErrorCount; ++i)
        words.insert(in_words(static_cast<ParseError>(i)));
    EXPECT_EQ(words.size(), kParseErrorCount);
    EXPECT_FALSE(words.contains(""));
    EXPECT_EQ(in_words(ParseError::kCrcMismatch), "the CRC of a block does not match");
    EXPECT_EQ(in_words(ParseError::kAgeMissing), "neither a creation time nor a bundle age block");
    EXPECT_EQ(in_words(ParseError::kCount_), "unknown");
}

}  // namespace
}  // namespace farlink::bp::parse_error_test
