// SPDX-License-Identifier: Apache-2.0
#include "cla/api/link_fault.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::cla::link_fault_test {
namespace {

TEST(LinkFault, EachHasANameAndWordsOfItsOwn) {
    std::set<std::string_view> names;
    std::set<std::string_view> words;
    for (std::size_t i = 0; i < static_cast<std::size_t>(LinkFault::kCount_); ++i) {
        names.insert(to_string(static_cast<LinkFault>(i)));
        words.insert(in_words(static_cast<LinkFault>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(LinkFault::kCount_));
    EXPECT_EQ(words.size(), names.size());
    EXPECT_FALSE(names.contains("") || words.contains(""));
}

TEST(LinkFault, WhatIsKnownBeyondItFollowsItsWords) {
    EXPECT_EQ(in_words(LinkFault::kTlsFailed, {}), in_words(LinkFault::kTlsFailed));
    EXPECT_EQ(in_words(LinkFault::kTlsFailed, "certificate revoked"),
              "the TLS handshake failed: certificate revoked");
}

TEST(ProtocolDeviation, EachHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(ProtocolDeviation::kCount_); ++i)
        names.insert(to_string(static_cast<ProtocolDeviation>(i)));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(ProtocolDeviation::kCount_));
    EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace farlink::cla::link_fault_test
