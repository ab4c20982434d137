// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/spool_pieces.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::spool_pieces_test {
namespace {

storage::PieceLabel at(std::uint64_t offset, std::uint64_t bundle_bytes = 100) {
    storage::PieceLabel piece;
    piece.offset = offset;
    piece.bundle_bytes = bundle_bytes;
    return piece;
}

TEST(SpoolPieces, AreCompleteInAnyOrder) {
    SpoolPieces pieces;
    EXPECT_FALSE(pieces.complete());
    EXPECT_TRUE(pieces.add(at(60), 40));
    EXPECT_TRUE(pieces.add(at(0), 30));
    EXPECT_FALSE(pieces.complete());
    EXPECT_EQ(pieces.missing(), "bytes 30 to 59");
    EXPECT_TRUE(pieces.add(at(30), 30));
    EXPECT_TRUE(pieces.complete());
    EXPECT_EQ(pieces.missing(), "");
}

TEST(SpoolPieces, NameAllThatIsMissing) {
    SpoolPieces pieces;
    EXPECT_TRUE(pieces.add(at(10), 10));
    EXPECT_TRUE(pieces.add(at(50), 10));
    EXPECT_EQ(pieces.missing(), "bytes 0 to 9, bytes 20 to 49, bytes 60 to 99");
}

TEST(SpoolPieces, ASecondCopyCountsOnce) {
    SpoolPieces pieces;
    EXPECT_TRUE(pieces.add(at(0), 50));
    EXPECT_TRUE(pieces.add(at(0), 50));
    EXPECT_FALSE(pieces.complete());
}

TEST(SpoolPieces, WhatContradictsTheOthersIsRefused) {
    SpoolPieces pieces;
    EXPECT_TRUE(pieces.add(at(40), 20));
    EXPECT_FALSE(pieces.add(at(40), 10)) << "another size";
    EXPECT_FALSE(pieces.add(at(30), 11)) << "into the next one";
    EXPECT_FALSE(pieces.add(at(59), 1)) << "into the one before";
    EXPECT_FALSE(pieces.add(at(60), 41)) << "behind the end";
    EXPECT_FALSE(pieces.add(at(0), 0));
    EXPECT_FALSE(pieces.add(at(0, 200), 10)) << "of a bundle of another size";
    EXPECT_TRUE(pieces.add(at(30), 10));
    EXPECT_TRUE(pieces.add(at(60), 40));
}

}  // namespace
}  // namespace farlink::ctl::spool_pieces_test
