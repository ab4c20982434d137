// SPDX-License-Identifier: Apache-2.0
#include "common/codec/crc.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "common/base/random.hpp"

namespace farlink::codec::crc_test {
namespace {

Bytes random_octets(Random &random, std::size_t size) {
    Bytes octets(size);
    for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random.next());
    return octets;
}

/// The definition, one bit at a time.
std::uint32_t crc32c_by_definition(ByteView data) {
    std::uint32_t state = 0xffffffff;
    for (const std::uint8_t octet : data) {
        state ^= octet;
        for (int bit = 0; bit < 8; ++bit)
            state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78U : 0);
    }
    return ~state;
}

std::uint16_t crc16_by_definition(ByteView data) {
    unsigned state = 0xffff;
    for (const std::uint8_t octet : data) {
        state ^= octet;
        for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x8408U : 0);
    }
    return static_cast<std::uint16_t>(~state);
}

TEST(Crc, EveryKernelAgreesWithTheDefinitionAtEveryLengthAndAlignment) {
    Random random(1);
    const Bytes data = random_octets(random, 1200);
    for (std::size_t size = 0; size <= 1024; size += size < 300 ? 1 : 13) {
        const ByteView part = ByteView(data).subspan(size % 17, size);
        const std::uint32_t wanted32 = crc32c_by_definition(part);
        const std::uint16_t wanted16 = crc16_by_definition(part);
        for (const Crc32cKernel &kernel : crc32c_kernels())
            ASSERT_EQ(kernel.extend(0, part.data(), size), wanted32) << kernel.name << " " << size;
        for (const Crc16Kernel &kernel : crc16_x25_kernels())
            ASSERT_EQ(kernel.extend(0, part.data(), size), wanted16) << kernel.name << " " << size;
    }
}

TEST(Crc, KernelsAgreeOnRandomStatesAndReadNothingBeyondTheEnd) {
    Random random(2);
    for (int round = 0; round < 300; ++round) {
        const std::size_t size = random.below(round % 10 == 0 ? 20000 : 700);
        const Bytes source = random_octets(random, size);
        // Memory of exactly this size, so that a sanitizer sees what lies beyond.
        const auto exact = std::make_unique<std::uint8_t[]>(size);
        std::copy(source.begin(), source.end(), exact.get());
        const auto before = static_cast<std::uint32_t>(random.next());
        const auto before16 = static_cast<std::uint16_t>(before);
        const std::uint32_t wanted32 = crc32c_kernels()[0].extend(before, exact.get(), size);
        const std::uint16_t wanted16 = crc16_x25_kernels()[0].extend(before16, exact.get(), size);
        for (const Crc32cKernel &kernel : crc32c_kernels())
            ASSERT_EQ(kernel.extend(before, exact.get(), size), wanted32) << kernel.name;
        for (const Crc16Kernel &kernel : crc16_x25_kernels())
            ASSERT_EQ(kernel.extend(before16, exact.get(), size), wanted16) << kernel.name;
    }
}

TEST(Crc, ExtendingIsTheSameAsConcatenating) {
    Random random(3);
    const Bytes data = random_octets(random, 3000);
    const ByteView whole = data;
    for (int round = 0; round < 100; ++round) {
        const std::size_t cut = random.below(whole.size() + 1);
        EXPECT_EQ(crc32c_extend(crc32c(whole.first(cut)), whole.subspan(cut)), crc32c(whole));
        EXPECT_EQ(crc16_x25_extend(crc16_x25(whole.first(cut)), whole.subspan(cut)),
                  crc16_x25(whole));
    }
}

TEST(Crc, FourZeroOctetsBehindTheDataNeedNotBeThere) {
    Random random(6);
    for (int round = 0; round < 300; ++round) {
        Bytes data = random_octets(random, random.below(1500));
        const auto before = static_cast<std::uint32_t>(random.next());
        const std::size_t size = data.size();
        data.resize(size + 4, 0);
        const std::uint32_t wanted = crc32c_extend(before, data);
        for (const Crc32cKernel &kernel : crc32c_kernels())
            ASSERT_EQ(kernel.extend_zeros(before, data.data(), size), wanted) << kernel.name;
        ASSERT_EQ(crc32c_with_zeros(ByteView(data).first(size)), crc32c(data));
    }
}

TEST(Crc, CombiningNeedsOnlyTheLengthOfTheSecondPart) {
    Random random(4);
    const Bytes data = random_octets(random, 5000);
    const ByteView whole = data;
    for (const std::size_t tail : {0U, 1U, 3U, 4U, 5U, 8U, 100U, 4999U, 5000U}) {
        const std::size_t cut = whole.size() - tail;
        const std::uint32_t a = crc32c(whole.first(cut));
        const std::uint32_t b = crc32c(whole.subspan(cut));
        EXPECT_EQ(crc32c_combine(a, b, tail), crc32c(whole)) << tail;
        EXPECT_EQ(Crc32cShift(tail).combine(a, b), crc32c(whole)) << tail;
    }
}

TEST(Crc, CombiningWorksBeyondTheOrderOfTheRegister) {
    // Moving by the order of x (2^31 - 1 bits) moves nothing; this is 8 times as many octets.
    const Crc32cShift nothing(0);
    const Crc32cShift around(0x7fffffffULL);
    EXPECT_EQ(around.combine(0x12345678, 0x9abcdef0), nothing.combine(0x12345678, 0x9abcdef0));
}

TEST(Crc, KernelsMultiplyAlike) {
    Random random(5);
    for (int round = 0; round < 1000; ++round) {
        const auto a = static_cast<std::uint32_t>(random.next());
        const auto b = static_cast<std::uint32_t>(random.next());
        for (const Crc32cKernel &kernel : crc32c_kernels())
            ASSERT_EQ(kernel.multiply(a, b), crc32c_kernels()[0].multiply(a, b)) << kernel.name;
    }
}

TEST(Crc, OffersTheScalarKernelFirst) {
    EXPECT_EQ(crc32c_kernels().front().name, "scalar");
    EXPECT_EQ(crc16_x25_kernels().front().name, "scalar");
}

}  // namespace
}  // namespace farlink::codec::crc_test
