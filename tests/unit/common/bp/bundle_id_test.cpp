// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bundle_id.hpp"

#include <gtest/gtest.h>

namespace farlink::bp::bundle_id_test {
namespace {

TEST(BundleId, AsText) {
    const BundleId whole{Eid(10, 1), 757'000'000'000, 3, {}};
    EXPECT_EQ(to_string(whole), "ipn:10.1/757000000000/3");

    const BundleId fragment{*Eid::parse("dtn://node/a/camera"), 0, ~std::uint64_t{0},
                            FragmentExtent{1000, 500}};
    EXPECT_EQ(to_string(fragment), "dtn://node/a/camera/0/18446744073709551615/1000+500");

    const BundleId anonymous{Eid(), 5, 6, {}};
    EXPECT_EQ(to_string(anonymous), "dtn:none/5/6");
}

TEST(BundleId, OfAParsedBundle) {
    BundleView view;
    view.source = ipn_eid(10, 1);
    view.creation_time = 7;
    view.sequence = 8;
    view.payload_length = 100;
    EXPECT_EQ(to_string(id_of(view)), "ipn:10.1/7/8");
    view.is_fragment = true;
    view.fragment_offset = 900;
    EXPECT_EQ(to_string(id_of(view)), "ipn:10.1/7/8/900+100");
}

}  // namespace
}  // namespace farlink::bp::bundle_id_test
