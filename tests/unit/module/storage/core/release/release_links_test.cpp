// SPDX-License-Identifier: Apache-2.0
// How much a link may have in hand.
#include "module/storage/core/release/release_links.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::release_links_test {
namespace {

TEST(ReleaseLinks, TheWindowOfALinkLimitsWhatIsLent) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(bundles_numbered(1, 10, large));
    large.payload_bytes = 5000;  // above the window: it must travel alone
    rig.store(bundles_numbered(11, 11, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    for (int rounds = 0; rounds < 20 && rig.core().figures().held() > 0; ++rounds) {
        rig.run_for(milliseconds(10));
        std::uint64_t bytes = 0, bundles = 0;
        for (const BatchPtr &batch : rig.lent) {
            bytes += batch->bytes;
            bundles += batch->bundles.size();
        }
        EXPECT_TRUE(bytes <= 3000 || bundles == 1) << bytes;
        ASSERT_FALSE(rig.lent.empty());
        rig.set_outcome(0, Outcome::kSent);
    }
    EXPECT_EQ(rig.released.size(), 11U);
}

}  // namespace
}  // namespace farlink::test::release_links_test
