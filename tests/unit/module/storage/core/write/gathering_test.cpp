// SPDX-License-Identifier: Apache-2.0
// Fragments that storage joins: which, within which limits, and what becomes of the sets that never
// are complete.
#include "module/storage/core/write/gathering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/bp/parse.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v6/builder.hpp"
#include "tests/unit/module/storage/core/write/gathering_fixture.hpp"

namespace farlink::test::gathering_test {
namespace {

using namespace gathering;

TEST_F(GatheringTest, AServiceOfThisNodeGetsTheWholeBundle) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    const auto fragments = cut_at(whole, {100, 200});
    store_all({fragments[0], fragments[1]});
    EXPECT_TRUE(rig_.released.empty());
    EXPECT_EQ(incomplete(), 1U);
    store_all({fragments[2]});
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, whole);
    EXPECT_EQ(rig_.released[0].link, kServicesLink);
}

TEST_F(GatheringTest, TheBundleCountsWhenItHasLeft) {
    rig_.send_at_once = false;
    store_all(cut_at(bundle_of(1, 300, kThisNode), {100, 200}));
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 3U);
    EXPECT_EQ(rig_.count(StorageCounter::kJoined), 0U);
    rig_.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 0U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredBytes), 0U);
    EXPECT_EQ(rig_.count(StorageCounter::kJoined), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kJoinedFragments), 3U);
    EXPECT_EQ(rig_.count(StorageCounter::kReleased), 1U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
    EXPECT_EQ(incomplete(), 0U);
}

TEST_F(GatheringTest, FragmentsComeInAnyOrder) {
    const Bytes whole = bundle_of(1, 1000, kThisNode);
    auto fragments = cut_at(whole, {1, 17, 300, 301, 700});
    std::ranges::reverse(fragments);
    store_all(fragments);
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, whole);
}

// Its batch leaves as soon as it is in it.
TEST_F(GatheringTest, ABundleMayBeLargerThanABatch) {
    rig_.send_at_once = false;
    const Bytes whole = bundle_of(1, 2 * kBatchBytes, kThisNode);
    store_all(cut_at(whole, {kBatchBytes / 2, kBatchBytes}));
    store_all(cut_at(bundle_of(2, 300, kThisNode), {100}));  // takes memory that was given back
    ASSERT_EQ(rig_.lent.size(), 2U);
    Bytes lent;
    for (const ByteView slice : rig_.lent[0]->slices_of(rig_.lent[0]->bundles[0]))
        append(lent, slice);
    EXPECT_EQ(lent, whole);
}

TEST_F(GatheringTest, InTransitTheBundleWaitsForItsLink) {
    const Bytes whole = bundle_of(1, 300, kNode20);
    store_all(cut_at(whole, {100}));
    EXPECT_TRUE(rig_.released.empty());
    open_link20();
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, whole);
    EXPECT_EQ(rig_.released[0].link, kLink20);
}

TEST_F(GatheringTest, OtherFragmentsLeaveAsTheyCame) {
    const auto fragments = cut_at(bundle_of(1, 300, kNode30), {100});
    store_all(fragments);
    EXPECT_EQ(incomplete(), 0U);
    rig_.routes_to_both();
    rig_.link_up(kLink30, kNode30);
    rig_.run_for(kRigMoment);
    ASSERT_EQ(rig_.released.size(), 2U);
    EXPECT_EQ(rig_.released[0].octets, fragments[0]);
}

TEST_F(GatheringTest, AnIncompleteSetIsNeverSent) {
    const auto fragments = cut_at(bundle_of(1, 300, kNode20), {100, 200});
    store_all({fragments[0], fragments[2]});
    open_link20();
    rig_.run_for(seconds(10));
    EXPECT_TRUE(rig_.released.empty());
}

TEST_F(GatheringTest, AFragmentThatComesTwiceCountsOnce) {
    const auto fragments = cut_at(bundle_of(1, 300, kThisNode), {100});
    store_all({fragments[0]});
    EXPECT_EQ(rig_.store_octets(fragments[0]), Outcome::kDuplicate);
    EXPECT_EQ(rig_.count(StorageCounter::kDuplicates), 1U);
}

