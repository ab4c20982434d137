// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/number_generator.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::number_generator_test {
namespace {

/// A source without any randomness.
class ConstantSource final : public RandomSource {
public:
    [[nodiscard]] std::uint64_t next() override { return 0xfedcba9876543210; }
};

TEST(LtpNumberGenerator, NoNumberRepeatsEvenWithoutRandomness) {
    ConstantSource source;
    NumberGenerator numbers(source);
    std::set<std::uint64_t> seen;
    const std::uint64_t ping = numbers.ping_number(NumberSize::k32Bits);
    for (std::uint32_t i = 0; i + 1 < 1U << NumberGenerator::kCounterBits32; ++i) {
        const std::uint64_t number = numbers.session_number(NumberSize::k32Bits);
        ASSERT_TRUE(seen.insert(number).second);
        ASSERT_NE(number, ping);
        ASSERT_LT(number, 1ULL << 32);
    }
}

TEST(LtpNumberGenerator, NumbersFitTheirSizes) {
    test::SeededSource source(5);
    NumberGenerator numbers(source);
    bool above = false;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_LT(numbers.session_number(NumberSize::k32Bits), 1ULL << 32);
        EXPECT_LT(numbers.first_serial(NumberSize::k32Bits), 1ULL << 31);
        EXPECT_NE(numbers.first_serial(NumberSize::k32Bits), 0U);
        const std::uint64_t number = numbers.session_number(NumberSize::k64Bits);
        EXPECT_LT(number, 1ULL << 63);
        EXPECT_NE(number, 0U);
        above = above || number >> 60 != 0;
        EXPECT_LT(numbers.first_serial(NumberSize::k64Bits), 1ULL << 56);
    }
    EXPECT_TRUE(above);
}

TEST(LtpNumberGenerator, TheLowPartCounts) {
    ConstantSource source;
    NumberGenerator numbers(source);
    const std::uint64_t first = numbers.session_number(NumberSize::k64Bits);
    EXPECT_EQ(numbers.session_number(NumberSize::k64Bits), first + 1);
}

}  // namespace
}  // namespace farlink::cla::ltp::number_generator_test
