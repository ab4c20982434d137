// SPDX-License-Identifier: Apache-2.0
// What storage reports of the bundles that it holds for each node.
#include "module/storage/core/upkeep/pending_survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "module/storage/core/index/endpoint_label.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::pending_survey_test {
namespace {

using storage::PendingSurvey;

PendingSurvey::Result survey(Rig &rig) {
    rig.core().figures().survey_pending();
    for (;;)
        if (auto result = rig.core().figures().poll_survey()) return std::move(*result);
}

std::uint64_t octets_of(const BundleSpec &spec) {
    return encode(spec).size();
}

TEST(PendingSurvey, CountsWhatIsHeldForEachNode) {
    SimDirectory disk;
    Rig rig(disk);
    const BundleSpec early{.destination_node = 20, .sequence = 1, .lifetime_ms = 500'000};
    const BundleSpec late{.destination_node = 20, .sequence = 2, .priority = Priority::kBulk};
    const BundleSpec elsewhere{.destination_node = 30, .sequence = 3, .payload_bytes = 5000};
    const BundleSpec by_name{.destination_node = 0, .sequence = 4};
    rig.store({early, late, elsewhere, by_name});
    rig.run_for(kRigMoment);
    const PendingSurvey::Result result = survey(rig);
    EXPECT_EQ(result.destinations, 3U);
    ASSERT_EQ(result.pending.size(), 3U);
    EXPECT_EQ(result.pending[0].destination, NodeNumber{0});
    EXPECT_EQ(as_text(result.pending[0].name), "dtn://far/");
    EXPECT_EQ(result.pending[0].bundles, 1U);
    EXPECT_EQ(result.pending[1].destination, NodeNumber{20});
    EXPECT_EQ(result.pending[1].bundles, 2U);
    EXPECT_EQ(result.pending[1].bytes, octets_of(early) + octets_of(late));
    EXPECT_EQ(result.pending[1].next_expiry, early.created + early.lifetime_ms);
    EXPECT_EQ(result.pending[2].destination, NodeNumber{30});
    EXPECT_EQ(result.pending[2].bytes, octets_of(elsewhere));
    EXPECT_EQ(result.pending[2].custody_bundles, 0U);
}

TEST(PendingSurvey, TheEndpointsOfANodeMakeOneRow) {
    storage::DestinationTable table;
    const auto hold = [&table](std::uint64_t node, std::uint64_t service, std::uint64_t bytes) {
        const bp::EidView endpoint = bp::ipn_eid(node, service);
        Bytes label;
        storage::encode_label(endpoint, label);
        const auto flow = table.find_or_add(label, endpoint, Priority::kNormal);
        table.hold(flow);
        table.count(flow, bytes, false, true);
    };
    for (const std::uint64_t node : {30, 20, 40, 20}) hold(node, table.size() + 1, 100);
    const storage::EntryTable none;
    PendingSurvey survey;
    survey.start();
    const auto few = survey.step(table, none);
    ASSERT_TRUE(few);
    EXPECT_EQ(few->destinations, 3U);
    ASSERT_EQ(few->pending.size(), 3U);
    EXPECT_EQ(few->pending[0].destination, NodeNumber{20});
    EXPECT_EQ(few->pending[0].bundles, 2U);
    EXPECT_EQ(few->pending[0].bytes, 200U);
    EXPECT_EQ(few->pending[2].destination, NodeNumber{40});
    for (std::uint64_t node = 2000; node > 1000; --node) hold(node, 1, 1);
    survey.start();
    const auto many = survey.step(table, none);
    ASSERT_TRUE(many);
    EXPECT_EQ(many->destinations, 1003U);
    ASSERT_EQ(many->pending.size(), PendingSurvey::kMostNodes);
    EXPECT_EQ(many->pending[0].destination, NodeNumber{20}) << "it has most bundles";
    EXPECT_TRUE(std::ranges::is_sorted(many->pending, {}, &bus::PendingReport::destination));
}

TEST(PendingSurvey, NodesWithoutANumberHaveARowEach) {
    storage::DestinationTable table;
    const std::string odd = "dtn://od d\xff/x";
    const std::string endless = "dtn://" + std::string(1000, 'n') + "/x";
    for (const std::string &name :
         {std::string("dtn://seven/inbox"), std::string("dtn://seven/ping"),
          std::string("dtn://eight/"), std::string("dtn:flat"), odd, endless}) {
        const bp::EidView endpoint{bp::EidScheme::kDtn, 0, 0, std::string_view(name).substr(4)};
        Bytes label;
        storage::encode_label(endpoint, label);
        const auto flow = table.find_or_add(label, endpoint, Priority::kNormal);
        table.hold(flow);
        table.count(flow, 100, false, true);
    }
    const storage::EntryTable none;
    PendingSurvey survey;
    survey.start();
    const auto found = survey.step(table, none);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->destinations, 5U);
    std::vector<std::string> names;
    for (const bus::PendingReport &row : found->pending) {
        EXPECT_EQ(row.destination, NodeNumber{});
        names.emplace_back(as_text(row.name));
    }
    ASSERT_EQ(names.size(), 5U);
    EXPECT_EQ(names[0], "dtn://eight/");
    EXPECT_EQ(names[1], "dtn://" + std::string(194, 'n')) << "cut";
    EXPECT_EQ(names[2], "dtn://od?d?/");
    EXPECT_EQ(names[3], "dtn://seven/");
    EXPECT_EQ(found->pending[3].bundles, 2U);
    EXPECT_EQ(names[4], "dtn:flat");
}

TEST(PendingSurvey, WhatHasGoneIsNotHeld) {
    SimDirectory disk;
    Rig rig(disk);
    rig.store(bundles_numbered(1, 10));
    rig.run_for(kRigMoment);
    EXPECT_EQ(survey(rig).pending.at(0).bundles, 10U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    EXPECT_TRUE(survey(rig).pending.empty());
    EXPECT_EQ(rig.released.size(), 10U);
}

TEST(PendingSurvey, WhatIsBeingSentExpiresToo) {
    SimDirectory disk;
    Rig rig(disk);
    rig.send_at_once = false;
    const BundleSpec one{.destination_node = 20, .sequence = 1, .lifetime_ms = 500'000};
    rig.store({one});
    rig.run_for(kRigMoment);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    const PendingSurvey::Result result = survey(rig);
    ASSERT_EQ(result.pending.size(), 1U);
    EXPECT_EQ(result.pending[0].bundles, 1U);
    EXPECT_EQ(result.pending[0].next_expiry, one.created + one.lifetime_ms);
}

TEST(PendingSurvey, ARestartFindsTheSame) {
    SimDirectory disk;
    PendingSurvey::Result before;
    {
        Rig rig(disk);
        rig.store(bundles_numbered(1, 7));
        rig.run_for(kRigMoment);
        before = survey(rig);
        rig.drain();
    }
    disk.close();
    Rig rig(disk);
    const PendingSurvey::Result after = survey(rig);
    EXPECT_EQ(after.pending, before.pending);
}

TEST(PendingSurvey, OnlyWhatHasChangedIsCountedAgain) {
    SimDirectory disk;
    Rig rig(disk);
    rig.store(bundles_numbered(1, 2));
    rig.run_for(kRigMoment);
    (void)survey(rig);
    rig.core().figures().survey_pending();
    EXPECT_FALSE(rig.core().figures().poll_survey().has_value());
    rig.store(bundles_numbered(3, 3));
    rig.run_for(kRigMoment);
    EXPECT_EQ(survey(rig).pending.at(0).bundles, 3U);
}

TEST(PendingSurvey, OfVeryManyNodesTheFullestAreReported) {
    storage::DestinationTable destinations;
    storage::EntryTable entries;
    const std::uint64_t nodes = 2 * PendingSurvey::kAtOnce;
    for (std::uint64_t node = 1; node <= nodes; ++node) {
        const std::string label = std::to_string(node);
        const auto flow =
            destinations.find_or_add(as_bytes(label), bp::ipn_eid(node, 1), Priority::kNormal);
        destinations.hold(flow);
        const std::uint64_t bundles = node > nodes - PendingSurvey::kMostNodes ? 2 : 1;
        for (std::uint64_t i = 0; i < bundles; ++i) destinations.count(flow, 10, i == 0, true);
    }
    PendingSurvey counting;
    counting.start();
    EXPECT_FALSE(counting.step(destinations, entries)) << "not all at once";
    const auto result = counting.step(destinations, entries);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(counting.running());
    EXPECT_EQ(result->destinations, nodes);
    ASSERT_EQ(result->pending.size(), PendingSurvey::kMostNodes);
    for (const bus::PendingReport &one : result->pending) {
        EXPECT_EQ(one.bundles, 2U);
        EXPECT_EQ(one.bytes, 20U);
        EXPECT_EQ(one.custody_bundles, 1U);
        EXPECT_EQ(one.next_expiry, kDtnNever) << "none waits";
    }
    EXPECT_EQ(result->pending.back().destination, NodeNumber{nodes});
}

}  // namespace
}  // namespace farlink::test::pending_survey_test
