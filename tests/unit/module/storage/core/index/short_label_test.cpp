// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/short_label.hpp"

#include <gtest/gtest.h>

#include <string>

#include "module/storage/core/index/endpoint_label.hpp"
#include "tests/support/heap_bytes.hpp"

namespace farlink::storage::short_label_test {
namespace {

TEST(ShortLabel, HasWhatItWasGiven) {
    EXPECT_EQ(ShortLabel().text(), "");
    for (const std::size_t size : {0, 1, 21, 22, 23, 1000, 65535}) {
        const std::string text(size, 'x');
        EXPECT_EQ(ShortLabel(text).text(), text);
    }
}

TEST(ShortLabel, ThatOfAnIpnEndpointNeedsNoMemory) {
    Bytes label;
    encode_label(bp::ipn_eid(~std::uint64_t{0}, ~std::uint64_t{0}), label);
    const std::size_t before = test::heap_bytes();
    const ShortLabel kept(as_text(label));
    EXPECT_EQ(test::heap_bytes(), before);
    EXPECT_EQ(kept.text(), as_text(label));
}

}  // namespace
}  // namespace farlink::storage::short_label_test
