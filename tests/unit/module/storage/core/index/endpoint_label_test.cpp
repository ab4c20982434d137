// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/endpoint_label.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::endpoint_label_test {
namespace {

bp::EidView dtn(std::string_view name) {
    bp::EidView endpoint;
    endpoint.scheme = bp::EidScheme::kDtn;
    endpoint.name = name;
    return endpoint;
}

TEST(EndpointLabel, APairTellsBoth) {
    const bp::EidView all[] = {bp::EidView{}, bp::ipn_eid(20, 1), dtn("//far/away")};
    for (const bp::EidView &destination : all) {
        Bytes alone;
        encode_label(destination, alone);
        EXPECT_EQ(decode_label(alone), destination);
        EXPECT_FALSE(decode_source(alone).has_value());
        for (const bp::EidView &source : all) {
            Bytes pair;
            encode_label(destination, source, pair);
            EXPECT_EQ(decode_label(pair), destination);
            EXPECT_EQ(decode_source(pair), source);
        }
    }
}

TEST(EndpointLabel, WhatIsCutIsNotRead) {
    Bytes pair;
    encode_label(bp::ipn_eid(20, 1), bp::ipn_eid(10, 1), pair);
    for (std::size_t size = 0; size < pair.size(); ++size) {
        EXPECT_FALSE(decode_source(ByteView(pair).first(size)).has_value()) << size;
        if (size < 20) {
            EXPECT_FALSE(decode_label(ByteView(pair).first(size)).has_value()) << size;
        }
    }
}

}  // namespace
}  // namespace farlink::storage::endpoint_label_test
