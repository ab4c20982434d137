// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/impairment.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace farlink::emulation::impairment_test {
namespace {

constexpr int kDraws = 200'000;

template <class Draw>
double share(Draw draw) {
    int found = 0;
    for (int i = 0; i < kDraws; ++i) found += draw() ? 1 : 0;
    return static_cast<double>(found) / kDraws;
}

TEST(ImpairmentTest, NothingHappensByDefault) {
    Impairment impairment({}, 1);
    EXPECT_EQ(share([&] { return impairment.loses(); }), 0);
    EXPECT_EQ(share([&] { return impairment.loses_in_burst(); }), 0);
    EXPECT_EQ(share([&] { return impairment.duplicates(); }), 0);
    EXPECT_EQ(share([&] { return impairment.reorders(); }), 0);
    EXPECT_EQ(impairment.jitter(), Duration::zero());
    EXPECT_FALSE(impairment.flips_bits());
}

TEST(ImpairmentTest, AccidentsAreAsFrequentAsAsked) {
    WireProfile profile;
    profile.loss = 0.01;
    profile.duplication = 0.5;
    profile.reordering = 1;
    Impairment impairment(profile, 2);
    EXPECT_NEAR(share([&] { return impairment.loses(); }), 0.01, 0.002);
    EXPECT_NEAR(share([&] { return impairment.duplicates(); }), 0.5, 0.01);
    EXPECT_EQ(share([&] { return impairment.reorders(); }), 1);
}

TEST(ImpairmentTest, BurstsHaveTheirShareAndLength) {
    WireProfile profile;
    profile.burst_loss = 0.1;
    profile.burst_length = 20;
    Impairment impairment(profile, 3);
    int bursts = 0;
    bool before = false;
    const double lost = share([&] {
        const bool now = impairment.loses_in_burst();
        bursts += now && !before ? 1 : 0;
        before = now;
        return now;
    });
    EXPECT_NEAR(lost, 0.1, 0.02);
    EXPECT_NEAR(lost * kDraws / bursts, 20, 3);
}

TEST(ImpairmentTest, AllMayBeLostInBursts) {
    WireProfile profile;
    profile.burst_loss = 1;
    Impairment impairment(profile, 3);
    EXPECT_EQ(share([&] { return impairment.loses_in_burst(); }), 1);
}

TEST(ImpairmentTest, JitterIsEvenAndBounded) {
    WireProfile profile;
    profile.jitter = milliseconds(10);
    Impairment impairment(profile, 4);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
        const Duration late = impairment.jitter();
        ASSERT_GE(late, Duration::zero());
        ASSERT_LE(late, milliseconds(10));
        sum += std::chrono::duration<double, std::milli>(late).count();
    }
    EXPECT_NEAR(sum / kDraws, 5, 0.1);
}

TEST(ImpairmentTest, BitErrorsAreAsFrequentAsAskedAcrossDatagrams) {
    WireProfile profile;
    profile.bit_errors = 1e-4;
    Impairment impairment(profile, 5);
    constexpr int kDatagrams = 2'000;
    std::uint64_t published = 0;
    std::uint64_t wrong = 0;
    for (int i = 0; i < kDatagrams; ++i) {
        Bytes octets(1'000);
        published += impairment.flip_bits(octets);
        for (const std::uint8_t octet : octets)
            wrong += static_cast<std::uint64_t>(__builtin_popcount(octet));
    }
    EXPECT_EQ(wrong, published);
    EXPECT_NEAR(static_cast<double>(wrong), kDatagrams * 8000 * 1e-4, 150);
}

TEST(ImpairmentTest, EveryBitMayBeWrong) {
    WireProfile profile;
    profile.bit_errors = 1;
    Impairment impairment(profile, 6);
    Bytes octets(3);
    EXPECT_EQ(impairment.flip_bits(octets), 24U);
    EXPECT_EQ(octets, (Bytes{0xff, 0xff, 0xff}));
    EXPECT_EQ(impairment.flip_bits({}), 0U);
}

TEST(ImpairmentTest, TheSameSeedGivesTheSameAccidents) {
    WireProfile profile;
    profile.loss = 0.3;
    Impairment one(profile, 7);
    Impairment two(profile, 7);
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(one.loses(), two.loses());
}

}  // namespace
}  // namespace farlink::emulation::impairment_test
