// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/stcp_deframer.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"

namespace farlink::traffic {
namespace {

Bytes octets_of(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    Bytes octets(size);
    for (auto &octet : octets) octet = static_cast<std::uint8_t>(random.next());
    return octets;
}

void append_frame(Bytes &stream, ByteView bundle) {
    std::uint8_t length[4];
    store_be(length, static_cast<std::uint32_t>(bundle.size()));
    append(stream, length);
    append(stream, bundle);
}

/// Feeds `piece` as reads would, and collects the bundles.
void feed(StcpDeframer &frames, ByteView piece, std::vector<Bytes> &bundles) {
    while (!piece.empty()) {
        const MutableBytes space = frames.space();
        ASSERT_FALSE(space.empty());
        const std::size_t size = std::min(space.size(), piece.size());
        std::memcpy(space.data(), piece.data(), size);
        frames.commit(size);
        piece = piece.subspan(size);
        while (const auto bundle = frames.next())
            bundles.emplace_back(bundle->begin(), bundle->end());
    }
}

TEST(StcpDeframer, FindsTheBundlesSplitAtEveryOctet) {
    const std::vector<Bytes> sent{octets_of(1, 1), octets_of(40, 2), octets_of(7, 3)};
    Bytes stream;
    append_frame(stream, sent[0]);
    append_frame(stream, {});
    append_frame(stream, sent[1]);
    append_frame(stream, {});
    append_frame(stream, {});
    append_frame(stream, sent[2]);
    for (std::size_t first = 0; first <= stream.size(); ++first) {
        for (std::size_t second = first; second <= stream.size(); ++second) {
            StcpDeframer frames(64);
            std::vector<Bytes> got;
            feed(frames, ByteView(stream).first(first), got);
            feed(frames, ByteView(stream).subspan(first, second - first), got);
            feed(frames, ByteView(stream).subspan(second), got);
            ASSERT_EQ(got, sent) << first << ' ' << second;
            ASSERT_EQ(frames.unfinished_bytes(), 0U);
            ASSERT_EQ(frames.keep_alives(), 3U);
        }
    }
}

TEST(StcpDeframer, FindsBundlesOfAllSizesInReadsOfAllSizes) {
    Random random(4);
    StcpDeframer frames(8192);
    std::vector<Bytes> sent;
    std::vector<Bytes> got;
    Bytes stream;
    for (std::uint64_t i = 0; i < 300; ++i) {
        // Mostly small, some longer than the buffer is at first.
        const std::uint64_t bound = random.chance(1, 20) ? 200'000 : 3000;
        sent.push_back(octets_of(1 + random.below(bound), i));
        append_frame(stream, sent.back());
    }
    for (ByteView rest(stream); !rest.empty();) {
        const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random.below(10'000));
        feed(frames, rest.first(size), got);
        rest = rest.subspan(size);
    }
    EXPECT_EQ(got, sent);
    EXPECT_EQ(frames.unfinished_bytes(), 0U);
}

TEST(StcpDeframer, KnowsABundleThatWasCutOff) {
    Bytes stream;
    append_frame(stream, octets_of(10, 1));
    StcpDeframer frames(64);
    std::vector<Bytes> got;
    feed(frames, ByteView(stream).first(13), got);
    EXPECT_TRUE(got.empty());
    EXPECT_EQ(frames.unfinished_bytes(), 13U);
}

TEST(StcpDeframer, ReservesNothingForALengthThatIsOnlyClaimed) {
    StcpDeframer frames(64);
    std::vector<Bytes> got;
    const Bytes stream{0xff, 0xff, 0xff, 0xff, 1, 2, 3};
    feed(frames, stream, got);
    EXPECT_TRUE(got.empty());
    EXPECT_LE(frames.space().size(), 64U);
}

}  // namespace
}  // namespace farlink::traffic
