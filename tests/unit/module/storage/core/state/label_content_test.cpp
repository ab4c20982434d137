// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/label_content.hpp"

#include <gtest/gtest.h>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::label_content_test {
namespace {

Bytes whole_label() {
    Bytes label;
    encode_label(bp::ipn_eid(20, 1), bp::ipn_eid(10, 1), label);
    return label;
}

TEST(LabelContent, EachKindIsDistinguished) {
    const Bytes whole = whole_label();
    StripeLabel stripe;
    stripe.count = 2;
    stripe.endpoint = whole;
    FragmentLabel fragment;
    fragment.extent = {10, 20};
    fragment.total_adu_length = 100;
    fragment.endpoint = whole;
    PieceLabel piece;
    piece.offset = 10;
    piece.bundle_bytes = 100;
    piece.endpoint = whole;
    const std::vector<Bytes> labels{{0xff},
                                    whole,
                                    encode_stripe(stripe),
                                    encode_fragment_label(fragment),
                                    encode_piece_label(piece)};
    for (std::size_t kind = 0; kind < labels.size(); ++kind) {
        EXPECT_EQ(content_of(labels[kind]).index(), kind);
        EXPECT_EQ(Bytes(endpoint_in(labels[kind]).begin(), endpoint_in(labels[kind]).end()),
                  kind == 0 ? Bytes{} : whole)
            << kind;
    }
}

TEST(LabelContent, WhatIsNotValidIsNoBundle) {
    const Bytes whole = whole_label();
    PieceLabel piece;
    piece.offset = 100;
    piece.bundle_bytes = 100;
    piece.endpoint = whole;
    for (const Bytes &label : {Bytes{}, Bytes{2}, Bytes{5}, encode_piece_label(piece)}) {
        EXPECT_TRUE(std::holds_alternative<UnknownLabel>(content_of(label)));
        EXPECT_TRUE(endpoint_in(label).empty());
    }
}

TEST(LabelContent, APieceLiesInsideOfItsBundle) {
    PieceLabel piece;
    piece.offset = 90;
    piece.bundle_bytes = 100;
    EXPECT_TRUE(lies_inside(piece, 10));
    EXPECT_FALSE(lies_inside(piece, 11));
    EXPECT_FALSE(lies_inside(piece, 0));
}

}  // namespace
}  // namespace farlink::storage::label_content_test
