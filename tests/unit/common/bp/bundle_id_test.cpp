// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bundle_id.hpp"

#include <gtest/gtest.h>

namespace farlink::bp {
namespace {

TEST(BundleId, IsWrittenAndReadAgain) {
    const BundleId whole{Eid(10, 1), 757'000'000'000, 3, {}};
    EXPECT_EQ(to_string(whole), "ipn:10.1/757000000000/3");
    EXPECT_EQ(parse_bundle_id(to_string(whole)), whole);

    const BundleId fragment{*Eid::parse("dtn://node/a/camera"), 0, ~std::uint64_t{0},
                            FragmentExtent{1000, 500}};
    EXPECT_EQ(to_string(fragment), "dtn://node/a/camera/0/18446744073709551615/1000+500");
    EXPECT_EQ(parse_bundle_id(to_string(fragment)), fragment);

    const BundleId anonymous{Eid(), 5, 6, {}};
    EXPECT_EQ(to_string(anonymous), "dtn:none/5/6");
    EXPECT_EQ(parse_bundle_id(to_string(anonymous)), anonymous);
}

TEST(BundleId, AnEndpointWhoseServiceLooksLikeNumbersIsNoPartOfTheTime) {
    const auto id = parse_bundle_id("dtn://node/1/2/3");
    ASSERT_TRUE(id);
    EXPECT_EQ(id->source.to_string(), "dtn://node/1");
    EXPECT_EQ(id->creation_time, 2);
    EXPECT_EQ(id->sequence, 3);
}

TEST(BundleId, RefusesWhatIsNone) {
    for (const char *text :
         {"", "/", "ipn:10.1", "ipn:10.1/5", "ipn:10.1//3", "ipn:10.1/5/", "ipn:10.1/5/-3",
          "ipn:10.1/5/3x", "ipn:10.1/5/3/1000+", "ipn:10.1/5/3/+500", "ipn:10.1/5/3/1000",
          "ipn:10.1/5/18446744073709551616", "other:10.1/5/3", "10.1/5/3", "ipn:10.1/3/1000+500"})
        EXPECT_FALSE(parse_bundle_id(text)) << text;
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
}  // namespace farlink::bp
