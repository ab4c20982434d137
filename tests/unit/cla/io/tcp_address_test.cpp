// SPDX-License-Identifier: Apache-2.0
#include "cla/io/tcp_address.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcp_address_test {
namespace {

TEST(ResolveNow, TakesAddressesOfBothFamilies) {
    boost::asio::io_context io;
    boost::system::error_code error;
    const auto four = resolve_now(io, {"stcp", "127.0.0.1", 4556, {}}, error);
    ASSERT_TRUE(four.has_value());
    EXPECT_EQ(four->address().to_string(), "127.0.0.1");
    EXPECT_EQ(four->port(), 4556);
    const auto six = resolve_now(io, {"stcp", "::1", 0, {}}, error);
    ASSERT_TRUE(six.has_value());
    EXPECT_TRUE(six->address().is_v6());
}

TEST(ResolveNow, HasNoAddressForNonsense) {
    boost::asio::io_context io;
    boost::system::error_code error;
    EXPECT_FALSE(resolve_now(io, {"stcp", "not a host name", 1, {}}, error).has_value());
    EXPECT_TRUE(error) << "why";
}

}  // namespace
}  // namespace farlink::cla::tcp_address_test
