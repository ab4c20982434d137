// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "common/bp/v6/bundle.hpp"

namespace farlink::bp::v6::bundle_test {
namespace {

constexpr std::uint8_t kHello[] = {'H', 'e', 'l', 'l', 'o'};

Bundle example(const EidView &source) {
    PrimaryFields primary;
    primary.flags = kSingletonDestination | kCustodyRequested;
    primary.destination = ipn_eid(20, 2);
    primary.source = source;
    primary.custodian = ipn_eid(10, 0);
    Builder builder(primary);
    builder.add_block(kPayloadBlock, 0, kHello);
    return *decode(std::move(builder).finish());
}

TEST(V6Bundle, AnotherCustodianLeavesTheOtherEndpointsAlone) {
    const EidView ipn = ipn_eid(10, 1);
    const EidView dtn{EidScheme::kDtn, 0, 0, "//a/x"};
    for (const EidView &source : {ipn, dtn})
        for (const EidView &custodian : {ipn_eid(15, 0), EidView{EidScheme::kDtn, 0, 0, "//c/"}}) {
            Bundle bundle = example(source);
            bundle.set_custodian(custodian);
            const auto again = decode(encode(bundle));
            ASSERT_TRUE(again);
            EXPECT_EQ(again->custodian().view(), custodian);
            EXPECT_EQ(again->source().view(), source);
            EXPECT_EQ(again->destination().view(), ipn_eid(20, 2));
        }
}

TEST(V6Bundle, FragmentsOfFragmentsKeepTheirPlace) {
    const Bundle bundle = example(ipn_eid(10, 1));
    const auto parts = fragment(bundle, 3);
    ASSERT_TRUE(parts);
    const auto again = fragment(parts->second, 1);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->first.fragment_offset, 3U);
    EXPECT_EQ(again->second.fragment_offset, 4U);
    EXPECT_EQ(again->second.total_adu_length, 5U);
    EXPECT_EQ(again->second.payload().data, Bytes{'o'});
}

TEST(V6Bundle, EndpointReferencesOfBlocksSurvive) {
    const Bytes references{0x01, 0x00, 0x04};
    Bundle bundle = example({EidScheme::kDtn, 0, 0, "//a/x"});
    bundle.blocks.insert(bundle.blocks.begin(), {222, kHasEidReferences, references, {1, 2, 3}});
    const auto again = decode(encode(bundle));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->blocks[0].references, references);
    EXPECT_EQ(again->blocks[0].data, (Bytes{1, 2, 3}));
}

}  // namespace
}  // namespace farlink::bp::v6::bundle_test
