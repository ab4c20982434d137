// SPDX-License-Identifier: Apache-2.0
// `storage sets`: the bundles of which fragments are stored.
#include <gtest/gtest.h>

#include <set>

#include "common/bp/fragment.hpp"
#include "module/storage/core/queries/stored_bundle_queries.hpp"
#include "tests/unit/module/storage/core/queries/store_requests.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::stored_sets_test {
namespace {

using bus::StoredState;
using bus::StoreReply;
using bus::StoreRequest;
using bus::StoreVerb;
using storage::StoredBundleQueries;

class StoredSetsTest : public ::testing::Test {
protected:
    static RigOptions joining() {
        RigOptions options;
        options.custody.node = NodeNumber{10};
        options.routing.reassemble = {"ipn:20.*", "ipn:30.*"};
        return options;
    }
    /// Bundle `sequence` in so many fragments with 100 octets of payload each.
    static std::vector<Bytes> fragments_of(std::uint64_t sequence, std::size_t count,
                                           std::uint64_t node = 20) {
        BundleSpec spec = bundle_numbered(sequence);
        spec.payload_bytes = 100 * count;
        spec.destination_node = node;
        spec.lifetime_ms = 60'000;
        std::vector<Bytes> fragments;
        Bytes rest = encode(spec);
        while (fragments.size() + 1 < count) {
            auto parts = bp::fragment(rest, 100);
            fragments.push_back(std::move(parts->first));
            rest = std::move(parts->second);
        }
        fragments.push_back(std::move(rest));
        return fragments;
    }
    void store(const Bytes &fragment) { EXPECT_EQ(rig.store_octets(fragment), Outcome::kStored); }
    StoreReply sets(std::string_view destination = {}) {
        return rig.ask_store(store_request(StoreVerb::kSets, destination));
    }

    SimDirectory directory;
    Rig rig{directory, joining()};
};

TEST_F(StoredSetsTest, AnIncompleteSetIsListedWithWhatIsMissing) {
    const auto fragments = fragments_of(7, 4);
    store(fragments[1]);
    store(fragments[3]);
    const StoreReply reply = sets();
    EXPECT_EQ(reply.id, kStoreRequestId);
    EXPECT_FALSE(reply.more);
    EXPECT_TRUE(reply.bundles.empty());
    ASSERT_EQ(reply.sets.size(), 1U);
    const bus::StoredSet &set = reply.sets.front();
    EXPECT_EQ(set.set, reply.last);
    EXPECT_EQ(set.state, StoredState::kGathered);
    EXPECT_EQ(set.total_bytes, 400U);
    EXPECT_EQ(set.stored_bytes, 200U);
    EXPECT_EQ(set.fragments, 2U);
    EXPECT_EQ(set.gaps, 2U);
    ASSERT_EQ(set.missing.size(), 2U);
    EXPECT_EQ(set.missing[0].from, 0U);
    EXPECT_EQ(set.missing[0].to, 100U);
    EXPECT_EQ(set.missing[1].from, 200U);
    EXPECT_EQ(set.missing[1].to, 300U);
    EXPECT_EQ(as_text(set.first.destination), "ipn:20.1");
    EXPECT_EQ(set.first.expires, BundleSpec{}.created + 60'001) << "behind its lifetime";
    EXPECT_EQ(stored_sequence(set.first), 7U);
}

TEST_F(StoredSetsTest, ACompleteSetHasTheStateOfItsBundle) {
    for (const Bytes &fragment : fragments_of(1, 3)) store(fragment);
    const StoreReply reply = sets();
    ASSERT_EQ(reply.sets.size(), 1U);
    EXPECT_EQ(reply.sets[0].state, StoredState::kWaiting);
    EXPECT_EQ(reply.sets[0].stored_bytes, 300U);
    EXPECT_EQ(reply.sets[0].gaps, 0U);
    EXPECT_TRUE(reply.sets[0].missing.empty());
}

TEST_F(StoredSetsTest, TheFirstMissingRangesAreListed) {
    const auto fragments = fragments_of(1, 40);
    for (std::size_t at = 0; at < fragments.size(); at += 2) store(fragments[at]);
    const StoreReply reply = sets();
    ASSERT_EQ(reply.sets.size(), 1U);
    EXPECT_EQ(reply.sets[0].gaps, 20U);
    EXPECT_EQ(reply.sets[0].missing.size(), StoredBundleQueries::kMostGaps);
    EXPECT_EQ(reply.sets[0].stored_bytes, 2000U);
}

TEST_F(StoredSetsTest, PagesMeetEverySetOnce) {
    for (std::uint64_t sequence = 1; sequence <= 25; ++sequence)
        store(fragments_of(sequence, 2)[0]);
    std::set<std::uint64_t> met;
    StoreRequest request = store_request(StoreVerb::kSets, {}, 10);
    for (int page = 0; page < 3; ++page) {
        const StoreReply reply = rig.ask_store(request);
        for (const bus::StoredSet &set : reply.sets) met.insert(stored_sequence(set.first));
        EXPECT_EQ(reply.more, page < 2);
        request.after = reply.last;
    }
    EXPECT_EQ(met.size(), 25U);
}

TEST_F(StoredSetsTest, AFilterTakesADestination) {
    store(fragments_of(1, 2)[0]);
    store(fragments_of(2, 2, 30)[0]);
    EXPECT_EQ(sets().sets.size(), 2U);
    EXPECT_EQ(sets("ipn:30.*").sets.size(), 1U);
    EXPECT_EQ(sets("ipn:40.*").sets.size(), 0U);
    EXPECT_FALSE(sets("ipn:").error.empty());
}

}  // namespace
}  // namespace farlink::test::stored_sets_test
