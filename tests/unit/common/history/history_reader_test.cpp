// SPDX-License-Identifier: Apache-2.0
#include "common/history/history_reader.hpp"

#include <gtest/gtest.h>

#include "tests/unit/common/history/history_memory.hpp"

namespace farlink::history::history_reader_test {
namespace {

TEST(BundleQuery, FromText) {
    auto query = parse_bundle_query("ipn:10.1/757000000000/3");
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->source, bp::Eid(10, 1));
    EXPECT_EQ(query->creation_time, 757'000'000'000U);
    EXPECT_EQ(query->sequence, 3U);
    EXPECT_FALSE(query->fragment.has_value());

    query = parse_bundle_query("dtn://node/a/camera/0/18446744073709551615/1000+500");
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->source.to_string(), "dtn://node/a/camera");
    ASSERT_TRUE(query->fragment.has_value());
    EXPECT_EQ(query->fragment->offset, 1000U);
    EXPECT_EQ(query->fragment->length, 500U);

    query = parse_bundle_query("dtn://node/a/camera");
    ASSERT_TRUE(query.has_value());
    EXPECT_FALSE(query->sequence.has_value());

    for (const char *wrong :
         {"", "/", "10", "ipn:10", "ipn:10.1/", "ipn:10.1/5", "ipn:10.1/5/", "ipn:10.1/x/3",
          "ipn:10.1/1/18446744073709551616", "ipn:10.1/1/2/3", "ipn:10.1/1/2/3+", "ipn:10.1/1/2/+4",
          "ipn:10.1/-1/2", "http://x/1/2"})
        EXPECT_FALSE(parse_bundle_query(wrong).has_value()) << wrong;
}

TEST(BundleQuery, AnIdWithoutAnExtentMeansItsFragmentsToo) {
    const auto whole = parse_bundle_query("ipn:10.1/5/6").value();
    const auto fragment = parse_bundle_query("ipn:10.1/5/6/0+10").value();
    bp::BundleId id{bp::Eid(10, 1), 5, 6, {}};
    EXPECT_TRUE(whole.matches(id));
    EXPECT_FALSE(fragment.matches(id));
    id.fragment = bp::FragmentExtent{0, 10};
    EXPECT_TRUE(whole.matches(id));
    EXPECT_TRUE(fragment.matches(id));
    id.fragment = bp::FragmentExtent{10, 10};
    EXPECT_FALSE(fragment.matches(id));
}

TEST(HistoryReader, PassesOverBlocksWithoutTheSource) {
    HistoryMemory memory(10);
    HistoryWriter writer(memory);
    for (std::uint64_t i = 0; i < 10 * kRecordsPerBlock; ++i)
        writer.add(facts(i / kRecordsPerBlock + 1, i), {.time = i});
    std::vector<PastBundle> found;
    SearchCounts counts;
    EXPECT_TRUE(memory.reader().search(all_of(5), 100'000, found, counts));
    EXPECT_EQ(found.size(), kRecordsPerBlock);
    EXPECT_EQ(counts.blocks, 10U);
    EXPECT_EQ(counts.passed_over, 9U);
}

TEST(HistoryReader, ManySourcesInABlockAreAllFound) {
    HistoryMemory memory(2);
    HistoryWriter writer(memory);
    for (std::uint64_t i = 1; i <= kRecordsPerBlock; ++i) writer.add(facts(i, i), {.time = i});
    for (std::uint64_t i = 1; i <= kRecordsPerBlock; ++i) {
        std::vector<PastBundle> found;
        SearchCounts counts;
        EXPECT_TRUE(memory.reader().search(all_of(i), 10, found, counts));
        ASSERT_EQ(found.size(), 1U) << i;
    }
}

TEST(HistoryReader, FollowsTheWriter) {
    HistoryMemory memory(4);
    HistoryWriter writer(memory);
    HistoryPlace place = memory.reader().end();
    std::vector<PastBundle> found;
    EXPECT_EQ(memory.reader().follow(place, 10, found), 0U);
    EXPECT_TRUE(found.empty());
    std::uint64_t next = 0;
    for (std::uint64_t written = 0; written < 20'000; written += 500) {
        for (std::uint64_t i = 0; i < 500; ++i)
            writer.add(facts(10, written + i), {.time = written});
        found.clear();
        EXPECT_EQ(memory.reader().follow(place, 1000, found), 0U);
        ASSERT_EQ(found.size(), 500U);
        for (const PastBundle &bundle : found) ASSERT_EQ(bundle.id.sequence, next++);
    }
    // It is too far behind: what was overwritten is passed over.
    for (std::uint64_t i = 0; i < 100'000; ++i) writer.add(facts(10, i), {.time = i});
    found.clear();
    EXPECT_GT(memory.reader().follow(place, 1'000'000, found), 90'000U);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back().id.sequence, 99'999U);
}

}  // namespace
}  // namespace farlink::history::history_reader_test
