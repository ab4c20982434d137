// SPDX-License-Identifier: Apache-2.0
#include "common/history/history_writer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/unit/common/history/history_memory.hpp"

namespace farlink::history::history_writer_test {
namespace {

constexpr DtnTime kNow = 800'000'000'123;

std::vector<PastBundle> find(const HistoryMemory &memory, const BundleQuery &query,
                             std::size_t limit = 1000) {
    std::vector<PastBundle> found;
    SearchCounts counts;
    (void)memory.reader().search(query, limit, found, counts);
    return found;
}

TEST(HistoryWriter, KeepsAllOfARecord) {
    HistoryMemory memory(2);
    HistoryWriter writer(memory);
    BundleFacts bundle = facts(10, 7);
    bundle.has_hops = true;
    bundle.hops = 3;
    writer.add(bundle, {Ending::kDeleted, 9, 123'456, LinkId{4}, NodeNumber{11}, kNow});
    const auto found = find(memory, all_of(10));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(bp::to_string(found[0].id), "ipn:10.1/800000000000/7");
    EXPECT_EQ(found[0].destination, bp::Eid(20, 2));
    EXPECT_EQ(found[0].version, 7);
    EXPECT_EQ(found[0].hops, 3);
    EXPECT_EQ(found[0].passage.ending, Ending::kDeleted);
    EXPECT_EQ(found[0].passage.reason, 9);
    EXPECT_EQ(found[0].passage.size, 123'456U);
    EXPECT_EQ(found[0].passage.link, LinkId{4});
    EXPECT_EQ(found[0].passage.sender, NodeNumber{11});
    EXPECT_EQ(found[0].passage.time, kNow);
    EXPECT_TRUE(find(memory, all_of(11)).empty());
}

TEST(HistoryWriter, KeepsLargeNumbersFragmentsAndNames) {
    HistoryMemory memory(2);
    HistoryWriter writer(memory);
    const std::string name = "//node/" + std::string(100, 'x');
    BundleFacts bundle = facts(10, ~std::uint64_t{0});
    bundle.source = {bp::EidScheme::kDtn, 0, 0, name};
    bundle.destination = bp::ipn_eid(~std::uint64_t{0} - 1, ~std::uint64_t{0});
    bundle.creation_time = ~std::uint64_t{0};
    bundle.version = bp::kBpVersion6;
    bundle.is_fragment = true;
    bundle.fragment_offset = 1'000'000'000'000;
    bundle.fragment_length = 5;
    const NodeNumber sender{(std::uint64_t{977'000} << 32) + 1};
    writer.add(bundle, {Ending::kSent, 0, ~std::uint64_t{0}, LinkId{1}, sender, kNow});
    writer.add(facts(10, 2), {.time = kNow});
    const auto found = find(memory, {.source = *bp::Eid::parse("dtn:" + name)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id.source.to_string(), "dtn:" + name);
    EXPECT_EQ(found[0].id.creation_time, ~std::uint64_t{0});
    EXPECT_EQ(found[0].id.sequence, ~std::uint64_t{0});
    ASSERT_TRUE(found[0].id.fragment.has_value());
    EXPECT_EQ(found[0].id.fragment->offset, 1'000'000'000'000U);
    EXPECT_EQ(found[0].destination, bp::Eid(~std::uint64_t{0} - 1, ~std::uint64_t{0}));
    EXPECT_EQ(found[0].version, bp::kBpVersion6);
    EXPECT_EQ(found[0].passage.sender, sender);
    EXPECT_EQ(found[0].passage.size, kMask40);
    EXPECT_FALSE(found[0].cut_names);
    EXPECT_EQ(find(memory, all_of(10)).size(), 1U) << "the record behind it";
}

TEST(HistoryWriter, CutsVeryLongNamesAndMarksThem) {
    HistoryMemory memory(2);
    HistoryWriter writer(memory);
    const std::string name = "//node/" + std::string(1000, 'y');
    BundleFacts bundle = facts(10, 1);
    bundle.destination = {bp::EidScheme::kDtn, 0, 0, name};
    writer.add(bundle, {.time = kNow});
    const auto found = find(memory, all_of(10));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].cut_names);
    EXPECT_EQ(found[0].destination.to_string(), "dtn:" + name.substr(0, kMostNameBytes));
}

TEST(HistoryWriter, TheOldestBlockIsOverwritten) {
    HistoryMemory memory(3);
    HistoryWriter writer(memory);
    const std::uint64_t count = 4 * kRecordsPerBlock + 10;
    for (std::uint64_t i = 0; i < count; ++i) writer.add(facts(10, i), {.time = kNow + i});
    std::vector<PastBundle> found;
    SearchCounts counts;
    EXPECT_TRUE(memory.reader().search(all_of(10), count, found, counts));
    ASSERT_EQ(found.size(), 2 * kRecordsPerBlock + 10) << "two whole blocks, and the newest";
    for (std::uint64_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i].id.sequence, count - 1 - i) << "the newest first";
    EXPECT_EQ(counts.oldest, kNow + 2 * kRecordsPerBlock);
    EXPECT_EQ(counts.overwritten, 0U);

    found.clear();
    EXPECT_FALSE(memory.reader().search(all_of(10), 5, found, counts));
    EXPECT_EQ(found.size(), 5U);
}

TEST(HistoryWriter, ContinuesBehindTheNewestRecord) {
    HistoryMemory memory(3);
    std::uint64_t sequence = 0;
    for (int run = 0; run < 40; ++run) {
        HistoryWriter writer(memory);
        for (int i = 0; i < 100; ++i) writer.add(facts(10, sequence++), {.time = kNow});
    }
    const auto found = find(memory, all_of(10), 10'000);
    ASSERT_GT(found.size(), 2 * kRecordsPerBlock);
    for (std::uint64_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i].id.sequence, sequence - 1 - i);
}

TEST(HistoryWriter, WithoutMemoryNothingIsRecorded) {
    HistoryMemory memory(0);
    HistoryWriter writer(memory);
    writer.add(facts(10, 1), {.time = kNow});
    writer.add_unrecorded(1);
    EXPECT_TRUE(find(memory, all_of(10)).empty());
}

TEST(HistoryWriter, RecordsOfAnEarlierRoundAreNotTaken) {
    HistoryMemory memory(1);
    HistoryWriter writer(memory);
    for (std::uint64_t i = 0; i < kRecordsPerBlock + 5; ++i)
        writer.add(facts(10, i), {.time = kNow});
    // As after a power cut: the first slot says more than the rest of the block has got.
    memory.words()[kUsedWord] = kBlockSlots;
    EXPECT_EQ(find(memory, all_of(10)).size(), 5U);
}

TEST(HistoryWriter, AReaderTakesAnyOctets) {
    HistoryMemory memory(4);
    std::uint64_t state = 1;
    const auto next = [&state] {
        return state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    };
    for (int round = 0; round < 50; ++round) {
        for (Word &word : memory.words()) word = next() ^ (next() >> 32);
        for (std::size_t i = 0; i < 4; ++i) {
            Word *const block = memory.words().data() + i * kBlockWords;
            block[kNumberWord] = i + 1;
            // Slots that pass for records as often as can be.
            for (std::size_t slot = kFirstRecord; slot < kBlockSlots; ++slot) {
                block[slot * kSlotWords + 3] = (next() & kMask48) | tag_of(i + 1);
                block[slot * kSlotWords] = (next() & kMask48) | tag_of(i + 1);
                block[slot * kSlotWords + 4] = (next() & kMask48) | Word{1} << 48;
            }
        }
        (void)find(memory, {.source = *bp::Eid::parse("dtn://node/x")});
        HistoryPlace place{0, 1, kFirstRecord};
        std::vector<PastBundle> found;
        (void)memory.reader().follow(place, 100'000, found);
        EXPECT_FALSE(found.empty());
        HistoryWriter writer(memory);
        writer.add(facts(10, 1), {.time = kNow});
    }
}

TEST(HistoryWriter, AReaderBesideTheWriterSeesWholeRecordsOnly) {
    HistoryMemory memory(3);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(memory.grow());
    std::atomic<bool> begun = false;
    std::atomic<bool> stop = false;
    std::thread writing([&] {
        HistoryWriter writer(memory);
        for (std::uint64_t i = 1; !stop; ++i) {
            BundleFacts bundle = facts(10, i);
            bundle.creation_time = i;
            if (i % 7 == 0) bundle.source = {bp::EidScheme::kDtn, 0, 0, "//node/source"};
            writer.add(bundle, {Ending::kSent, 0, i, LinkId{1}, {}, i});
            begun = true;
            begun.notify_one();
        }
    });
    begun.wait(false);
    std::uint64_t seen = 0;
    HistoryPlace place = memory.reader().end();
    for (int round = 0; round < 50; ++round) {
        std::vector<PastBundle> found = find(memory, all_of(10), 10'000);
        (void)memory.reader().follow(place, 1000, found);
        for (const PastBundle &bundle : found) {
            ASSERT_EQ(bundle.id.creation_time, bundle.id.sequence);
            ASSERT_EQ(bundle.passage.size, bundle.id.sequence);
            ASSERT_EQ(bundle.passage.time, bundle.id.sequence);
        }
        seen += found.size();
    }
    stop = true;
    writing.join();
    EXPECT_GT(seen, 0U);
}

}  // namespace
}  // namespace farlink::history::history_writer_test
