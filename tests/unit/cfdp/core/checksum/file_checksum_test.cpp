// SPDX-License-Identifier: Apache-2.0
// The checksums of tests/vectors/cfdp_checksum.json, at once, in extents of any order, and by every
// kernel.
#include "cfdp/core/checksum/file_checksum.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cfdp/core/checksum/crc32.hpp"
#include "common/base/random.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/octets.hpp"

namespace farlink::cfdp::file_checksum_test {
namespace {

using nlohmann::json;

struct Column {
    Algorithm algorithm;
    const char *name;
};
constexpr Column kColumns[] = {{Algorithm::kModular, "modular"},
                               {Algorithm::kProximity1, "crc32_proximity1"},
                               {Algorithm::kCrc32c, "crc32c"},
                               {Algorithm::kCrc32, "crc32_ieee"},
                               {Algorithm::kNull, "null"}};

const json &vectors() {
    static const json parsed = [] {
        std::ifstream file(FARLINK_SOURCE_DIR "/tests/vectors/cfdp_checksum.json");
        return json::parse(file);
    }();
    return parsed;
}

std::uint32_t number_of(const json &hex) {
    return static_cast<std::uint32_t>(std::stoul(hex.get<std::string>(), nullptr, 16));
}

Bytes content_of(const json &file) {
    if (file.contains("hex")) return test::from_hex(file["hex"].get<std::string>());
    EXPECT_EQ(file["recipe"], "octet j = (37*j + 11) mod 256");
    Bytes octets(file["length"].get<std::size_t>());
    for (std::size_t j = 0; j < octets.size(); ++j)
        octets[j] = static_cast<std::uint8_t>(37 * j + 11);
    return octets;
}

std::uint32_t checksum_of(Algorithm algorithm, ByteView content) {
    FileChecksum checksum(algorithm);
    checksum.add(0, content);
    return checksum.value(content.size()).value_or(0xdead);
}

TEST(FileChecksum, EveryVector) {
    for (const json &file : vectors()["files"])
        for (const Column &column : kColumns)
            EXPECT_EQ(checksum_of(column.algorithm, content_of(file)), number_of(file[column.name]))
                << file["id"] << ' ' << column.name;
}

TEST(FileChecksum, EverySegmentedVector) {
    for (const json &file : vectors()["segmented"]) {
        for (const Column &column : kColumns) {
            if (!file.contains(column.name)) continue;
            FileChecksum checksum(column.algorithm);
            std::uint32_t sum = 0;
            for (const json &segment : file["segments"]) {
                const Bytes data = test::from_hex(segment["hex"].get<std::string>());
                checksum.add(segment["offset"].get<std::uint64_t>(), data);
                sum += modular_sum(segment["offset"].get<std::uint64_t>(), data);
            }
            if (column.algorithm == Algorithm::kModular) {
                EXPECT_EQ(sum, number_of(file[column.name])) << file["id"];
            }
            if (file.contains("file_hex")) {
                EXPECT_EQ(checksum.value(file["file_hex"].get<std::string>().size() / 2),
                          number_of(file[column.name]))
                    << file["id"] << ' ' << column.name;
            }
        }
    }
}

TEST(FileChecksum, EveryKernelOfCrc32AgreesWithTheDefinition) {
    const Bytes content = test::octets_of(3000, 5);
    for (std::size_t size = 0; size < content.size(); size += size < 600 ? 1 : 97) {
        const ByteView part = ByteView(content).subspan(size % 7, size - size % 7);
        std::uint32_t expected = 0xffffffff;
        for (const std::uint8_t octet : part) {
            expected ^= octet;
            for (int bit = 0; bit < 8; ++bit)
                expected = expected >> 1 ^ ((expected & 1) != 0 ? 0xedb88320U : 0);
        }
        for (const Crc32Kernel &kernel : crc32_kernels())
            EXPECT_EQ(kernel.extend(0, part.data(), part.size()), ~expected)
                << kernel.name << ' ' << size;
    }
}

TEST(FileChecksum, EveryKernelOfProximity1AgreesWithTheDefinition) {
    const Bytes content = test::octets_of(10'000, 6);
    for (std::size_t size = 0; size < content.size(); size += size < 600 ? 1 : 97) {
        const ByteView part = ByteView(content).subspan(size % 7, size - size % 7);
        std::uint32_t expected = 0x12345678;
        for (const std::uint8_t octet : part) {
            expected ^= std::uint32_t{octet} << 24;
            for (int bit = 0; bit < 8; ++bit)
                expected = expected << 1 ^ ((expected >> 31) != 0 ? 0x00a00805U : 0);
        }
        for (const Crc32Kernel &kernel : proximity1_kernels())
            EXPECT_EQ(kernel.extend(0x12345678, part.data(), part.size()), expected)
                << kernel.name << ' ' << size;
    }
}

TEST(FileChecksum, ExtentsInAnyOrderGiveTheSameAsTheWholeFile) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Bytes content = test::octets_of(1 + random.below(5000), seed);
        std::vector<std::size_t> cuts{0, content.size()};
        for (int i = 0; i < 20; ++i) cuts.push_back(random.below(content.size()));
        std::ranges::sort(cuts);
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.emplace_back(cuts[i], cuts[i + 1]);
        for (std::size_t i = parts.size(); i > 1; --i)
            std::swap(parts[i - 1], parts[random.below(i)]);
        for (const Column &column : kColumns) {
            FileChecksum checksum(column.algorithm);
            for (const auto &[begin, end] : parts) {
                // As after a restart in the midst of it.
                FileChecksum restored(column.algorithm);
                for (const auto &part : checksum.parts()) restored.restore(part);
                checksum = restored;
                checksum.add(begin, ByteView(content).subspan(begin, end - begin));
            }
            EXPECT_EQ(checksum.value(content.size()), checksum_of(column.algorithm, content))
                << "seed " << seed << ' ' << column.name;
        }
    }
}

TEST(FileChecksum, AGapHasNoValue) {
    FileChecksum checksum(Algorithm::kCrc32);
    const Bytes octets(10, 1);
    checksum.add(0, octets);
    checksum.add(20, octets);
    EXPECT_FALSE(checksum.value(30));
    EXPECT_FALSE(checksum.value(15));
    checksum.add(10, octets);
    EXPECT_EQ(checksum.value(30), checksum_of(Algorithm::kCrc32, Bytes(30, 1)));
}

TEST(FileChecksum, TypesOfTheRegistry) {
    for (unsigned type = 0; type < 16; ++type)
        EXPECT_EQ(algorithm_of(static_cast<std::uint8_t>(type)).has_value(),
                  type <= 3 || type == 15);
}

}  // namespace
}  // namespace farlink::cfdp::file_checksum_test
