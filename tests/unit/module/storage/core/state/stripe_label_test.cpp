// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/stripe_label.hpp"

#include <gtest/gtest.h>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::stripe_label_test {
namespace {

Bytes label_of_20() {
    bp::EidView endpoint;
    endpoint.scheme = bp::EidScheme::kIpn;
    endpoint.node = 20;
    endpoint.service = 1;
    Bytes label;
    encode_label(endpoint, label);
    return label;
}

StripeLabel second_of_three(ByteView endpoint) {
    StripeLabel label;
    label.number = 1;
    label.count = 3;
    label.writing = 0x01020304;
    label.bundle_bytes = 5'000'000;
    label.disks = {7, 8, 9};
    label.endpoint = endpoint;
    return label;
}

TEST(StripeLabel, ComesBackAsItWas) {
    const Bytes endpoint = label_of_20();
    const Bytes octets = encode_stripe(second_of_three(endpoint));
    EXPECT_EQ(octets.size(), stripe_label_bytes(3) + endpoint.size());
    const auto label = decode_stripe(octets);
    ASSERT_TRUE(label.has_value());
    EXPECT_EQ(label->number, 1U);
    EXPECT_EQ(label->count, 3U);
    EXPECT_EQ(label->writing, 0x01020304U);
    EXPECT_EQ(label->bundle_bytes, 5'000'000U);
    EXPECT_EQ(label->disks[2], 9U);
    EXPECT_TRUE(std::ranges::equal(label->endpoint, endpoint));
}

TEST(StripeLabel, IsNeverTakenForAnEndpointNorAnEndpointForIt) {
    EXPECT_FALSE(decode_stripe(label_of_20()).has_value());
    EXPECT_FALSE(decode_label(encode_stripe(second_of_three(label_of_20()))).has_value());
}

TEST(StripeLabel, WhatMakesNoSenseIsRefused) {
    const Bytes good = encode_stripe(second_of_three({}));
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(decode_stripe(ByteView(good).first(size)).has_value()) << size;
    const auto with = [&good](std::size_t at, std::uint8_t octet) {
        Bytes bad = good;
        bad[at] = octet;
        return decode_stripe(bad).has_value();
    };
    EXPECT_FALSE(with(1, 3)) << "the fourth of three";
    EXPECT_FALSE(with(2, 1)) << "one of one";
    EXPECT_FALSE(with(2, 17)) << "more than there can be disks";
    EXPECT_FALSE(with(8, 1)) << "larger than any bundle";
}

}  // namespace
}  // namespace farlink::storage::stripe_label_test
