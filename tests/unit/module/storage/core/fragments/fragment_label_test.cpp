// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/fragment_label.hpp"

#include <gtest/gtest.h>

#include "common/bp/eid/eid.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::fragment_label_test {
namespace {

FragmentLabel label_of(std::uint64_t offset, std::uint64_t length, std::uint64_t total,
                       ByteView endpoint = {}) {
    FragmentLabel label;
    label.extent = {offset, length};
    label.total_adu_length = total;
    label.set = {0x0102030405060708, 0x1112131415161718};
    label.source = 0x2122232425262728;
    label.endpoint = endpoint;
    return label;
}

TEST(FragmentLabel, WhatIsWrittenIsRead) {
    Bytes endpoint;
    encode_label(bp::ipn_eid(20, 1), endpoint);
    const Bytes octets = encode_fragment_label(label_of(100, 200, 1000, endpoint));
    EXPECT_EQ(octets.size(), kFragmentLabelBytes + endpoint.size());
    const auto label = decode_fragment_label(octets);
    ASSERT_TRUE(label);
    EXPECT_EQ(label->extent.offset, 100U);
    EXPECT_EQ(label->extent.length, 200U);
    EXPECT_EQ(label->total_adu_length, 1000U);
    EXPECT_EQ(label->set, (Hash128{0x0102030405060708, 0x1112131415161718}));
    EXPECT_EQ(label->source, 0x2122232425262728U);
    EXPECT_EQ(decode_label(label->endpoint), bp::ipn_eid(20, 1));
}

TEST(FragmentLabel, GoldenOctets) {
    const Bytes octets = encode_fragment_label(label_of(1, 2, 3, Bytes{0xee}));
    Bytes expected{6};
    for (std::uint8_t number = 1; number <= 3; ++number) {
        expected.insert(expected.end(), 7, 0);
        expected.push_back(number);
    }
    for (const int begin : {0x01, 0x11, 0x21})
        for (int at = 0; at < 8; ++at) expected.push_back(static_cast<std::uint8_t>(begin + at));
    expected.push_back(0xee);
    EXPECT_EQ(octets, expected) << "the format of stores: docs/formats/storage_log.md";
}

TEST(FragmentLabel, CutAnywhereItIsNotRead) {
    const Bytes octets = encode_fragment_label(label_of(100, 200, 1000));
    ASSERT_TRUE(decode_fragment_label(octets));
    for (std::size_t size = 0; size < octets.size(); ++size)
        EXPECT_FALSE(decode_fragment_label(ByteView(octets).first(size))) << size;
}

TEST(FragmentLabel, ThatOfABundleIsAnother) {
    Bytes endpoint;
    encode_label(bp::ipn_eid(20, 1), endpoint);
    endpoint.resize(100);
    EXPECT_FALSE(decode_fragment_label(endpoint));
}

TEST(FragmentLabel, AnExtentBehindTheEndIsRefused) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    EXPECT_TRUE(decode_fragment_label(encode_fragment_label(label_of(800, 200, 1000))));
    EXPECT_TRUE(decode_fragment_label(encode_fragment_label(label_of(0, kMost, kMost))));
    EXPECT_FALSE(decode_fragment_label(encode_fragment_label(label_of(801, 200, 1000))));
    EXPECT_FALSE(decode_fragment_label(encode_fragment_label(label_of(0, 1001, 1000))));
    EXPECT_FALSE(decode_fragment_label(encode_fragment_label(label_of(kMost, 2, 1000))));
}

}  // namespace
}  // namespace farlink::storage::fragment_label_test
