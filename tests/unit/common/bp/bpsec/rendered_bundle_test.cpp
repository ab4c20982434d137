// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/bp/bpsec/rendered_bundle.hpp"

#include <gtest/gtest.h>

#include "tests/support/secured_bundles.hpp"

namespace farlink::rendered_bundle_test {
namespace {

using namespace farlink::test;

TEST(RenderedBundle, ABundleThatDidNotChangeHasItsOctets) {
    const OpenBundle bundle(plain_bundle());
    EXPECT_EQ(bpsec::whole_bundle(bundle.secured), plain_bundle());
}

TEST(RenderedBundle, ThePayloadIsNotCopied) {
    OpenBundle bundle(plain_bundle());
    ASSERT_TRUE(test::sign(bundle, {1}));
    bpsec::RenderedBundle rendered;
    Bytes joined;
    bool payload_found = false;
    for (const ByteView slice : rendered.render(bundle.secured)) {
        append(joined, slice);
        payload_found |= slice.data() == bundle.secured.payload().front().data();
    }
    EXPECT_TRUE(payload_found);
    EXPECT_EQ(joined, bpsec::whole_bundle(bundle.secured));
}

}  // namespace
}  // namespace farlink::rendered_bundle_test
#endif  // FARLINK_TLS
