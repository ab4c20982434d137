// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/ltp_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::cla::ltp::ltp_random_test {
namespace {

TEST(LtpRandomTest, NumbersDoNotRepeat) {
    LtpRandom one;
    LtpRandom other;
    std::set<std::uint64_t> drawn;
    constexpr std::size_t kDraws = 2000;  // more than one call of the system brings
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
        drawn.insert(one.next());
        drawn.insert(other.next());
    }
    EXPECT_EQ(drawn.size(), 2 * kDraws);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_random_test
