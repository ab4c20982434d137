// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_keys.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::zmq_bus_keys_test {
namespace {

TEST(ZmqBusKeys, OneHalfTellsTheOther) {
    const auto made = make_curve_keys();
    ASSERT_TRUE(made.has_value());
    const auto read = curve_keys_of(made->secret_key);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->public_key, made->public_key);
    EXPECT_EQ(read->secret_key, made->secret_key);
    EXPECT_NE(make_curve_keys()->secret_key, made->secret_key);
}

TEST(ZmqBusKeys, WhatIsNoKeyIsRefused) {
    EXPECT_FALSE(curve_keys_of("").has_value());
    EXPECT_FALSE(curve_keys_of(std::string(39, 'a')).has_value());
    EXPECT_FALSE(curve_keys_of(std::string(41, 'a')).has_value());
    EXPECT_FALSE(curve_keys_of(std::string(40, '~')).has_value());
}

}  // namespace
}  // namespace farlink::bus::zmq_bus_keys_test
