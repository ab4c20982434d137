// SPDX-License-Identifier: Apache-2.0
// Routing policies by source hold for what waits in storage, before and after a restart, also of
// records that were written without their source.
#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::source_policies_test {
namespace {

class SourcePolicies : public ::testing::Test {
protected:
    /// By the plan all goes to node 20 by itself; bundles of node 5 are to go by node 30.
    SourcePolicies() {
        config::RoutingPolicy policy;
        policy.source = NodeNumber{5};
        policy.paths = {{kNode30, 1}};
        with_policy.routing.policies = {policy};
    }
    static std::vector<BundleSpec> of_source(std::uint64_t node, std::uint64_t first,
                                             std::uint64_t last) {
        BundleSpec spec;
        spec.source_node = node;
        return bundles_numbered(first, last, spec);
    }
    static void store(Rig &rig, const std::vector<BundleSpec> &bundles) {
        rig.store(bundles);
        rig.run_for(kRigMoment);
    }
    static void open_links(Rig &rig) {
        bus::RouteUpdate update;
        update.routes.push_back({kNode20, {{kNode20, kLink20, 0}}});
        update.neighbours = {{kNode20, kLink20, true}, {kNode30, kLink30, true}};
        rig.core().handle(update, rig.now);
        rig.link_up(kLink20, kNode20);
        rig.link_up(kLink30, kNode30);
        rig.run_for(kRigMoment);
    }
    static std::vector<std::uint64_t> released_by(const Rig &rig, LinkId link) {
        std::vector<std::uint64_t> sequences;
        for (const Released &each : rig.released)
            if (each.link == link) sequences.push_back(each.sequence);
        return sequences;
    }
    static void expect_separate_ways(const Rig &rig) {
        EXPECT_EQ(released_by(rig, kLink20), (std::vector<std::uint64_t>{1, 2, 3}));
        EXPECT_EQ(released_by(rig, kLink30), (std::vector<std::uint64_t>{11, 12}));
        EXPECT_EQ(rig.released.size(), 5U);
    }

    SimDirectory directory;
    RigOptions with_policy;
};

TEST_F(SourcePolicies, HoldForWhatWaits) {
    Rig rig(directory, with_policy);
    store(rig, of_source(7, 1, 3));
    store(rig, of_source(5, 11, 12));
    open_links(rig);
    expect_separate_ways(rig);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(SourcePolicies, HoldAfterARestart) {
    {
        Rig before(directory, with_policy);
        store(before, of_source(7, 1, 3));
        store(before, of_source(5, 11, 12));
        before.drain();
    }
    directory.close();
    Rig after(directory, with_policy);
    open_links(after);
    expect_separate_ways(after);
}

TEST_F(SourcePolicies, HoldForRecordsThatDoNotTellTheirSource) {
    {
        Rig before(directory);
        store(before, of_source(7, 1, 3));
        store(before, of_source(5, 11, 12));
        before.drain();
    }
    directory.close();
    Rig after(directory, with_policy);
    open_links(after);
    expect_separate_ways(after);
    EXPECT_EQ(after.core().figures().held(), 0U);
}

TEST_F(SourcePolicies, RecordsThatTellItAreReadWithoutThem) {
    {
        Rig before(directory, with_policy);
        store(before, of_source(5, 11, 12));
        before.drain();
    }
    directory.close();
    Rig after(directory);
    open_links(after);
    EXPECT_EQ(released_by(after, kLink20), (std::vector<std::uint64_t>{11, 12}));
}

TEST_F(SourcePolicies, AStripedBundleFollowsThemToo) {
    with_policy.stripe_above_bytes = 4096;
    SimDirectory second;
    Rig rig({&directory, &second}, with_policy);
    BundleSpec large = of_source(5, 11, 11).front();
    large.payload_bytes = 20'000;
    store(rig, {large});
    open_links(rig);
    EXPECT_EQ(released_by(rig, kLink30), std::vector<std::uint64_t>{11});
}

TEST_F(SourcePolicies, OtherSourcesShareTheirFlows) {
    Rig rig(directory, with_policy);
    for (std::uint64_t node = 100; node < 200; ++node) store(rig, of_source(node, 1, 1));
    EXPECT_EQ(rig.core().figures().holdings().size(), 1U);
    rig.core().figures().survey_pending();
    EXPECT_EQ(rig.core().figures().held(), 100U);
}

}  // namespace
}  // namespace farlink::test::source_policies_test
