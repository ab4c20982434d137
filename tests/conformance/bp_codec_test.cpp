// SPDX-License-Identifier: Apache-2.0
// The integers and checksums of the bundle protocols against their vectors, with every kernel.
#include <gtest/gtest.h>

#include "common/bp/v7/block.hpp"
#include "common/codec/crc.hpp"
#include "common/codec/sdnv.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::codec::bp_codec_test {
namespace {

using test::Json;

std::uint64_t number(const Json &text) {
    return std::stoull(text.get<std::string>());
}

TEST(SdnvConformance, Encode) {
    const Json vectors = test::load_vectors("sdnv.json");
    ASSERT_FALSE(vectors["encode"].empty());
    for (const SdnvKernel &kernel : sdnv_kernels())
        for (const Json &item : vectors["encode"]) {
            SCOPED_TRACE(std::string(kernel.name) + " " + item["id"].get<std::string>());
            Bytes octets(kMaxSdnvBytes);
            octets.resize(kernel.encode(number(item["value"]), octets.data()));
            EXPECT_EQ(test::to_hex(octets), item["hex"]);
            EXPECT_EQ(sdnv_size(number(item["value"])), octets.size());
            std::uint64_t value = 0;
            const SdnvRun run = kernel.decode(octets, {&value, 1});
            EXPECT_EQ(run.count, 1U);
            EXPECT_EQ(run.size, octets.size());
            EXPECT_EQ(value, number(item["value"]));
        }
}

TEST(SdnvConformance, Decode) {
    const Json vectors = test::load_vectors("sdnv.json");
    ASSERT_FALSE(vectors["decode"].empty());
    for (const SdnvKernel &kernel : sdnv_kernels())
        for (const Json &item : vectors["decode"]) {
            SCOPED_TRACE(std::string(kernel.name) + " " + item["id"].get<std::string>());
            std::uint64_t value = 0;
            const SdnvRun run = kernel.decode(test::hex_of(item["hex"]), {&value, 1});
            const std::string verdict = item["verdict"];
            if (verdict == "valid" || verdict == "lenient") {
                EXPECT_EQ(run.count, 1U);
                EXPECT_EQ(run.size, item["octets_consumed"]);
                EXPECT_EQ(value, number(item["value"]));
            } else {
                EXPECT_EQ(run.count, 0U);
                EXPECT_EQ(run.error,
                          verdict == "incomplete" ? SdnvError::kTruncated : SdnvError::kTooLarge);
            }
        }
}

TEST(SdnvConformance, Sequences) {
    const Json vectors = test::load_vectors("sdnv.json");
    ASSERT_FALSE(vectors["sequences"].empty());
    for (const SdnvKernel &kernel : sdnv_kernels())
        for (const Json &item : vectors["sequences"]) {
            SCOPED_TRACE(std::string(kernel.name) + " " + item["id"].get<std::string>());
            const Bytes octets = test::hex_of(item["hex"]);
            std::vector<std::uint64_t> values(item["values"].size());
            const SdnvRun run = kernel.decode(octets, values);
            EXPECT_EQ(run.count, values.size());
            EXPECT_EQ(run.size, octets.size());
            for (std::size_t i = 0; i < values.size(); ++i)
                EXPECT_EQ(values[i], number(item["values"][i])) << i;
        }
}

Bytes crc_input(const Json &item) {
    if (item.contains("hex")) return test::hex_of(item["hex"]);
    const auto length = item["length"].get<std::size_t>();
    return test::recipe(length, 31, static_cast<unsigned>(length));
}

TEST(CrcConformance, EveryKernel) {
    const Json vectors = test::load_vectors("crc.json");
    ASSERT_FALSE(vectors["cases"].empty());
    for (const Json &item : vectors["cases"]) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const Bytes input = crc_input(item);
        for (const Crc32cKernel &kernel : crc32c_kernels()) {
            EXPECT_EQ(kernel.extend(0, input.data(), input.size()),
                      std::stoul(item["crc32c"].get<std::string>(), nullptr, 16))
                << kernel.name;
        }
        for (const Crc16Kernel &kernel : crc16_x25_kernels())
            EXPECT_EQ(kernel.extend(0, input.data(), input.size()),
                      std::stoul(item["crc16_x25"].get<std::string>(), nullptr, 16))
                << kernel.name;
    }
}

TEST(CrcConformance, Bpv7Blocks) {
    const Json vectors = test::load_vectors("crc.json");
    ASSERT_FALSE(vectors["bpv7_blocks"].empty());
    for (const Json &item : vectors["bpv7_blocks"]) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const Bytes block = test::hex_of(item["block_hex"]);
        const std::size_t crc_octets = item["crc"].get<std::string>().size() / 2;
        const auto type = crc_octets == 2 ? bp::v7::CrcType::kCrc16 : bp::v7::CrcType::kCrc32c;
        bp::v7::BlockCrc crc(type);
        crc.add(ByteView(block).first(block.size() - crc_octets));
        EXPECT_EQ(crc.finish(false), std::stoul(item["crc"].get<std::string>(), nullptr, 16));
    }
}

}  // namespace
}  // namespace farlink::codec::bp_codec_test
