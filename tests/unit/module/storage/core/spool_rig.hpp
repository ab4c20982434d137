// SPDX-License-Identifier: Apache-2.0
// Bundles that come to a storage core in pieces, and leave it in pieces.
// Plain functions over a Rig; one thread.
// The pieces are small, except for the first one, which has the head.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test {

/// Of a bundle that comes in pieces; the first one has the head.
inline constexpr std::uint64_t kFirstPiece = 3000;
inline constexpr std::uint64_t kFurtherPiece = 2000;

inline BundleSpec spooled_spec(std::uint64_t sequence = 1, std::uint64_t node = 20) {
    BundleSpec spec = bundle_numbered(sequence);
    spec.payload_bytes = 10'000;
    spec.destination_node = node;
    return spec;
}

/// Where its pieces begin, and its end.
inline std::vector<std::uint64_t> piece_bounds(std::uint64_t size) {
    std::vector<std::uint64_t> bounds{0};
    for (std::uint64_t at = kFirstPiece; at < size; at += kFurtherPiece) bounds.push_back(at);
    bounds.push_back(size);
    return bounds;
}

/// Hands over its pieces from number `first` to before number `last`; each is flushed.
inline void store_pieces(Rig &rig, const Bytes &whole, std::uint64_t spool, std::size_t first,
                         std::size_t last) {
    const std::vector<std::uint64_t> bounds = piece_bounds(whole.size());
    for (std::size_t at = first; at < last; ++at) {
        rig.store_piece(whole, spool, bounds[at], bounds[at + 1]);
        rig.run_for(kRigMoment);
    }
}
inline std::size_t piece_count(const Bytes &whole) {
    return piece_bounds(whole.size()).size() - 1;
}
inline void store_spooled(Rig &rig, const Bytes &whole, std::uint64_t spool = 1) {
    rig.piece_outcomes.clear();
    store_pieces(rig, whole, spool, 0, piece_count(whole));
    EXPECT_EQ(rig.piece_outcomes, std::vector<Outcome>(piece_count(whole), Outcome::kStored));
}

/// The octets of every bundle that has left in pieces, to its end; pieces follow one another.
inline std::vector<Bytes> left_in_pieces(const Rig &rig) {
    std::vector<Bytes> all;
    std::uint64_t spool = 0;
    Bytes octets;
    for (const ReleasedPiece &piece : rig.released_pieces) {
        if (piece.octets.empty()) {  // no more of it follows
            EXPECT_EQ(piece.piece.spool, spool);
            spool = 0;
            continue;
        }
        if (piece.piece.first()) {
            octets.clear();
            EXPECT_NE(piece.piece.spool, spool);
            spool = piece.piece.spool;
        }
        EXPECT_EQ(piece.piece.spool, spool);
        EXPECT_EQ(piece.piece.offset, octets.size());
        EXPECT_EQ(piece.bundle.head_end > 0, piece.piece.first());
        EXPECT_EQ(piece.bundle.version, 7);
        append(octets, piece.octets);
        if (piece.piece.last()) all.push_back(octets);
    }
    return all;
}

/// Octets that the store takes of the first disk.
inline std::uint64_t used_bytes(Rig &rig) {
    return rig.core().figures().disk_report(0).used_bytes;
}

}  // namespace farlink::test
