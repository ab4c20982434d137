// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/file_adu.hpp"

#include <gtest/gtest.h>

namespace farlink::files::file_adu_test {
namespace {

Piece piece_of(ByteView data) {
    Piece piece;
    piece.transfer.fill(7);
    piece.name = "folder/name";
    piece.attributes = {0640, -5, 999'999'999};
    piece.size = 1000;
    piece.offset = 900;
    piece.data = data;
    return piece;
}

Bytes encode(const Piece &piece) {
    Bytes octets;
    append_piece_head(octets, piece);
    EXPECT_EQ(octets.size(), piece_head_bytes(piece.name));
    append(octets, piece.data);
    return octets;
}

TEST(FileAdu, APiece) {
    const Bytes data(100, 'x');
    Piece piece = piece_of(data);
    for (const bool with_digest : {false, true}) {
        if (with_digest) piece.digest.emplace().fill(9);
        const Bytes octets = encode(piece);
        const auto decoded = decode_adu(octets);
        ASSERT_TRUE(decoded.has_value()) << decoded.error();
        const auto &read = std::get<Piece>(*decoded);
        EXPECT_EQ(read.transfer, piece.transfer);
        EXPECT_EQ(read.name, piece.name);
        EXPECT_EQ(read.attributes, piece.attributes);
        EXPECT_EQ(read.size, piece.size);
        EXPECT_EQ(read.extent(), (Extent{900, 1000}));
        EXPECT_EQ(read.digest, piece.digest);
        EXPECT_EQ(as_text(read.data), as_text(data));
    }
}

TEST(FileAdu, SeveralEntries) {
    const Bytes data(5, 'x');
    Bytes octets;
    begin_entries(octets);
    append_entry(octets, {.name = "folder", .attributes = {.mode = 0755}, .folder = true});
    append_entry(octets, {.name = "folder/file", .attributes = {0600, 1, 2}, .data = data});
    append_entry(octets, {.name = "empty"});
    const auto decoded = decode_adu(octets);
    ASSERT_TRUE(decoded.has_value()) << decoded.error();
    const auto &read = std::get<Entries>(*decoded);
    ASSERT_EQ(read.size(), 3U);
    EXPECT_TRUE(read[0].folder);
    EXPECT_EQ(read[0].attributes.mode, 0755U);
    EXPECT_EQ(read[1].name, "folder/file");
    EXPECT_EQ(read[1].data.size(), 5U);
    EXPECT_EQ(read[1].attributes, (Attributes{0600, 1, 2}));
    EXPECT_EQ(read[2].data.size(), 0U);
}

TEST(FileAdu, CutsAreNoticed) {
    const Bytes data(3, 'x');
    const Bytes piece = encode(piece_of(data));
    for (std::size_t size = 0; size < piece.size() - data.size(); ++size)
        EXPECT_FALSE(decode_adu(ByteView(piece).first(size)).has_value()) << size;
    Bytes entries;
    begin_entries(entries);
    const std::size_t begin = entries.size();
    append_entry(entries, {.name = "file", .data = data});
    for (std::size_t size = begin + 1; size < entries.size(); ++size)
        EXPECT_FALSE(decode_adu(ByteView(entries).first(size)).has_value()) << size;
}

TEST(FileAdu, LiesAreNoticed) {
    const Bytes data(3, 'x');
    const auto wrong = [&](auto change) {
        Piece piece = piece_of(data);
        change(piece);
        return !decode_adu(encode(piece)).has_value();
    };
    EXPECT_FALSE(wrong([](Piece &) {}));
    EXPECT_TRUE(wrong([](Piece &piece) { piece.offset = 998; }));
    EXPECT_TRUE(wrong([](Piece &piece) { piece.offset = ~std::uint64_t{0}; }));
    EXPECT_TRUE(wrong([](Piece &piece) { piece.size = ~std::uint64_t{0}; }));
    EXPECT_TRUE(wrong([](Piece &piece) { piece.attributes.mtime_ns = 1'000'000'000; }));
    for (const std::size_t octet : {0U, 4U, 5U, 6U, 7U}) {
        Bytes octets = encode(piece_of(data));
        octets[octet] ^= 0x80;
        EXPECT_FALSE(decode_adu(octets).has_value()) << octet;
    }
}

}  // namespace
}  // namespace farlink::files::file_adu_test
