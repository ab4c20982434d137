// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/piece_label.hpp"

#include <gtest/gtest.h>

#include "common/bp/eid/eid.hpp"
#include "module/storage/core/fragments/fragment_label.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::piece_label_test {
namespace {

PieceLabel label_of(std::uint64_t offset, std::uint64_t bundle_bytes, ByteView endpoint = {}) {
    return {.offset = offset,
            .bundle_bytes = bundle_bytes,
            .spool = {0x0102030405060708, 0x1112131415161718},
            .bundle = {0x2122232425262728, 0x3132333435363738},
            .endpoint = endpoint};
}

TEST(PieceLabel, WhatIsWrittenIsRead) {
    constexpr std::uint64_t kLarge = 20'000'000'000;
    Bytes endpoint;
    encode_label(bp::ipn_eid(20, 1), endpoint);
    const Bytes octets = encode_piece_label(label_of(kLarge - 5, kLarge, endpoint));
    EXPECT_EQ(octets.size(), kFragmentLabelBytes + endpoint.size());
    const auto label = decode_piece_label(octets);
    ASSERT_TRUE(label);
    EXPECT_EQ(label->offset, kLarge - 5);
    EXPECT_EQ(label->bundle_bytes, kLarge);
    EXPECT_EQ(label->spool, (Hash128{0x0102030405060708, 0x1112131415161718}));
    EXPECT_EQ(label->bundle, (Hash128{0x2122232425262728, 0x3132333435363738}));
    EXPECT_EQ(decode_label(label->endpoint), bp::ipn_eid(20, 1));
}

TEST(PieceLabel, GoldenOctets) {
    const Bytes octets = encode_piece_label(label_of(1, 2, Bytes{0xee}));
    Bytes expected{7};
    for (std::uint8_t number = 1; number <= 2; ++number) {
        expected.insert(expected.end(), 7, 0);
        expected.push_back(number);
    }
    for (const int begin : {0x01, 0x11, 0x21, 0x31})
        for (int at = 0; at < 8; ++at) expected.push_back(static_cast<std::uint8_t>(begin + at));
    expected.push_back(0xee);
    EXPECT_EQ(octets, expected) << "the format of stores: docs/formats/storage_log.md";
}

TEST(PieceLabel, CutAnywhereItIsNotRead) {
    const Bytes octets = encode_piece_label(label_of(100, 1000));
    ASSERT_TRUE(decode_piece_label(octets));
    for (std::size_t size = 0; size < octets.size(); ++size)
        EXPECT_FALSE(decode_piece_label(ByteView(octets).first(size))) << size;
}

TEST(PieceLabel, ThatOfAFragmentIsAnother) {
    EXPECT_FALSE(decode_fragment_label(encode_piece_label(label_of(100, 1000))));
    FragmentLabel fragment;
    fragment.extent = {0, 10};
    fragment.total_adu_length = 20;
    EXPECT_FALSE(decode_piece_label(encode_fragment_label(fragment)));
}

TEST(PieceLabel, APieceBehindTheEndIsRefused) {
    EXPECT_TRUE(decode_piece_label(encode_piece_label(label_of(999, 1000))));
    EXPECT_FALSE(decode_piece_label(encode_piece_label(label_of(1000, 1000))));
    EXPECT_FALSE(decode_piece_label(encode_piece_label(label_of(0, 0))));
}

}  // namespace
}  // namespace farlink::storage::piece_label_test
