// SPDX-License-Identifier: Apache-2.0
#include "common/history/bundle_history.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/test_bundle.hpp"
#include "tests/unit/common/history/history_memory.hpp"

namespace farlink::history::bundle_history_test {
namespace {

using test::TestBundle;

class BundleHistoryTest : public testing::Test {
protected:
    BundleHistoryTest() {
        auto blocks = std::make_unique<HistoryMemory>(4);
        memory = blocks.get();
        history = BundleHistory(std::move(blocks));
    }
    void add_batch(const std::vector<TestBundle> &bundles) {
        Batch batch;
        batch.link = LinkId{3};
        batch.sender = NodeNumber{9};
        std::vector<Bytes> octets;
        for (const TestBundle &bundle : bundles) octets.push_back(bundle.octets());
        for (const Bytes &each : octets) {
            BatchedBundle bundle;
            bundle.size = each.size();
            bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
            bundle.slice_count = 1;
            batch.slices.emplace_back(each);
            batch.bundles.push_back(bundle);
        }
        history.add_batch(batch, {.ending = Ending::kSent, .time = test::kStart});
    }
    [[nodiscard]] std::vector<PastBundle> found(std::uint64_t node = 1) const {
        std::vector<PastBundle> bundles;
        SearchCounts counts;
        (void)memory->reader().search(all_of(node), 100'000, bundles, counts);
        return bundles;
    }

    HistoryMemory *memory = nullptr;
    BundleHistory history;
};

TEST_F(BundleHistoryTest, EveryBundleOfABatchIsRecorded) {
    std::vector<TestBundle> bundles(3000);
    const std::vector<std::uint64_t> widths{0,      23,     24,         255,        256,
                                            65'535, 65'536, 4294967295, 4294967296, ~0ULL};
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        bundles[i].sequence = widths[i % widths.size()];
        bundles[i].created_ms = i % 5 == 0 ? i : test::kStart + i;
        bundles[i].age_ms = 1;
        bundles[i].payload_bytes = i % 200;
    }
    add_batch(bundles);
    const auto past = found();
    ASSERT_EQ(past.size(), bundles.size());
    for (std::size_t i = 0; i < past.size(); ++i) {
        const PastBundle &record = past[past.size() - 1 - i];
        ASSERT_EQ(record.id.sequence, bundles[i].sequence) << i;
        ASSERT_EQ(record.id.creation_time, bundles[i].created_ms) << i;
        ASSERT_EQ(record.passage.size, bundles[i].octets().size()) << i;
        ASSERT_EQ(record.passage.link, LinkId{3});
        ASSERT_EQ(record.passage.sender, NodeNumber{9});
        ASSERT_EQ(record.destination, bp::Eid(2, 1));
    }
}

TEST_F(BundleHistoryTest, BundlesOfManyKindsInOneBatch) {
    TestBundle usual;
    TestBundle other;
    other.from = bp::ipn_eid(7, 1);
    TestBundle named;
    named.from = {bp::EidScheme::kDtn, 0, 0, "//node/a"};
    TestBundle elsewhere;
    elsewhere.to = bp::ipn_eid(2, 99);
    TestBundle huge;
    huge.created_ms = ~std::uint64_t{0};
    add_batch({usual, usual, other, usual, named, usual, elsewhere, elsewhere, huge, usual, huge});
    ASSERT_EQ(found().size(), 9U);
    EXPECT_EQ(found(7).size(), 1U);
    EXPECT_EQ(found()[4].destination, bp::Eid(2, 99));
    EXPECT_EQ(found()[0].id.creation_time, ~std::uint64_t{0});
    std::vector<PastBundle> of_name;
    SearchCounts counts;
    EXPECT_TRUE(
        memory->reader().search({.source = *bp::Eid::parse("dtn://node/a")}, 10, of_name, counts));
    EXPECT_EQ(of_name.size(), 1U);
}

TEST_F(BundleHistoryTest, ABundleThatIsNoBundleIsNotRecorded) {
    const Bytes cut(TestBundle{}.octets());
    for (std::size_t size = 0; size < 12; ++size) {
        const ByteView octets = ByteView(cut).first(size);
        history.add({&octets, 1}, 7, {});
        history.add({&octets, 1}, 6, {});
        history.add_head(octets, 0, {});
    }
    EXPECT_TRUE(found().empty());
}

TEST_F(BundleHistoryTest, TheHeadOfABundleIsEnough) {
    const Bytes octets = TestBundle{}.octets();
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    ASSERT_TRUE(view.has_value());
    history.add_head(whole.first(view->head_end), 20, {.size = octets.size()});
    history.add(*view, {});
    EXPECT_EQ(found().size(), 2U);
}

TEST(BundleHistoryOff, RecordsNothing) {
    BundleHistory off;
    EXPECT_FALSE(off.on());
    off.add(bp::BundleView{}, {});
    off.add_head({}, 0, {});
    off.add_batch(Batch{}, {});
    off.add_unrecorded(1);
}

}  // namespace
}  // namespace farlink::history::bundle_history_test
