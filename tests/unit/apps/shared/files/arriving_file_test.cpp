// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/arriving_file.hpp"

#include <gtest/gtest.h>

namespace farlink::files::arriving_file_test {
namespace {

const Bytes kData(100, 'x');

Piece piece_of(std::uint64_t offset, std::size_t size) {
    Piece piece;
    piece.name = "name";
    piece.size = 100;
    piece.offset = offset;
    piece.data = ByteView(kData).first(size);
    return piece;
}

TEST(ArrivingFile, PiecesInAnyOrderAndTwice) {
    ArrivingFile file(piece_of(40, 20));
    for (const auto &[offset, size] : {std::pair{40, 20}, {90, 10}, {40, 20}, {0, 41}, {55, 35}}) {
        EXPECT_FALSE(file.complete());
        EXPECT_EQ(file.wrong_piece(
                      piece_of(static_cast<std::uint64_t>(offset), static_cast<std::size_t>(size))),
                  "");
        file.add(piece_of(static_cast<std::uint64_t>(offset), static_cast<std::size_t>(size)));
    }
    EXPECT_EQ(file.octets(), 100U);
    EXPECT_FALSE(file.complete());  // without a digest
    Piece last = piece_of(100, 0);
    last.digest.emplace().fill(1);
    file.add(last);
    EXPECT_TRUE(file.complete());
}

TEST(ArrivingFile, ARestartContinues) {
    ArrivingFile file(piece_of(0, 10));
    file.add(piece_of(0, 10));
    Piece last = piece_of(90, 10);
    last.digest.emplace().fill(1);
    file.add(last);
    Bytes records = file.take_records();
    EXPECT_TRUE(file.take_records().empty());
    auto again = ArrivingFile::load(records);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->name(), "name");
    EXPECT_EQ(again->size(), 100U);
    EXPECT_EQ(again->digest(), last.digest);
    EXPECT_EQ(again->first_gap(), 10U);
    EXPECT_EQ(again->missing(piece_of(0, 100)), (std::vector<Extent>{{10, 90}}));
    again->add(piece_of(10, 80));
    EXPECT_TRUE(again->complete());
    records.resize(records.size() - 1);  // a torn end
    again = ArrivingFile::load(records);
    ASSERT_TRUE(again.has_value());
    EXPECT_FALSE(again->digest().has_value());
    EXPECT_FALSE(ArrivingFile::load({}).has_value());
}

TEST(ArrivingFile, PiecesOfSomethingElse) {
    ArrivingFile file(piece_of(0, 10));
    Piece first = piece_of(0, 10);
    first.digest.emplace().fill(1);
    file.add(first);
    Piece other = piece_of(10, 10);
    other.name = "other";
    EXPECT_NE(file.wrong_piece(other), "");
    other = piece_of(10, 10);
    other.size = 101;
    EXPECT_NE(file.wrong_piece(other), "");
    other = piece_of(10, 10);
    other.digest.emplace().fill(2);
    EXPECT_NE(file.wrong_piece(other), "");
}

TEST(ArrivingFile, ExtentsAreBounded) {
    Piece piece = piece_of(0, 1);
    piece.size = 1'000'000;
    ArrivingFile file(piece);
    for (std::size_t number = 0; number < ArrivingFile::kMostExtents; ++number) {
        piece.offset = 2 * number;
        ASSERT_EQ(file.wrong_piece(piece), "");
        file.add(piece);
    }
    EXPECT_EQ(file.wrong_piece(piece), "");  // a repeat
    piece.offset += 2;
    EXPECT_NE(file.wrong_piece(piece), "");
}

}  // namespace
}  // namespace farlink::files::arriving_file_test
