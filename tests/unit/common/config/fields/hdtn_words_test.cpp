// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/hdtn_words.hpp"

#include <gtest/gtest.h>

namespace farlink::config::hdtn_words_test {
namespace {

TEST(HdtnWords, OldKeysHaveAdvice) {
    EXPECT_NE(hdtn_advice("rate").find("rateBitsPerSec"), std::string_view::npos);
    EXPECT_NE(hdtn_advice("convergenceLayer").find("url"), std::string_view::npos);
    EXPECT_NE(hdtn_advice("tlsIsRequired").find("\"tls\""), std::string_view::npos);
    EXPECT_NE(hdtn_advice("certificatePemFile").find("cert"), std::string_view::npos);
}

TEST(HdtnWords, OtherWordsHaveNone) {
    EXPECT_EQ(hdtn_advice("myNodeId"), "");
    EXPECT_EQ(hdtn_advice(""), "");
    EXPECT_EQ(hdtn_advice("Rate"), "") << "keys are exact";
}

}  // namespace
}  // namespace farlink::config::hdtn_words_test
