// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_extent.hpp"

#include <gtest/gtest.h>

#include "tests/support/vectors.hpp"

namespace farlink::cla::ltp::bundle_extent_test {
namespace {

using test::hex_of;
using test::Json;

bool ends_at(ByteView octets, std::size_t piece, std::uint64_t &end) {
    std::vector<ByteView> slices;
    for (std::size_t at = 0; at < octets.size(); at += piece)
        slices.push_back(octets.subspan(at, std::min(piece, octets.size() - at)));
    ChainReader reader(slices);
    if (!skip_bundle(reader)) return false;
    end = reader.position();
    return true;
}

TEST(LtpBundleExtent, EveryValidBundleEndsWhereItEnds) {
    std::size_t bundles = 0;
    for (const char *const file : {"bpv6_bundles.json", "bpv7_bundles.json"}) {
        const Json vectors = test::load_vectors(file);
        for (const Json &vector : vectors.at("decode_cases")) {
            if (vector.at("verdict") != "valid" || !vector.contains("hex")) continue;
            SCOPED_TRACE(vector.at("id").get<std::string>());
            Bytes octets = hex_of(vector.at("hex"));
            const std::size_t size = octets.size();
            std::uint64_t end = 0;
            for (const std::size_t piece : {octets.size(), std::size_t{1}, std::size_t{7}}) {
                ASSERT_TRUE(ends_at(octets, piece, end));
                EXPECT_EQ(end, size);
            }
            for (std::size_t cut = 0; cut < std::min<std::size_t>(size, 300); ++cut)
                ASSERT_FALSE(ends_at(ByteView(octets).first(cut), 64, end)) << "cut to " << cut;
            octets.resize(size + 20, 0x9f);
            ASSERT_TRUE(ends_at(octets, 9, end));
            EXPECT_EQ(end, size);
            ++bundles;
        }
    }
    EXPECT_GT(bundles, 50U);
}

TEST(LtpBundleExtent, OctetsThatAreNoBundleHaveNoEnd) {
    std::uint64_t end = 0;
    const Bytes deep(100, 0x9f);
    EXPECT_FALSE(ends_at(deep, 100, end));
    for (const char *const hex : {"", "06", "42", "ff", "81", "811c", "9b", "9bffffffffffffffff",
                                  "81a0ff", "061080", "5f41", "bf"})
        EXPECT_FALSE(ends_at(test::from_hex(hex), 4, end) && end > test::from_hex(hex).size())
            << hex;
}

}  // namespace
}  // namespace farlink::cla::ltp::bundle_extent_test
