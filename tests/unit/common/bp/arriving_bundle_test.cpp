// SPDX-License-Identifier: Apache-2.0
#include "common/bp/arriving_bundle.hpp"

#include <gtest/gtest.h>

#include <random>

#include "common/bp/v6/block.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/builder.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::bp::arriving_bundle_test {
namespace {

constexpr std::size_t kPayload = 5000;

Bytes bundle_v7(v7::CrcType crc) {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.lifetime_ms = 3600000;
    primary.creation_time_ms = test::kStart;
    return v7::Builder(primary).finish(test::octets_of(kPayload, 1), crc);
}

/// Feeds the bundle in pieces that end at `cuts`, the first of which covers the head.
Result<void, ParseError> feed(ByteView octets, const std::vector<std::size_t> &cuts,
                              std::uint64_t *size = nullptr) {
    ArrivingBundle arriving;
    const ByteView first = octets.first(cuts.front());
    const auto view = arriving.begin({&first, 1});
    if (!view) return fail(view.error());
    if (size != nullptr) *size = view->size;
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
        const ByteView piece = octets.subspan(from, cut - from);
        if (const auto taken = arriving.add({&piece, 1}); !taken) return taken;
        from = cut;
    }
    return arriving.finish();
}

TEST(ArrivingBundle, IsTheSameInAnyPieces) {
    std::mt19937 random(1);
    for (const auto crc : {v7::CrcType::kNone, v7::CrcType::kCrc16, v7::CrcType::kCrc32c}) {
        const Bytes octets = bundle_v7(crc);
        for (int round = 0; round < 200; ++round) {
            std::vector<std::size_t> cuts{100 + random() % 200};
            while (cuts.back() < octets.size())
                cuts.push_back(std::min(octets.size(), cuts.back() + 1 + random() % 2000));
            std::uint64_t size = 0;
            EXPECT_TRUE(feed(octets, cuts, &size));
            EXPECT_EQ(size, octets.size());
        }
        for (std::size_t last = octets.size() - 12; last < octets.size(); ++last)
            EXPECT_TRUE(feed(octets, {200, last, octets.size()})) << "a cut in the tail";
    }
}

TEST(ArrivingBundle, FindsWhatIsWrong) {
    Bytes octets = bundle_v7(v7::CrcType::kCrc32c);
    const std::size_t size = octets.size();
    EXPECT_EQ(feed(octets, {200, size - 1}).error(), ParseError::kTruncated);
    for (const std::size_t at : {std::size_t{300}, size / 2, size - 3}) {
        octets[at] ^= 1;
        EXPECT_EQ(feed(octets, {200, size}).error(), ParseError::kCrcMismatch);
        octets[at] ^= 1;
    }
    octets.back() = 0;
    EXPECT_EQ(feed(octets, {200, size}).error(), ParseError::kNoPayload);
    octets.back() = 0xff;
    octets.push_back(0);
    EXPECT_EQ(feed(octets, {200, size + 1}).error(), ParseError::kTrailingOctets);
    const Bytes text = {'h', 'e', 'l', 'l', 'o'};
    EXPECT_EQ(feed(text, {5}).error(), ParseError::kUnknownVersion);
}

TEST(ArrivingBundle, AsksForAHeadInOnePiece) {
    const Bytes octets = bundle_v7(v7::CrcType::kCrc32c);
    const std::vector<ByteView> slices{ByteView(octets).first(10), ByteView(octets).subspan(10)};
    ArrivingBundle arriving;
    EXPECT_EQ(arriving.begin(slices).error(), ParseError::kHeadNotContiguous);
    EXPECT_EQ(arriving.begin(std::span(slices).first(1)).error(), ParseError::kTruncated);
}

TEST(ArrivingBundle, TakesAVersion6BundleThatEndsWithItsPayload) {
    v6::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.lifetime_s = 3600;
    primary.creation_time_s = 1000;
    v6::Builder builder(primary);
    builder.add_block(v6::kPayloadBlock, 0, test::octets_of(kPayload, 1));
    Bytes octets = std::move(builder).finish();
    EXPECT_TRUE(feed(octets, {300, 301, octets.size()}));
    octets.push_back(0);
    EXPECT_EQ(feed(octets, {300, octets.size()}).error(), ParseError::kTrailingOctets);
}

}  // namespace
}  // namespace farlink::bp::arriving_bundle_test
