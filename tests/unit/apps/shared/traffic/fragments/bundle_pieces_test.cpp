// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/bundle_pieces.hpp"

#include <gtest/gtest.h>

#include "tests/support/octets.hpp"

namespace farlink::traffic::bundle_pieces_test {
namespace {

BundleOptions options_for(std::uint8_t version, std::uint64_t payload_bytes) {
    BundleOptions options;
    options.source = bp::ipn_eid(1, 1);
    options.destination = bp::ipn_eid(2, 1);
    options.version = version;
    options.payload_bytes = payload_bytes;
    return options;
}

/// The same bundle in one piece.
Bytes whole(BundleTemplate &bundles, const Pattern &pattern, const PayloadHeader &header) {
    Bytes octets(BundleTemplate::kHeadRoom);
    octets.resize(bundles.head(header, octets.data()));
    for (std::uint64_t left = bundles.tail_bytes(); left > 0;) {
        const std::uint64_t part = std::min<std::uint64_t>(left, Pattern::kStretch);
        append(octets, pattern.stretch().first(part));
        left -= part;
    }
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer;
    append(octets, ByteView(trailer).first(bundles.trailer(trailer.data())));
    return octets;
}

TEST(BundlePieces, TogetherAreTheBundle) {
    const Pattern pattern(5);
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        for (const std::uint64_t size :
             {std::uint64_t{9'000'000}, 2 * kPieceBytes + PayloadHeader::kBytes}) {
            auto bundles = BundleTemplate::make(options_for(version, size), pattern);
            ASSERT_TRUE(bundles);
            BundlePieces pieces(*bundles, pattern);
            PayloadHeader header;
            header.length_bytes = static_cast<std::uint32_t>(size);
            for (std::uint64_t number = 0; number < 2; ++number) {
                header.sequence = number;
                const Bytes expected = whole(*bundles, pattern, header);
                const std::uint64_t first = number * pieces.per_bundle();
                pieces.begin(header, first);
                EXPECT_EQ(pieces.bundle_bytes(), expected.size());
                Bytes octets;
                std::uint64_t count = 0;
                while (pieces.under_way()) {
                    const TxBundle piece = pieces.next();
                    const std::size_t before = octets.size();
                    append(octets, piece.head);
                    append(octets, piece.body);
                    for (const ByteView slice : piece.rest) append(octets, slice);
                    EXPECT_EQ(piece.size, octets.size() - before);
                    EXPECT_EQ(piece.left, expected.size() - octets.size());
                    EXPECT_EQ(piece.is_further_piece, count > 0);
                    EXPECT_EQ(piece.token, first + count++);
                }
                EXPECT_EQ(count, pieces.per_bundle());
                EXPECT_TRUE(octets == expected);
            }
        }
    }
}

TEST(BundlePieces, NothingIsLeftOfABundleThatIsBrokenOff) {
    const Pattern pattern(5);
    auto bundles = BundleTemplate::make(options_for(7, 9'000'000), pattern);
    BundlePieces pieces(*bundles, pattern);
    pieces.begin({}, 0);
    (void)pieces.next();
    pieces.break_off();
    EXPECT_FALSE(pieces.under_way());
    pieces.begin({}, 100);
    EXPECT_EQ(pieces.next().token, 100U);
}

}  // namespace
}  // namespace farlink::traffic::bundle_pieces_test