TEST_F(GatheringTest, TwoCutsOfOneBundleAreJoined) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    const auto one = cut_at(whole, {100, 200});
    const auto other = cut_at(whole, {150});
    store_all({one[0], other[1]});
    EXPECT_TRUE(rig_.released.empty());
    EXPECT_EQ(rig_.store_octets(one[2]), Outcome::kDuplicate);  // [200, 300) is here
    store_all({other[0]});
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, whole);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, AFragmentThatContradictsIsRefused) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    const auto good = cut_at(whole, {100, 200});
    Bytes forged_whole = whole;
    forged_whole[whole.size() - 120] ^= 0xffU;  // byte 181 of the payload
    store_all({good[0], good[1]});
    EXPECT_EQ(rig_.store_octets(cut_at(forged_whole, {150})[1]), Outcome::kContradicts);
    EXPECT_EQ(rig_.store_octets(cut_at(forged_whole, {100, 200})[1]), Outcome::kContradicts);
    store_all({good[2]});
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, whole);
}

TEST_F(GatheringTest, FragmentsOfOneBatchAreCompared) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    Bytes forged = whole;
    forged[whole.size() - 120] ^= 0xffU;
    const std::vector<Bytes> together{cut_at(whole, {100, 200})[1], cut_at(forged, {150})[1],
                                      cut_at(whole, {150})[1]};
    const auto outcomes = rig_.store_together(together);
    EXPECT_EQ(outcomes, (std::vector{Outcome::kStored, Outcome::kContradicts, Outcome::kStored}));
}

TEST_F(GatheringTest, ATotalLengthIsASetOfItsOwn) {
    const Bytes good = bundle_of(1, 300, kThisNode);
    const Bytes longer = bundle_of(1, 400, kThisNode);
    store_all({cut_at(longer, {100})[0]});
    store_all(cut_at(good, {100}));
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, good);
    EXPECT_EQ(incomplete(), 1U);
}

TEST_F(GatheringTest, AnotherDestinationIsASetOfItsOwn) {
    const Bytes good = bundle_of(1, 300, kThisNode);
    store_all({cut_at(bundle_of(1, 300, kNode20), {100})[0]});
    store_all(cut_at(good, {100}));
    ASSERT_EQ(rig_.released.size(), 1U);
    EXPECT_EQ(rig_.released[0].octets, good);
}

