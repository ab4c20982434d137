// SPDX-License-Identifier: Apache-2.0
#include "common/codec/sdnv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "common/base/random.hpp"

namespace farlink::codec::sdnv_test {
namespace {

/// Values of every length, and those next to where a length changes.
std::vector<std::uint64_t> interesting_values() {
    std::vector<std::uint64_t> values{0, 1, std::numeric_limits<std::uint64_t>::max()};
    for (unsigned bit = 1; bit < 64; ++bit) {
        const std::uint64_t power = std::uint64_t{1} << bit;
        values.insert(values.end(), {power - 1, power, power + 1});
    }
    return values;
}

TEST(Sdnv, EveryKernelReadsWhatEveryKernelWrites) {
    for (const std::uint64_t value : interesting_values()) {
        Bytes wanted(kMaxSdnvBytes);
        wanted.resize(sdnv_kernels()[0].encode(value, wanted.data()));
        EXPECT_EQ(wanted.size(), sdnv_size(value));
        for (const SdnvKernel &kernel : sdnv_kernels()) {
            Bytes octets(kMaxSdnvBytes);
            octets.resize(kernel.encode(value, octets.data()));
            EXPECT_EQ(octets, wanted) << kernel.name << " " << value;
            std::uint64_t read = 0;
            const SdnvRun run = kernel.decode(wanted, {&read, 1});
            EXPECT_EQ(run.count, 1U);
            EXPECT_EQ(run.size, wanted.size());
            EXPECT_EQ(read, value) << kernel.name;
        }
        EXPECT_EQ(decode_sdnv(wanted)->value, value);
        Bytes appended;
        append_sdnv(appended, value);
        EXPECT_EQ(appended, wanted);
    }
}

TEST(Sdnv, EveryPrefixIsTruncated) {
    for (const std::uint64_t value : interesting_values()) {
        Bytes octets;
        append_sdnv(octets, value);
        for (std::size_t size = 0; size < octets.size(); ++size)
            EXPECT_EQ(decode_sdnv(ByteView(octets).first(size)).error(), SdnvError::kTruncated);
    }
}

TEST(Sdnv, LeadingZeroOctetsAreReadUpToTenOctets) {
    for (const SdnvKernel &kernel : sdnv_kernels())
        for (std::size_t zeros = 0; zeros < 12; ++zeros) {
            Bytes octets(zeros, 0x80);
            octets.push_back(0x05);
            std::uint64_t value = 0;
            const SdnvRun run = kernel.decode(octets, {&value, 1});
            EXPECT_EQ(run.count, zeros < kMaxSdnvBytes ? 1U : 0U) << kernel.name << zeros;
            if (run.count == 1) {
                EXPECT_EQ(value, 5U);
            } else {
                EXPECT_EQ(run.error, SdnvError::kTooLarge);
            }
        }
}

TEST(Sdnv, KernelsAgreeOnRandomOctets) {
    Random random(7);
    for (int round = 0; round < 5000; ++round) {
        const std::size_t size = random.below(40);
        const auto exact = std::make_unique<std::uint8_t[]>(size);
        for (std::size_t i = 0; i < size; ++i)
            exact[i] = static_cast<std::uint8_t>(random.next() | (random.chance(2, 3) ? 0x80 : 0));
        const ByteView octets(exact.get(), size);
        std::vector<std::uint64_t> wanted(8);
        const SdnvRun reference = sdnv_kernels()[0].decode(octets, wanted);
        for (const SdnvKernel &kernel : sdnv_kernels()) {
            std::vector<std::uint64_t> values(8);
            const SdnvRun run = kernel.decode(octets, values);
            ASSERT_EQ(run.count, reference.count) << kernel.name;
            ASSERT_EQ(run.size, reference.size) << kernel.name;
            if (run.count < values.size()) {
                ASSERT_EQ(run.error, reference.error) << kernel.name;
            }
            for (std::size_t i = 0; i < run.count; ++i) ASSERT_EQ(values[i], wanted[i]);
        }
    }
}

}  // namespace
}  // namespace farlink::codec::sdnv_test
