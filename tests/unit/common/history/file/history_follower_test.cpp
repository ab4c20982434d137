// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_follower.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "common/history/file/history_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::history::history_follower_test {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max() / 2;

class HistoryFollowerTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<HistoryFile> file(const std::string &module,
                                                    std::uint64_t records = 5000) const {
        auto opened = HistoryFile::open({.folder = folder / "bundles",
                                         .module = module,
                                         .node = NodeNumber{10},
                                         .records = records});
        EXPECT_NE(opened.file, nullptr);
        return std::move(opened.file);
    }
    static void add(HistoryWriter &writer, std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t i = from; i < to; ++i)
            writer.add({.source = bp::ipn_eid(10, 1),
                        .destination = bp::ipn_eid(20, 1),
                        .creation_time = 5,
                        .sequence = i},
                       {.time = 1000 + i});
    }
    static std::vector<std::uint64_t> numbers(HistoryFollower &follower, std::size_t limit = kAll) {
        std::vector<FoundBundle> found;
        EXPECT_EQ(follower.poll(limit, found), 0U);
        std::vector<std::uint64_t> sequences;
        for (const FoundBundle &each : found) sequences.push_back(each.bundle.id.sequence);
        return sequences;
    }

    test::TempFolder folder;
};

TEST_F(HistoryFollowerTest, BeginsBehindWhatIsThere) {
    const auto egress = file("egress");
    HistoryWriter writer(*egress);
    add(writer, 0, 3);
    HistoryFollower follower(folder / "bundles");
    EXPECT_EQ(follower.histories(), 1U);
    EXPECT_TRUE(numbers(follower).empty());
    add(writer, 3, 5);
    EXPECT_EQ(numbers(follower), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_TRUE(numbers(follower).empty());
    add(writer, 5, 8);
    EXPECT_EQ(numbers(follower, 2), (std::vector<std::uint64_t>{5, 6})) << "the limit";
    EXPECT_EQ(numbers(follower, 2), (std::vector<std::uint64_t>{7}));
}

TEST_F(HistoryFollowerTest, FollowsAFileThatGrowsAndANewModule) {
    const auto egress = file("egress", 100'000);
    HistoryWriter writer(*egress);
    HistoryFollower follower(folder / "bundles");
    add(writer, 0, 1);
    EXPECT_EQ(numbers(follower).size(), 1U);
    std::uint64_t next = 1;
    for (std::uint64_t i = 1; i < 60'000; i += 5000) {
        add(writer, i, std::min<std::uint64_t>(i + 5000, 60'000));
        for (const std::uint64_t each : numbers(follower)) ASSERT_EQ(each, next++);
    }
    EXPECT_EQ(next, 60'000U);
    // New files: a short one is read whole, of a long one what is before the last block is missed.
    const auto ingress = file("ingress", 100'000);
    HistoryWriter third(*ingress);
    add(third, 0, 20'000);
    std::vector<FoundBundle> tail;
    EXPECT_GT(follower.poll(kAll, tail), 10'000U);
    EXPECT_EQ(tail.back().bundle.id.sequence, 19'999U);
    const auto storage = file("storage");
    HistoryWriter second(*storage);
    add(second, 0, 2);
    std::vector<FoundBundle> found;
    EXPECT_EQ(follower.poll(kAll, found), 0U);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].module, "storage");
}

TEST_F(HistoryFollowerTest, CountsWhatWasOverwritten) {
    const auto egress = file("egress", 5000);
    HistoryWriter writer(*egress);
    HistoryFollower follower(folder / "bundles");
    add(writer, 0, 1);
    EXPECT_EQ(numbers(follower).size(), 1U);
    add(writer, 1, 100'000);
    std::vector<FoundBundle> found;
    EXPECT_GT(follower.poll(kAll, found), 50'000U);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back().bundle.id.sequence, 99'999U);
}

TEST_F(HistoryFollowerTest, GoesOnWithAFileThatWasReplaced) {
    auto egress = file("egress", 5000);
    {
        HistoryWriter writer(*egress);
        add(writer, 0, 40'000);
    }
    HistoryFollower follower(folder / "bundles");
    EXPECT_TRUE(numbers(follower).empty());
    egress.reset();
    std::filesystem::remove_all(folder / "bundles");
    EXPECT_TRUE(numbers(follower).empty());
    egress = file("egress", 5000);
    HistoryWriter writer(*egress);
    add(writer, 0, 3);
    EXPECT_EQ(numbers(follower), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(HistoryFollowerTest, AFolderThatIsMissingIsEmpty) {
    HistoryFollower follower(folder / "none");
    EXPECT_TRUE(numbers(follower).empty());
    EXPECT_EQ(follower.histories(), 0U);
}

}  // namespace
}  // namespace farlink::history::history_follower_test
