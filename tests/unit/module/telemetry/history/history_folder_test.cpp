// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::history_folder_test {
namespace {

constexpr HistoryFile kFile{HistoryKind::kEvents, 1, 5};

/// Files of this process cannot become longer.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
    FileLimit(const FileLimit &) = delete;
    FileLimit &operator=(const FileLimit &) = delete;

private:
    rlimit before_{};
};

TEST(HistoryFolder, FilesAreAppendedReadAndDeleted) {
    const test::TempFolder temp;
    HistoryFolder folder(temp / "a/history");
    ASSERT_EQ(folder.open(), "");
    EXPECT_TRUE(folder.list().empty());
    ASSERT_EQ(folder.append(kFile, as_bytes("one")), "");
    ASSERT_EQ(folder.append(kFile, as_bytes("two")), "");
    ASSERT_EQ(folder.append({HistoryKind::kCoarseRates, 3, 5}, as_bytes("x")), "");
    EXPECT_EQ(folder.flush(), "");
    EXPECT_EQ(as_text(*folder.read(kFile)), "onetwo");
    EXPECT_EQ(as_text(*folder.read(kFile, 2)), "on");
    ASSERT_EQ(folder.list().size(), 2U);
    EXPECT_EQ(folder.list()[0].file, kFile);
    EXPECT_EQ(folder.list()[0].bytes, 6U);
    folder.remove(kFile);
    EXPECT_FALSE(folder.read(kFile));
    struct stat about{};
    ASSERT_EQ(::stat((temp / "a/history").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0700U);
}

TEST(HistoryFolder, ASecondNodeIsRefused) {
    const test::TempFolder temp;
    HistoryFolder first(temp / "history");
    ASSERT_EQ(first.open(), "");
    HistoryFolder second(temp / "history");
    EXPECT_NE(second.open().find("folder in use by another node"), std::string::npos);
}

TEST(HistoryFolder, AFileInPlaceOfTheFolderIsAnError) {
    const test::TempFolder temp;
    temp.write("history", "");
    EXPECT_NE(HistoryFolder(temp / "history").open(), "");
}

TEST(HistoryFolder, AnAppendThatFailsLeavesTheFileAsItWas) {
    const test::TempFolder temp;
    HistoryFolder folder(temp / "history");
    ASSERT_EQ(folder.open(), "");
    ASSERT_EQ(folder.append(kFile, Bytes(50)), "");
    {
        const FileLimit limit(100);
        EXPECT_NE(folder.append(kFile, Bytes(80)).find("events-"), std::string::npos);
        EXPECT_NE(folder.append({HistoryKind::kEvents, 2, 5}, Bytes(180)), "");
        EXPECT_NE(folder.replace_text("totals.json", std::string(180, 'a')), "");
    }
    EXPECT_EQ(folder.read(kFile)->size(), 50U);
    EXPECT_EQ(folder.list().size(), 1U);
    EXPECT_FALSE(folder.read_text("totals.json.new"));
    EXPECT_EQ(folder.append(kFile, Bytes(80)), "");
}

TEST(HistoryFolder, TextsAreReplaced) {
    const test::TempFolder temp;
    HistoryFolder folder(temp / "history");
    ASSERT_EQ(folder.open(), "");
    EXPECT_FALSE(folder.read_text("totals.json"));
    for (const char *text : {"a longer text", "text"}) {
        ASSERT_EQ(folder.replace_text("totals.json", text), "");
        EXPECT_EQ(folder.read_text("totals.json"), text);
    }
    folder.set_aside("totals.json");
    EXPECT_FALSE(folder.read_text("totals.json"));
    EXPECT_EQ(folder.read_text("totals.json.damaged"), "text");
}

TEST(HistoryFolder, TheFileSystemHasRoomAndOtherFolders) {
    const test::TempFolder temp;
    HistoryFolder folder(temp / "history");
    ASSERT_EQ(folder.open(), "");
    EXPECT_GT(folder.free_bytes().value_or(0), 0U);
    EXPECT_TRUE(folder.shares_file_system(temp / "a/store/that/is/made/later"));
    EXPECT_FALSE(folder.shares_file_system("/proc/self"));
}

}  // namespace
}  // namespace farlink::telemetry::history_folder_test
