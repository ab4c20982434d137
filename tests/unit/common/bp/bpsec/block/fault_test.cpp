// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/block/fault.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::bp::bpsec::fault_test {
namespace {

TEST(SecurityFault, EveryFaultHasANameAndWordsOfItsOwn) {
    std::set<std::string_view> names;
    std::set<std::string_view> words;
    for (std::size_t i = 0; i < kFaultCount; ++i) {
        names.insert(to_string(static_cast<Fault>(i)));
        words.insert(in_words(static_cast<Fault>(i)));
    }
    EXPECT_EQ(names.size(), kFaultCount);
    EXPECT_EQ(words.size(), kFaultCount);
    EXPECT_FALSE(words.contains(""));
    EXPECT_EQ(in_words(Fault::kNoOperation), "the security operation is missing");
    EXPECT_EQ(in_words(Fault::kCryptography), "OpenSSL reported an error");
}

}  // namespace
}  // namespace farlink::bp::bpsec::fault_test
