// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "common/history/file/history_folder.hpp"
#include "common/history/file/history_header.hpp"
#include "common/history/file/open_history.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::history::history_file_test {
namespace {

constexpr DtnTime kNow = 800'000'000'123;
const BundleQuery kAll{.source = bp::Eid(10, 1)};

class HistoryFileTest : public testing::Test {
protected:
    [[nodiscard]] HistoryFileOptions options(std::uint64_t records = 5000) const {
        return {.folder = folder / "bundles",
                .module = "egress",
                .node = NodeNumber{10},
                .records = records};
    }
    [[nodiscard]] std::string path() const { return folder / "bundles/egress.fring"; }
    [[nodiscard]] std::size_t found(const BundleQuery &query = kAll) const {
        return find_bundles(folder / "bundles", query, 100'000).bundles.size();
    }
    static void add(HistoryWriter &writer, std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t i = from; i < to; ++i)
            writer.add({.source = bp::ipn_eid(10, 1),
                        .destination = bp::ipn_eid(20, 1),
                        .creation_time = 5,
                        .sequence = i},
                       {.link = LinkId{2}, .time = kNow + i});
    }
    void expect_started_anew(const std::string &why) {
        const auto opened = HistoryFile::open(options());
        ASSERT_NE(opened.file, nullptr);
        EXPECT_NE(opened.notice.find(why), std::string::npos) << opened.notice;
        HistoryWriter writer(*opened.file);
        add(writer, 0, 3);
        EXPECT_EQ(found(), 3U);
    }

