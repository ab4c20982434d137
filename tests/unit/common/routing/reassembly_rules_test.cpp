// SPDX-License-Identifier: Apache-2.0
#include "common/routing/reassembly_rules.hpp"

#include <gtest/gtest.h>

namespace farlink::routing::reassembly_rules_test {
namespace {

constexpr NodeNumber kHere{10};

ReassemblyRules rules_for(std::vector<std::string> destinations = {}) {
    config::RoutingConfig config;
    config.reassemble = std::move(destinations);
    return {kHere, config};
}

bp::BundleView fragment_to(const bp::EidView &destination) {
    bp::BundleView fragment;
    fragment.is_fragment = true;
    fragment.source = bp::ipn_eid(5, 1);
    fragment.destination = destination;
    return fragment;
}

TEST(ReassemblyRules, FragmentsForThisNodeAreJoined) {
    const ReassemblyRules rules = rules_for();
    EXPECT_TRUE(rules.is_here(bp::ipn_eid(10, 7)));
    EXPECT_FALSE(rules.is_here(bp::ipn_eid(20, 7)));
    EXPECT_TRUE(rules.joins(fragment_to(bp::ipn_eid(10, 7))));
    EXPECT_FALSE(rules.joins(fragment_to(bp::ipn_eid(20, 7))));
}

TEST(ReassemblyRules, InTransitThoseOfTheConfigurationAre) {
    bp::EidView name;
    name.scheme = bp::EidScheme::kDtn;
    name.name = "//far/files";
    ReassemblyRules rules = rules_for({"ipn:20.*", "ipn:30.1", "dtn://far/*"});
    EXPECT_TRUE(rules.joins(fragment_to(bp::ipn_eid(20, 7))));
    EXPECT_TRUE(rules.joins(fragment_to(bp::ipn_eid(30, 1))));
    EXPECT_FALSE(rules.joins(fragment_to(bp::ipn_eid(30, 2))));
    EXPECT_TRUE(rules.joins(fragment_to(name)));
    rules.set_rules({});
    EXPECT_FALSE(rules.joins(fragment_to(bp::ipn_eid(20, 7))));
    EXPECT_TRUE(rules.joins(fragment_to(bp::ipn_eid(10, 7))));
}

TEST(ReassemblyRules, WholeAndAnonymousBundlesAreNot) {
    const ReassemblyRules rules = rules_for({"ipn:20.*"});
    bp::BundleView bundle = fragment_to(bp::ipn_eid(10, 7));
    bundle.is_fragment = false;
    EXPECT_FALSE(rules.joins(bundle));
    bundle = fragment_to(bp::ipn_eid(10, 7));
    bundle.source = {};
    EXPECT_FALSE(rules.joins(bundle));
}

// Different records may have the same creation timestamp.
TEST(ReassemblyRules, RecordsAreJoinedAtTheDestinationOnly) {
    const ReassemblyRules rules = rules_for({"ipn:20.*"});
    bp::BundleView bundle = fragment_to(bp::ipn_eid(20, 0));
    bundle.is_admin_record = true;
    EXPECT_FALSE(rules.joins(bundle));
    bundle.destination = bp::ipn_eid(10, 0);
    EXPECT_TRUE(rules.joins(bundle));
}

TEST(ReassemblyRules, CustodyIsJoinedAtTheDestinationOnly) {
    const ReassemblyRules rules = rules_for({"ipn:20.*"});
    bp::BundleView bundle = fragment_to(bp::ipn_eid(20, 7));
    bundle.custody_requested = true;
    EXPECT_FALSE(rules.joins(bundle));
    bundle.destination = bp::ipn_eid(10, 7);
    EXPECT_TRUE(rules.joins(bundle));
}

}  // namespace
}  // namespace farlink::routing::reassembly_rules_test