// As of ION 4.1: its fragments have extension blocks without a number.
TEST_F(GatheringTest, BlocksWithoutANumberGetOne) {
    const auto fragment = [](std::uint64_t offset) {
        Bytes octets{0x9f, 0x8a, 0x07, 0x01, 0x00};
        for (const std::uint64_t node : {10, 30, 30}) put_ipn(octets, node, 1);
        octets.push_back(0x82);
        put_head(octets, 0, 800'000'001'000);
        for (const std::uint64_t number :
             {std::uint64_t{7}, std::uint64_t{60'000}, offset, std::uint64_t{20}})
            put_head(octets, 0, number);
        append(octets, Bytes{0x85, 0x07, 0x00, 0x00, 0x00, 0x41, 0x05});  // its age is 5 ms
        append(octets, Bytes{0x85, 0x01, 0x01, 0x00, 0x00, 0x4a});
        octets.resize(octets.size() + 10, 0x77);
        octets.push_back(0xff);
        return octets;
    };
    store_all({fragment(0), fragment(10)});
    ASSERT_EQ(rig_.released.size(), 1U);
    const auto view = bp::parse(std::array{ByteView(rig_.released[0].octets)});
    ASSERT_TRUE(view.has_value());
    EXPECT_EQ(view->payload_length, 20U);
    EXPECT_EQ(view->age_ms, 5U);
}

// Each is a good fragment of BPv6, but their blocks together are not those of a bundle.
TEST_F(GatheringTest, WhatMakesNoBundleIsKeptAndNeverSent) {
    const auto make = [](std::uint64_t offset, std::size_t blocks_before,
                         std::size_t blocks_behind) {
        bp::v6::PrimaryFields primary;
        primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsFragment;
        primary.destination = bp::ipn_eid(10, 1);
        primary.source = bp::ipn_eid(30, 1);
        primary.creation_time_s = 800'000'001;
        primary.sequence = 7;
        primary.lifetime_s = 60;
        primary.fragment_offset = offset;
        primary.total_adu_length = 20;
        bp::v6::Builder builder(primary);
        const Bytes age{0x05};
        for (; blocks_before > 0; --blocks_before)
            builder.add_block(bp::v6::kBundleAgeBlock, 0, age);
        builder.add_block(bp::v6::kPayloadBlock, 0, Bytes(10, 0x77));
        for (; blocks_behind > 0; --blocks_behind)
            builder.add_block(bp::v6::kBundleAgeBlock, 0, age);
        return std::move(builder).finish();
    };
    store_all({make(0, 1, 0), make(10, 0, 1)});
    rig_.run_for(seconds(1));
    EXPECT_TRUE(rig_.released.empty());
    EXPECT_EQ(rig_.count(StorageCounter::kDeletedUnreadable), 2U);
    EXPECT_EQ(incomplete(), 0U);
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, SetsOutliveARestart) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    const auto fragments = cut_at(whole, {100, 200});
    SimDirectory directory;
    {
        Rig before(directory, joining());
        EXPECT_EQ(before.store_octets(fragments[0]), Outcome::kStored);
        EXPECT_EQ(before.store_octets(fragments[1]), Outcome::kStored);
    }
    directory.kill();
    Rig after(directory, joining());
    EXPECT_EQ(after.count(StorageCounter::kRestored), 2U);
    EXPECT_EQ(after.count(StorageCounter::kSetsIncomplete), 1U);
    EXPECT_EQ(after.store_octets(fragments[2]), Outcome::kStored);
    ASSERT_EQ(after.released.size(), 1U);
    EXPECT_EQ(after.released[0].octets, whole);
}

TEST_F(GatheringTest, ACompleteSetIsDeliveredAfterARestart) {
    const Bytes whole = bundle_of(1, 300, kThisNode);
    SimDirectory directory;
    {
        Rig before(directory, joining());
        before.send_at_once = false;
        for (const Bytes &fragment : cut_at(whole, {100, 200}))
            EXPECT_EQ(before.store_octets(fragment), Outcome::kStored);
        EXPECT_EQ(before.lent.size(), 1U);  // and it is never answered
    }
    directory.kill();
    Rig after(directory, joining());
    after.run_for(kRigMoment);
    ASSERT_EQ(after.released.size(), 1U);
    EXPECT_EQ(after.released[0].octets, whole);
    after.run_for(seconds(2));
    EXPECT_EQ(after.core().figures().held(), 0U);
}

TEST_F(GatheringTest, WhatWasNotSentWaitsAgain) {
    rig_.send_at_once = false;
    const Bytes whole = bundle_of(1, 300, kNode20);
    store_all(cut_at(whole, {100}));
    open_link20();
    ASSERT_EQ(rig_.lent.size(), 1U);
    rig_.link_down(kLink20, kNode20);
    rig_.set_outcome(0, Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 2U);
    rig_.send_at_once = true;
    rig_.link_up(kLink20, kNode20);
    rig_.run_for(kRigMoment);
    ASSERT_EQ(rig_.released.size(), 2U);
    EXPECT_EQ(rig_.released[1].octets, whole);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, AnIncompleteSetExpiresWithItsBundle) {
    const auto fragments = cut_at(bundle_of(1, 300, kThisNode), {100, 200});
    store_all({fragments[0], fragments[1]});
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 2U);
    EXPECT_EQ(rig_.count(StorageCounter::kSetsExpired), 1U);
    EXPECT_EQ(incomplete(), 0U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, ACompleteSetExpiresOnceForEachFragment) {
    store_all(cut_at(bundle_of(1, 300, kNode20), {100, 200}));
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 3U);
    EXPECT_EQ(rig_.count(StorageCounter::kSetsExpired), 0U);
    EXPECT_EQ(rig_.count(StorageCounter::kJoined), 0U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, TheBundleExpiresWhileItIsLent) {
    rig_.send_at_once = false;
    store_all(cut_at(bundle_of(1, 300, kThisNode), {100}));
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 0U);
    rig_.set_outcome(0, Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 2U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
}

TEST_F(GatheringTest, AnExpiredFragmentIsReported) {
    SimDirectory directory;
    RigOptions options = joining();
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec spec = bundle_numbered(1);
    spec.destination_node = kThisNode.value();
    spec.report_deletion = true;
    spec.lifetime_ms = 60'000;
    const auto fragments = cut_at(encode(spec), {50});
    EXPECT_EQ(rig.store_octets(fragments[0]), Outcome::kStored);
    rig.run_for(seconds(120));
    EXPECT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(GatheringTest, AnUnreadableFragmentMakesTheSetIncomplete) {
    const auto fragments = cut_at(bundle_of(1, 300, kNode20), {100, 200});
    store_all(fragments);
    Bytes &log = directory_.content(directory_.files().front());
    const auto at = std::ranges::search(log, fragments[1]);
    ASSERT_FALSE(at.empty());
    *at.begin() ^= 0xffU;
    open_link20();
    EXPECT_TRUE(rig_.released.empty());
    EXPECT_EQ(rig_.count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(incomplete(), 1U);
    store_all({fragments[1]});
    rig_.run_for(kRigMoment);
    EXPECT_EQ(rig_.released.size(), 1U);
}

TEST_F(GatheringTest, AnOperatorDeletesFragments) {
    store_all(cut_at(bundle_of(1, 300, kNode20), {100, 200}));
    bus::StoreRequest request;
    request.limit = 10;
    const bus::StoreReply listed = rig_.ask_store(request);
    ASSERT_EQ(listed.bundles.size(), 3U);
    EXPECT_EQ(listed.bundles[0].state, bus::StoredState::kGathered);
    request.verb = bus::StoreVerb::kDelete;
    request.bundles = {listed.bundles[1].bundle};
    EXPECT_EQ(rig_.ask_store(request).deleted, 1U);
    EXPECT_EQ(incomplete(), 1U);
    request.bundles.clear();
    EXPECT_EQ(rig_.ask_store(request).deleted, 2U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
    EXPECT_EQ(incomplete(), 0U);
}

TEST_F(GatheringTest, ASetWithOneFragmentIsSmall) {
    SimDirectory directory;
    RigOptions options = joining();
    options.reassembly.sets_per_source = 1'000'000;
    options.segment_bytes = 64 * 1024 * 1024;
    Rig rig(directory, options);
    constexpr std::uint64_t kSets = 20'000;
    const std::uint64_t before = rig.core().figures().index_bytes();
    for (std::uint64_t at = 0; at < kSets; at += 500) {
        std::vector<Bytes> fragments;
        for (std::uint64_t sequence = at; sequence < at + 500; ++sequence)
            fragments.push_back(cut_at(bundle_of(sequence, 100, kThisNode), {50})[0]);
        (void)rig.store_together(fragments);
    }
    EXPECT_EQ(rig.count(StorageCounter::kSetsIncomplete), kSets);
    EXPECT_LT((rig.core().figures().index_bytes() - before) / kSets, 180U);
}

// Random bundles, cut at random places in two ways, repeated and shuffled, over restarts.
TEST_F(GatheringTest, EveryBundleIsJoinedExactly) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 random(seed);
        SimDirectory directory;
        std::vector<Bytes> wholes;
        std::vector<Bytes> fragments;
        for (std::uint64_t sequence = 1; sequence <= 5; ++sequence) {
            wholes.push_back(bundle_of(sequence, 50 + random() % 2000, kThisNode));
            const std::uint64_t payload =
                bp::parse(std::array{ByteView(wholes.back())})->payload_length;
            for (int way = 0; way < 2; ++way) {
                std::vector<std::uint64_t> places;
                for (std::uint64_t at = 1 + random() % 300; at < payload; at += 1 + random() % 300)
                    places.push_back(at);
                for (Bytes &fragment : cut_at(wholes.back(), places))
                    fragments.push_back(std::move(fragment));
            }
        }
        std::ranges::shuffle(fragments, random);
        std::vector<Bytes> joined;
        std::size_t stored = 0;
        while (stored < fragments.size()) {
            Rig rig(directory, joining());
            const std::size_t until = std::min(fragments.size(), stored + 1 + random() % 20);
            for (; stored < until; ++stored) {
                const Outcome outcome = rig.store_octets(fragments[stored]);
                EXPECT_TRUE(outcome == Outcome::kStored || outcome == Outcome::kDuplicate);
            }
            rig.drain();
            for (const Released &each : rig.released) joined.push_back(each.octets);
            directory.close();
        }
        // What comes after its bundle has left begins a set anew, which may be complete as well.
        for (const Bytes &whole : wholes)
            EXPECT_NE(std::ranges::find(joined, whole), joined.end()) << "seed " << seed;
        for (const Bytes &each : joined)
            EXPECT_NE(std::ranges::find(wholes, each), wholes.end()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace farlink::test::gathering_test