    test::TempFolder folder;
};

TEST_F(HistoryFileTest, GrowsAsItIsFilledAndThenGoesRound) {
    auto opened = HistoryFile::open(options(40'000));
    ASSERT_NE(opened.file, nullptr);
    EXPECT_EQ(opened.notice, "");
    HistoryWriter writer(*opened.file);
    EXPECT_EQ(opened.file->count(), 16U);
    add(writer, 0, 20'000);
    EXPECT_EQ(opened.file->count(), 32U);
    EXPECT_EQ(found(), 20'000U);
    add(writer, 20'000, 100'000);
    EXPECT_EQ(opened.file->count(), 40U) << "blocks for 40,000 records";
    EXPECT_GT(found(), 39'000U);
    EXPECT_LE(found(), 40U * kRecordsPerBlock);
    const auto past = find_bundles(folder / "bundles", kAll, 1);
    ASSERT_EQ(past.bundles.size(), 1U);
    EXPECT_TRUE(past.more);
    EXPECT_EQ(past.bundles[0].module, "egress");
    EXPECT_EQ(past.bundles[0].bundle.id.sequence, 99'999U);
}

TEST_F(HistoryFileTest, TakesTheAddressesThatItSays) {
    EXPECT_EQ(HistoryFile::mapped_bytes(1), kHeaderBytes + kBlockBytes);
    EXPECT_EQ(HistoryFile::mapped_bytes(kRecordsPerBlock + 1), kHeaderBytes + 2 * kBlockBytes);
    const auto opened = HistoryFile::open(options(40'000));
    ASSERT_NE(opened.file, nullptr);
    EXPECT_EQ(HistoryFile::mapped_bytes(40'000), kHeaderBytes + 40 * kBlockBytes);
}

TEST_F(HistoryFileTest, WithoutAddressesTheReasonIsNamed) {
    const auto opened = HistoryFile::open(options(1ULL << 44));
    EXPECT_EQ(opened.file, nullptr);
    EXPECT_NE(opened.notice.find("MiB into memory: the "), std::string::npos) << opened.notice;
}

TEST_F(HistoryFileTest, SurvivesItsProcess) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto opened = HistoryFile::open(options());
        HistoryWriter writer(*opened.file);
        add(writer, 0, 1234);
        (void)::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(found(), 1234U);

    const auto opened = HistoryFile::open(options());
    ASSERT_NE(opened.file, nullptr);
    EXPECT_EQ(opened.notice, "");
    HistoryWriter writer(*opened.file);
    add(writer, 1234, 2000);
    EXPECT_EQ(found(), 2000U);
}

TEST_F(HistoryFileTest, HasOneWriter) {
    const auto first = HistoryFile::open(options());
    ASSERT_NE(first.file, nullptr);
    const auto second = HistoryFile::open(options());
    EXPECT_EQ(second.file, nullptr);
    EXPECT_NE(second.notice.find("another process"), std::string::npos) << second.notice;
}

TEST_F(HistoryFileTest, AForeignFileIsStartedAnew) {
    std::filesystem::create_directories(folder / "bundles");
    std::ofstream(path()) << "something else entirely, longer than the header of a history";
    expect_started_anew("not a bundle history");
}

TEST_F(HistoryFileTest, AnEmptyFileIsStartedAnew) {
    std::filesystem::create_directories(folder / "bundles");
    std::ofstream(path()).flush();
    expect_started_anew("too short");
}

TEST_F(HistoryFileTest, ADamagedHeaderStartsItAnew) {
    (void)HistoryFile::open(options());
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(17);
    file.put('x');
    file.close();
    expect_started_anew("damaged");
}

TEST_F(HistoryFileTest, TheFileOfAnotherNodeStaysAsItIs) {
    HistoryFileOptions other = options();
    other.node = NodeNumber{11};
    {
        const auto first = HistoryFile::open(other);
        HistoryWriter writer(*first.file);
        add(writer, 0, 3);
    }
    const auto opened = HistoryFile::open(options());
    EXPECT_EQ(opened.file, nullptr);
    EXPECT_NE(opened.notice.find("belongs to node 11; expected node 10"), std::string::npos)
        << opened.notice;
    EXPECT_EQ(found(), 3U);
    EXPECT_EQ(HistoryFile::open(other).notice, "");
}

TEST_F(HistoryFileTest, AReviewNamesTheFilesOfAnotherNode) {
    config::NodeConfig config;
    config.node = NodeNumber{10};
    config.control_socket = folder / "control";
    config.history.enabled = true;
    config.history.bundles = 5000;
    config.history.bundles_folder = folder / "bundles";
    EXPECT_EQ(review_history(config), std::vector<std::string>{}) << "there is no folder";
    (void)HistoryFile::open(options());
    std::ofstream(folder / "bundles/ingress.fring") << "something else";
    EXPECT_EQ(review_history(config), std::vector<std::string>{});
    config.node = NodeNumber{11};
    EXPECT_EQ(
        review_history(config),
        std::vector<std::string>{
            path() + ": the bundle history belongs to node 10; expected node 11; the node does not "
                     "start"});
    config.history.bundles = 0;
    EXPECT_EQ(review_history(config), std::vector<std::string>{}) << "none is written";
}

TEST_F(HistoryFileTest, FewerRecordsStartItAnew) {
    {
        const auto opened = HistoryFile::open(options(40'000));
        HistoryWriter writer(*opened.file);
        add(writer, 0, 30'000);
    }
    expect_started_anew("more records");
}

TEST_F(HistoryFileTest, AFileThatWasCutInABlockGoesOn) {
    {
        const auto opened = HistoryFile::open(options());
        HistoryWriter writer(*opened.file);
        add(writer, 0, 2000);
    }
    std::filesystem::resize_file(path(), 4096 + kBlockBytes + 100);
    const auto opened = HistoryFile::open(options());
    ASSERT_NE(opened.file, nullptr);
    EXPECT_EQ(opened.file->count(), 1U);
    HistoryWriter writer(*opened.file);
    add(writer, 2000, 2100);
    EXPECT_EQ(found(), kRecordsPerBlock + 100);
}

TEST_F(HistoryFileTest, WithoutRoomNothingIsWritten) {
    HistoryFileOptions full = options();
    full.free_bytes = ~std::uint64_t{0} / 2;
    const auto opened = HistoryFile::open(full);
    EXPECT_EQ(opened.file, nullptr);
    EXPECT_NE(opened.notice.find("less space is free than history.freeSpaceBytes requires"),
              std::string::npos)
        << opened.notice;
    EXPECT_TRUE(opened.notice.ends_with("not written until the node is restarted"));
    EXPECT_EQ(found(), 0U);
}

TEST_F(HistoryFileTest, OtherFilesInTheFolderAreNotRead) {
    const auto opened = HistoryFile::open(options());
    HistoryWriter writer(*opened.file);
    add(writer, 0, 3);
    std::ofstream(folder / "bundles/notes.txt") << "text";
    std::ofstream(folder / "bundles/broken.fring") << std::string(100'000, 'x');
    std::filesystem::create_directories(folder / "bundles/folder.fring");
    std::filesystem::create_symlink(path(), folder / "bundles/link.fring");
    EXPECT_EQ(found(), 3U);
    EXPECT_EQ(find_bundles(folder / "nowhere", kAll, 10).histories, 0U);
}

}  // namespace
}  // namespace farlink::history::history_file_test
